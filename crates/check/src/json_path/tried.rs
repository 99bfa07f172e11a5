//! The values that a path selects in a JSON document.

use std::borrow::Cow;

use candor_json::Value;

use super::DottedPath;
use super::items::joined;
use crate::compare::Datum;
use crate::field::{FieldPath as _, PathProblem};
use crate::settings::nearest;
use crate::strict_json;
use crate::tried::{Selected, Tried};

/// Tries a dotted path or a JSONPath on a file: one document, or one on each line of `.ndjson` and `.jsonl`.
///
/// # Errors
/// A text that is not a path, with the place.
pub fn path(text: &str, file: &str, bytes: &[u8]) -> Result<Vec<Tried>, PathProblem> {
    let path = DottedPath::parse(text)?;
    let Ok(content) = std::str::from_utf8(bytes) else { return Ok(vec![Tried::unread(file, "", "it is not UTF-8")]) };
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    if file.ends_with(".ndjson") || file.ends_with(".jsonl") {
        let lines = content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        return Ok(lines.map(|(at, line)| of(&path, text, line, file, format!("line {}", at + 1))).collect());
    }
    Ok(vec![of(&path, text, content, file, String::new())])
}

fn of(path: &DottedPath, written: &str, content: &str, file: &str, record: String) -> Tried {
    if let Err(flaw) = strict_json::check(content) {
        return Tried::unread(file, record, format!("byte {}: {}", flaw.offset, flaw.what));
    }
    let document: Value = match candor_json::from_str(content) {
        Ok(document) => document,
        Err(error) => return Tried::unread(file, record, error.to_string()),
    };
    let selection = path.select(&document);
    if selection.open {
        let why = match path.is_too_much(&document) {
            true => "the path may visit more values than Candor reads",
            false => {
                "the filter of the path compares what Candor does not decide: a number that a 64-bit float does not hold, or an index from the end"
            }
        };
        return Tried::unread(file, record, why);
    }
    let selected = selection.values.iter().map(|found| {
        let (place, value) = match &found.datum {
            Datum::Json(Cow::Borrowed(value)) => (place_of(&document, value), (*value).clone()),
            Datum::Json(Cow::Owned(value)) => (None, value.clone()),
            Datum::Text(text) => (None, Value::from(text.as_ref())),
        };
        let kind = match &value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        Selected { kind: Some(kind.to_owned()), ..Selected::new(place.unwrap_or_default(), value) }
    });
    Tried::new(file, record).with(selected.collect(), || why(written, &document))
}

fn place_of(document: &Value, value: &Value) -> Option<String> {
    let mut open = vec![(String::new(), document)];
    while let Some((place, one)) = open.pop() {
        if std::ptr::eq(one, value) {
            return Some(place);
        }
        match one {
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (joined(&place, &at.to_string()), item)));
            }
            Value::Object(members) => open.extend(members.iter().map(|(name, item)| (joined(&place, name), item))),
            _ => {}
        }
    }
    None
}

/// The longest beginning of a dotted path that selects something, and what is there.
fn why(written: &str, document: &Value) -> String {
    if written.starts_with('$') {
        return "the JSONPath selects nothing in this document".to_owned();
    }
    let names: Vec<&str> = written.split('.').collect();
    for end in (0..names.len()).rev() {
        let (beginning, next) = names.split_at(end);
        let (beginning, next) = (beginning.join("."), next.first().copied().unwrap_or_default());
        let found: Vec<Value> = match end {
            0 => vec![document.clone()],
            _ => DottedPath::parse(&beginning).map_or_else(|_| Vec::new(), |path| values(&path, document)),
        };
        let Some(first) = found.first() else { continue };
        let first = match first {
            Value::Array(items) => items.first().unwrap_or(first),
            other => other,
        };
        let there = if beginning.is_empty() { "the document".to_owned() } else { format!("`{beginning}`") };
        return match first {
            Value::Object(members) => {
                let members: Vec<&str> = members.keys().map(String::as_str).collect();
                match nearest(next, &members) {
                    Some(near) => format!("{there} has no `{next}`; did you mean `{near}`?"),
                    None => format!("{there} has no `{next}`; it has {}", members.join(", ")),
                }
            }
            other => format!("{there} is {other}, in which there is no `{next}`"),
        };
    }
    "the path selects nothing".to_owned()
}

fn values(path: &DottedPath, document: &Value) -> Vec<Value> {
    let found = path.select(document).values.into_iter().map(|found| found.datum);
    let json = found.filter_map(|datum| match datum {
        Datum::Json(value) => Some(value.into_owned()),
        Datum::Text(_) => None,
    });
    json.collect()
}
