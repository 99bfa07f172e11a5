//! The texts of a document that a JSONPath can go on into, each replaced by the value that it holds.

use candor_json::{Map, Value};

use super::segments::{Segments, first};
use super::text::{Text, holds_shut};

/// The parts of a JSONPath that decide which texts it can go on into.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The member with which the path begins, if it reads no other.
    pub(super) first: Option<String>,
    /// False for a path that ends there, or on the document.
    goes_on: bool,
    /// `None` if a filter reads the whole document.
    pub(super) segments: Option<Segments>,
}

impl Reach {
    pub(super) fn of(path: &str) -> Self {
        let rest = path.strip_prefix('$').unwrap_or_default();
        let segments = Segments::of(rest).and_then(|(segments, end)| end.is_empty().then_some(segments));
        let first = first(rest);
        let after = first.map_or(rest, |(_, after)| after);
        Self {
            first: first.filter(|_| segments.is_some()).map(|(name, _)| name.to_owned()),
            goes_on: !after.is_empty(),
            segments,
        }
    }

    /// The document with the texts unpacked that the path can go on into. `None` if the document has no such text.
    pub(super) fn unpacked(&self, document: &Value) -> Option<Unpacked> {
        if !self.goes_on {
            return None;
        }
        let (part, name) = match (&self.first, document) {
            (Some(name), Value::Object(members)) => (members.get(name.as_str())?, Some(name)),
            _ => (document, None),
        };
        let mut texts = 0;
        let value = unpacked(part, &mut texts);
        let has_shut = holds_shut(&value);
        let document = match name {
            Some(name) => Value::Object(Map::from_iter([(name.clone(), value)])),
            None => value,
        };
        (texts > 0 || has_shut).then_some(Unpacked { document, has_shut, is_inside: part.is_string() })
    }

    pub(super) fn goes_into_shut(&self, unpacked: &Unpacked) -> bool {
        unpacked.has_shut && self.segments.as_ref().is_none_or(|segments| segments.go_into_shut(&unpacked.document))
    }
}

pub(super) struct Unpacked {
    pub(super) document: Value,
    /// True if it has text that may hold values and is not unpacked.
    has_shut: bool,
    /// True if everything that the path goes on into is in one text.
    pub(super) is_inside: bool,
}

/// A text within a text remains one. Recursion is bounded by the depth to which documents are read.
fn unpacked(value: &Value, texts: &mut usize) -> Value {
    match value {
        Value::String(text) => match Text::of(text) {
            Text::Json(inner) => {
                *texts += 1;
                inner
            }
            Text::Shut | Text::Plain => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| unpacked(item, texts)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, member)| (name.clone(), unpacked(member, texts))).collect())
        }
        other => other.clone(),
    }
}
