//! The fields of a record that the work set, as an author would assert them, and what is left out with the reason.

use std::collections::{BTreeMap, BTreeSet};

use candor_check::draft::{Selection, is_segment_path, is_uuid, without_positions};
use candor_json::{Map, Value, json};

use crate::additions::{Rules, day_of, expectations};
use crate::paths::{growth, spellings};

/// The longest text that is asserted.
const LONGEST: usize = 160;

#[derive(Clone, Debug, Default)]
pub(super) struct Fields {
    pub(super) asserted: Vec<Value>,
    pub(super) left_out: BTreeMap<String, BTreeSet<String>>,
}

impl Fields {
    pub(super) fn leave_out(&mut self, path: &str, why: &str) {
        self.left_out.entry(why.to_owned()).or_default().insert(without_positions(path));
    }
}

pub(super) struct Known<'a> {
    pub(super) fields: &'a [(String, Value)],
    /// Those that the work set, of one that was there before.
    pub(super) changed: Option<&'a BTreeSet<String>>,
    pub(super) gone: &'a [String],
    /// Names and keys of records that came: whoever refers to them refers to an id that was given.
    pub(super) new_names: &'a BTreeSet<String>,
    pub(super) rules: Rules,
}

pub(super) fn fields_of(known: &Known<'_>, selection: &Selection) -> Fields {
    let mut found = Fields::default();
    let mut kept: Vec<(&str, &Value)> = Vec::new();
    let selects = |path: &str| {
        let is_below =
            |by: &String| path.strip_prefix(by.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        selection.by.iter().any(is_below)
    };
    for (path, value) in known.fields {
        if known.changed.is_some_and(|changed| !changed.contains(path)) || selects(path) || is_nothing(value) {
            continue;
        }
        match why_not(known, path, value) {
            Some((path, why)) => found.leave_out(&path, why),
            None => kept.push((path, value)),
        }
    }
    found.asserted = match kept.iter().any(|(path, _)| is_segment_path(path) || path.starts_with('$')) {
        true => kept.iter().map(|(path, value)| field(&better(path, known.fields), path, value)).collect(),
        false => grouped(&kept),
    };
    for path in known.gone {
        // The list or the element that is gone as a whole says it for all below.
        let absent = growth(path, &[], known.fields).into_iter().next();
        if let Some(absent) = absent.filter(|absent| !found.asserted.contains(absent)) {
            found.asserted.push(absent);
        }
    }
    found
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The path that is left out, which may be one above, and why.
fn why_not<'k>(known: &'k Known<'_>, path: &str, value: &Value) -> Option<(String, &'k str)> {
    if let Some(row) = known.rules.made_up.of(path) {
        let path = if row.path.starts_with('*') { path } else { row.path };
        return Some((path.to_owned(), row.why));
    }
    let text = value.as_str()?;
    let of_clock = day_of(text).is_some() && !ends_on_a_minute(text);
    let refers = || known.new_names.contains(text) && (text.contains('/') || path.ends_with("_id"));
    let why = if is_uuid(text) {
        "it is a UUID, which a system makes up"
    } else if refers() {
        "it refers to a record whose id a system gave"
    } else if of_clock {
        "it is a time to the second, as a clock gives it"
    } else if text.chars().count() > LONGEST || text.contains('\n') {
        "it is a long text"
    } else {
        return None;
    };
    Some((path.to_owned(), why))
}

/// True if a time stamp is one that a person would choose: `09:00:00`, `0900`.
fn ends_on_a_minute(stamp: &str) -> bool {
    match stamp.split_once('T') {
        Some((_, time)) => {
            let clock: String = time.chars().take_while(|c| c.is_ascii_digit() || matches!(c, ':' | '.')).collect();
            clock.split(':').nth(2).is_none_or(|seconds| seconds.bytes().all(|byte| matches!(byte, b'0' | b'.')))
        }
        None => stamp.get(12..14).is_none_or(|seconds| seconds == "00"),
    }
}

fn better(path: &str, fields: &[(String, Value)]) -> String {
    spellings(path, fields).into_iter().next().unwrap_or_else(|| path.to_owned())
}

fn field(path: &str, read: &str, value: &Value) -> Value {
    let mut field = Map::new();
    field.insert("path".to_owned(), json!(path));
    // The whole value comes last; a day alone would say less.
    field.extend(expectations(read, value, false).pop().unwrap_or_default());
    Value::Object(field)
}

/// Fields of JSON: items of a list that has several are each asserted as a whole, so that values of two do not mix.
fn grouped(kept: &[(&str, &Value)]) -> Vec<Value> {
    let mut fields = Vec::new();
    let mut done: BTreeSet<String> = BTreeSet::new();
    for (path, value) in kept {
        let Some((list, rest)) = several(path, kept) else {
            fields.push(field(&without_positions(path), path, value));
            continue;
        };
        if rest.is_empty() {
            fields.push(field(&without_positions(&list), path, value));
            continue;
        }
        let item = path.strip_suffix(rest.as_str()).unwrap_or(path).trim_end_matches('.').to_owned();
        if !done.insert(item.clone()) {
            continue;
        }
        let inner: Vec<(&str, &Value)> = kept
            .iter()
            .filter_map(|(path, value)| Some((path.strip_prefix(item.as_str())?.strip_prefix('.')?, *value)))
            .collect();
        fields.push(json!({"item": without_positions(&list), "fields": grouped(&inner)}));
    }
    fields
}

/// The first list on a path that has more than one item, and the path within the item.
fn several(path: &str, kept: &[(&str, &Value)]) -> Option<(String, String)> {
    let steps: Vec<&str> = path.split('.').collect();
    let is_number = |step: &&str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    steps.iter().enumerate().filter(|(at, step)| *at > 0 && is_number(step)).find_map(|(at, own)| {
        let list = steps.get(..at)?.join(".");
        let other = |(path, _): &(&str, &Value)| {
            let rest = path.strip_prefix(list.as_str()).and_then(|rest| rest.strip_prefix('.'));
            rest.and_then(|rest| rest.split('.').next()).is_some_and(|step| step != *own && is_number(&step))
        };
        kept.iter().any(other).then(|| (list, steps.get(at + 1..).unwrap_or_default().join(".")))
    })
}
