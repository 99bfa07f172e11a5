//! A drafted task as a careful colleague would write it down.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use candor_engine::edit::Style;
use candor_json::{Map, Value};

/// The widest line that is not broken.
const WIDE: usize = 110;

#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) assertion: Value,
    pub(super) fields: Option<&'static str>,
    pub(super) about: String,
    /// Paths that are not asserted, by the reason.
    pub(super) left_out: BTreeMap<String, BTreeSet<String>>,
}

pub(super) struct Page<'a> {
    pub(super) id: &'a str,
    pub(super) prompt: Option<&'a str>,
    pub(super) head: Vec<String>,
    pub(super) criteria: &'a [Written],
}

const STYLE: Style = Style::Spaced;

impl Page<'_> {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.head {
            comment(&mut text, "", line);
        }
        let mut member = |name: &str, value: &str| {
            text.push_str(&STYLE.member(name, &Value::String(escaped(value))));
            text.push('\n');
        };
        member("id", self.id);
        self.prompt.iter().for_each(|prompt| member("prompt", prompt));
        text.push_str("pass: all\ncriteria:\n");
        for one in self.criteria {
            criterion(&mut text, one);
        }
        text
    }
}

/// Escapes a text, so that nothing in it is read as a placeholder.
fn escaped(text: &str) -> String {
    text.replace("${", "$${")
}

fn criterion(text: &mut String, one: &Written) {
    comment(text, "  ", &one.about);
    for (why, paths) in &one.left_out {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        comment(text, "  ", &format!("Left out: {} ({why}).", paths.join(", ")));
    }
    // Writing into a text cannot fail.
    let _ = writeln!(text, "  - {}", STYLE.member("id", &Value::String(one.id.clone())));
    let _ = writeln!(text, "    {}", STYLE.member("label", &Value::String(escaped(&one.label))));
    text.push_str("    assertion:\n");
    let members = one.assertion.as_object().cloned().unwrap_or_default();
    lines(text, 6, &members, one.fields);
}

/// The members of an object, a line each; lists of fields an item a line.
fn lines(text: &mut String, indent: usize, members: &Map<String, Value>, fields: Option<&str>) {
    let pad = " ".repeat(indent);
    for (name, value) in members {
        let value = &plain(value);
        let line = format!("{pad}{}\n", STYLE.member(name, value));
        let is_list = fields == Some(name.as_str()) || line.chars().count() > WIDE;
        match value {
            Value::Array(items) if is_list && !items.is_empty() => {
                let _ = writeln!(text, "{pad}{}:", STYLE.name(name));
                items.iter().for_each(|item| list_item(text, indent + 2, item));
            }
            Value::Object(inner) if line.chars().count() > WIDE => {
                let _ = writeln!(text, "{pad}{}:", STYLE.name(name));
                lines(text, indent + 2, inner, None);
            }
            _ => text.push_str(&line),
        }
    }
}

fn list_item(text: &mut String, indent: usize, item: &Value) {
    let pad = " ".repeat(indent);
    let line = format!("{pad}- {}\n", STYLE.on_one_line(item));
    match item {
        Value::Object(members) if line.chars().count() > WIDE && members.contains_key("item") => {
            let mut inner = String::new();
            lines(&mut inner, indent + 2, members, Some("fields"));
            let _ = write!(text, "{pad}- {}", inner.trim_start());
        }
        _ => text.push_str(&line),
    }
}

fn plain(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(escaped(text)),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
        other => other.clone(),
    }
}

pub(super) fn comment(text: &mut String, pad: &str, sentence: &str) {
    let mut line = String::new();
    for word in sentence.split_whitespace() {
        if !line.is_empty() && pad.len() + 3 + line.chars().count() + word.chars().count() > WIDE {
            let _ = writeln!(text, "{pad}#{line}");
            line.clear();
        }
        let _ = write!(line, " {word}");
    }
    let _ = writeln!(text, "{pad}#{line}");
}
