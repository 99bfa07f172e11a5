//! Changes of a task file that leave every byte as it is that they do not concern: comments, order, layout.

mod tree;
mod write;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use candor_json::Value;

use super::Document;
use tree::{Kind, Node};
pub use write::Style;

/// A change of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Puts a value at the end of the list that the steps lead to.
    Append {
        /// The steps from the top: `criteria`, `0`, `assertion`, `fields`.
        steps: Vec<String>,
        /// The value.
        value: Value,
    },
    /// Gives the object that the steps lead to a member, or another value to a member or an item that is there.
    Put {
        /// The steps from the top.
        steps: Vec<String>,
        /// The name of the member, or the number of the item, from 0.
        name: String,
        /// Its value.
        value: Value,
    },
}

/// Why a text cannot be changed at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not a document, even before the change.
    Unreadable(String),
    /// The steps lead to nothing that can be changed there: an alias, a placeholder, another kind of value.
    NoPlace(String),
    /// The changed text would not be read back as the value that was meant.
    NotTheSame(String),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(what) => f.write_str(what),
            Self::NoPlace(place) => {
                write!(f, "nothing can be added at {place}: an alias or a placeholder is written there")
            }
            Self::NotTheSame(place) => write!(f, "the layout around {place} does not allow a change; add it by hand"),
        }
    }
}

impl std::error::Error for EditError {}

/// The text of a task file with these changes, made one after the other. Bytes that no change concerns stay as they are, and
/// what comes out was read back and compared with what was meant.
///
/// ```
/// use candor_engine::edit::{Edit, edited};
/// use candor_json::json;
/// let text = "id: t # mine\nfields:\n  - a\n";
/// let edit = Edit::Append { steps: vec!["fields".into()], value: json!({"path": "b"}) };
/// assert_eq!(edited("t.yaml".as_ref(), text, &[edit])?, "id: t # mine\nfields:\n  - a\n  - { path: b }\n");
/// # Ok::<(), candor_engine::edit::EditError>(())
/// ```
///
/// # Errors
/// A place that cannot be changed.
pub fn edited(file: &Path, text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for edit in edits {
        text = once(file, &text, edit)?;
    }
    Ok(text)
}

fn once(file: &Path, text: &str, edit: &Edit) -> Result<String, EditError> {
    let parsed = |text: &str| {
        let document = Document::parse(file, text.as_bytes());
        document.map(|document| document.value().clone()).map_err(|error| EditError::Unreadable(error.to_string()))
    };
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (mark, body) = text.split_at(mark);
    let mut meant = parsed(text)?;
    let (Edit::Append { steps, .. } | Edit::Put { steps, .. }) = edit;
    let no_place = || EditError::NoPlace(super::places::dotted(&steps.iter().map(String::as_str).collect::<Vec<_>>()));
    apply(&mut meant, edit).ok_or_else(no_place)?;
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    let top = if is_json { tree::of_json(body) } else { tree::of_yaml(body) }.ok_or_else(no_place)?;
    let node = steps.iter().try_fold(&top, |node, step| node.child(step)).ok_or_else(no_place)?;
    let style = if is_json { Style::Json } else { Style::of_yaml(body) };
    let page = Page { text: body, style };
    let (span, with) = match edit {
        Edit::Append { value, .. } => page.append(node, value),
        Edit::Put { name, value, .. } => page.put(node, name, value),
    }
    .ok_or_else(no_place)?;
    let (before, after) = (body.get(..span.start).unwrap_or_default(), body.get(span.end..).unwrap_or_default());
    let written = format!("{mark}{before}{with}{after}");
    match parsed(&written) {
        Ok(read) if read == meant => Ok(written),
        _ => match no_place() {
            EditError::NoPlace(place) => Err(EditError::NotTheSame(place)),
            other => Err(other),
        },
    }
}

fn apply(document: &mut Value, edit: &Edit) -> Option<()> {
    let (Edit::Append { steps, .. } | Edit::Put { steps, .. }) = edit;
    let target = steps.iter().try_fold(document, |value, step| match value {
        Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
        Value::Object(members) => members.get_mut(step),
        _ => None,
    })?;
    match edit {
        Edit::Append { value, .. } => target.as_array_mut()?.push(value.clone()),
        Edit::Put { name, value, .. } => match target {
            Value::Array(items) => *items.get_mut(name.parse::<usize>().ok()?)? = value.clone(),
            other => drop(other.as_object_mut()?.insert(name.clone(), value.clone())),
        },
    }
    Some(())
}

struct Page<'t> {
    text: &'t str,
    style: Style,
}

type Written = Option<(Range<usize>, String)>;

impl Page<'_> {
    fn append(&self, node: &Node, value: &Value) -> Written {
        let Kind::Sequence { flow, items } = &node.kind else { return None };
        let written = self.style.on_one_line(value);
        match (flow, items.last()) {
            (true, None) => Some((node.span.start + 1..node.span.start + 1, written)),
            (true, Some(last)) => {
                let between = self.between(node.span.start, last.span.start);
                Some((last.span.end..last.span.end, format!(",{between}{written}")))
            }
            (false, last) => {
                let begins = self.text.get(node.span.start..).is_some_and(|rest| rest.starts_with('-'));
                let dash = match begins {
                    true => node.span.start,
                    false => self.dash_before(items.first()?.span.start)?,
                };
                let indent = " ".repeat(self.column(dash));
                self.line_after(last?.span.end, &format!("{indent}- {written}"))
            }
        }
    }

    fn put(&self, node: &Node, name: &str, value: &Value) -> Written {
        if let Some(old) = node.child(name) {
            let is_item = matches!(node.kind, Kind::Sequence { .. });
            if is_item && self.text.get(old.span.clone())?.contains(" #") {
                // The comments of an item would be lost.
                return None;
            }
            let written = self.style.on_one_line(value);
            let blank = if old.span.is_empty() { " " } else { "" };
            return Some((old.span.clone(), format!("{blank}{written}")));
        }
        let Kind::Mapping { flow, members } = &node.kind else { return None };
        match (flow, members.last()) {
            (true, None) => Some((node.span.start + 1..node.span.start + 1, self.style.member(name, value))),
            (true, Some(last)) => {
                let between = self.between(node.span.start, last.key.start);
                let end = last.value.span.end;
                Some((end..end, format!(",{between}{}", self.style.member(name, value))))
            }
            (false, last) => {
                let indent = " ".repeat(self.column(members.first()?.key.start));
                let lines = match value {
                    // A list is written item by item, so that the next one is one line more.
                    Value::Array(items) if !items.is_empty() => {
                        let items = items
                            .iter()
                            .map(|item| format!("{}{indent}  - {}", self.line_end(), self.style.on_one_line(item)));
                        format!("{indent}{}:{}", self.style.name(name), items.collect::<String>())
                    }
                    _ => format!("{indent}{}", self.style.member(name, value)),
                };
                self.line_after(last?.value.span.end, &lines)
            }
        }
    }

    /// The separator of two items of a flow collection: a line break if the last item begins a line.
    fn between(&self, start: usize, last: usize) -> String {
        let line = self.line_start(last);
        let before = self.text.get(line..last).unwrap_or_default();
        match line > start && before.chars().all(char::is_whitespace) {
            true => format!("{}{before}", self.line_end()),
            false => " ".to_owned(),
        }
    }

    fn line_after(&self, end: usize, lines: &str) -> Written {
        let ended = self.text.get(..end)?;
        // A block text ends where the next line begins.
        let (at, begun) = match ended.ends_with('\n') {
            true => (ended.trim_end().len(), false),
            false => (end, false),
        };
        let rest = self.text.get(at..)?;
        let (at, begun) = match rest.find('\n') {
            Some(next) => (at + next + 1, true),
            None => (self.text.len(), begun),
        };
        let text = match begun {
            true => format!("{lines}{}", self.line_end()),
            false => format!("{}{lines}", self.line_end()),
        };
        Some((at..at, text))
    }

    fn line_start(&self, at: usize) -> usize {
        self.text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
    }

    fn column(&self, at: usize) -> usize {
        self.text.get(self.line_start(at)..at).map_or(0, |before| before.chars().count())
    }

    fn dash_before(&self, item: usize) -> Option<usize> {
        let before = self.text.get(..item)?.trim_end();
        before.ends_with('-').then(|| before.len() - 1)
    }

    fn line_end(&self) -> &'static str {
        let first = self.text.find('\n').and_then(|at| self.text.get(..at));
        if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
    }
}
