//! Objects of task and benchmark files: known members taken one by one, unknown ones named with the nearest known key.

use candor_check::settings::nearest;
use candor_json::{Map, Value};

use crate::document::{Document, FileError};

pub(crate) struct Members<'a> {
    document: &'a Document,
    steps: Vec<String>,
    members: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// The object at a place. Every key must be among `known`.
    pub(crate) fn of(
        document: &'a Document,
        steps: &[&str],
        value: &'a Value,
        what: &str,
        known: &[&str],
        errors: &mut Vec<FileError>,
    ) -> Option<Self> {
        let Some(members) = value.as_object() else {
            errors.push(document.error(steps, format!("{what} is {}; expected an object", kind(value))));
            return None;
        };
        let this = Self { document, steps: steps.iter().map(|&s| s.to_owned()).collect(), members };
        for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
            let expected = match nearest(name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("expected one of {}", known.join(", ")),
            };
            errors.push(this.error(name, format!("unknown key `{name}` in {what}; {expected}")));
        }
        Some(this)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// An error at a member; at the object itself where there is no such member.
    pub(crate) fn error(&self, name: &str, message: impl Into<String>) -> FileError {
        let mut steps: Vec<&str> = self.steps.iter().map(String::as_str).collect();
        if !name.is_empty() {
            steps.push(name);
        }
        self.document.error(&steps, message)
    }

    /// A member that must be there and be a string that is not empty.
    pub(crate) fn required_text(&self, name: &str, what: &str, errors: &mut Vec<FileError>) -> Option<String> {
        match self.get(name) {
            None => errors.push(self.error("", format!("{what} has no `{name}`"))),
            Some(Value::String(text)) if !text.is_empty() => return Some(text.clone()),
            Some(other) => errors.push(self.error(name, format!("`{name}` is {}; expected a text", kind(other)))),
        }
        None
    }

    pub(crate) fn text(&self, name: &str, errors: &mut Vec<FileError>) -> Option<String> {
        match self.get(name)? {
            Value::String(text) => Some(text.clone()),
            other => {
                errors.push(self.error(name, format!("`{name}` is {}; expected a text", kind(other))));
                None
            }
        }
    }

    pub(crate) fn flag(&self, name: &str, default: bool, errors: &mut Vec<FileError>) -> bool {
        match self.get(name) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                errors.push(self.error(name, format!("`{name}` is {}; expected true or false", kind(other))));
                default
            }
        }
    }
}

pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        other => other.to_string(),
    }
}
