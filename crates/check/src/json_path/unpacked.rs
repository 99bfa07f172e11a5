//! Text that is JSON, for a JSONPath that goes on into it. The path reads a copy of the document, in which each such text
//! is the value that it holds.

use std::borrow::Cow;

use candor_json::{Map, Value};
use serde_json_path::NormalizedPath;

use super::items::is_json;
use super::{Query, plain};
use crate::strict_json::{self, FlawKind};

/// The parts of a JSONPath that decide which texts it can go on into.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The member with which the path begins, if it reads no other.
    first: Option<String>,
    /// False for a path that ends there, or on the document.
    goes_on: bool,
    has_filter: bool,
}

impl Reach {
    pub(super) fn of(path: &str) -> Self {
        let rest = path.strip_prefix('$').unwrap_or_default();
        let first = first(rest);
        let after = first.map_or(rest, |(_, after)| after);
        Self {
            first: first.filter(|_| !after.contains('$')).map(|(name, _)| name.to_owned()),
            goes_on: !after.is_empty(),
            has_filter: rest.contains('?'),
        }
    }

    /// The document with the texts unpacked that the path can go on into. `None` if the document has no such text.
    fn unpacked(&self, document: &Value) -> Option<Unpacked> {
        if !self.goes_on {
            return None;
        }
        let mut unpacked = Unpacked { document: Value::Null, texts: 0, is_open: false, is_inside: false };
        let (part, name) = match (&self.first, document) {
            (Some(name), Value::Object(members)) => (members.get(name.as_str())?, Some(name)),
            _ => (document, None),
        };
        let value = unpacked.value(part);
        unpacked.document = match name {
            Some(name) => Value::Object(Map::from_iter([(name.clone(), value)])),
            None => value,
        };
        unpacked.is_inside = part.is_string();
        (unpacked.texts > 0 || unpacked.is_open).then_some(unpacked)
    }
}

/// The first name of the segments of a path, and the segments after it.
fn first(segments: &str) -> Option<(&str, &str)> {
    if let Some(rest) = segments.strip_prefix('.') {
        let end = rest.find(|c: char| matches!(c, '.' | '[') || c.is_whitespace()).unwrap_or(rest.len());
        return rest.split_at_checked(end).filter(|(name, _)| !name.is_empty() && *name != "*");
    }
    let rest = segments.strip_prefix('[')?;
    let quote = if rest.starts_with('\'') { '\'' } else { '"' };
    let (name, rest) = rest.strip_prefix(quote)?.split_once(quote)?;
    let rest = rest.strip_prefix(']')?;
    (!name.contains('\\')).then_some((name, rest))
}

struct Unpacked {
    document: Value,
    texts: usize,
    /// True if a text can be read in two ways.
    is_open: bool,
    /// True if everything that the path goes on into is in one text.
    is_inside: bool,
}

impl Unpacked {
    /// A text within a text remains one. Recursion is bounded by the depth to which documents are read.
    fn value(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) if is_json(text) => self.text(text).unwrap_or_else(|| value.clone()),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(name, member)| (name.clone(), self.value(member))).collect())
            }
            other => other.clone(),
        }
    }

    fn text(&mut self, text: &str) -> Option<Value> {
        match strict_json::check(text) {
            Ok(()) => {
                self.texts += 1;
                candor_json::from_str(text).ok()
            }
            Err(flaw) => {
                self.is_open |= flaw.kind != FlawKind::NotJson;
                None
            }
        }
    }
}

impl Query {
    /// Hands over each value that the path selects, also in text that is a JSON object or array. A value in such a text
    /// is owned. Returns `false`, and hands over nothing, if it is not decided what the path selects.
    pub(super) fn select_into_text<'a>(
        &self,
        document: &'a Value,
        mut found: impl FnMut(Cow<'a, Value>, &NormalizedPath<'_>),
    ) -> bool {
        let Some(unpacked) = self.reach.unpacked(document) else {
            let is_decided = !self.is_open(document);
            if is_decided {
                self.select(document, |value, place| found(Cow::Borrowed(value), place));
            }
            return is_decided;
        };
        let inner = &unpacked.document;
        if unpacked.is_open || self.is_open(inner) {
            return false;
        }
        // A filter outside of the texts may compare one of them as a text, or read what is in it.
        let is_mixed = self.reach.has_filter && !unpacked.is_inside;
        if is_mixed && (self.is_open(document) || self.places(document) != self.places(inner)) {
            return false;
        }
        self.select(inner, |value, place| match plain::original(document, place) {
            Some((original, _)) => found(Cow::Borrowed(original), place),
            None => found(Cow::Owned(value.clone()), place),
        });
        true
    }

    fn places(&self, document: &Value) -> Vec<String> {
        let mut places = Vec::new();
        self.select(document, |_, place| places.push(place.to_string()));
        places
    }
}

#[cfg(test)]
mod tests {
    use candor_json::json;

    use super::*;
    use crate::field::FieldPath as _;
    use crate::json_path::DottedPath;

    fn selected(path: &str, document: &Value) -> Option<Vec<String>> {
        let path = DottedPath::parse(path).unwrap();
        let selection = path.select_into_text(document);
        let items = path.items(document, "", true);
        assert!(!selection.open || items.open);
        let texts = selection.values.iter().map(|found| found.datum.to_value().to_string()).collect();
        (!selection.open).then_some(texts)
    }

    fn some(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn a_path_goes_on_into_text() {
        let row = json!({"id": 1, "lines": r#"[{"n": 1.10, "st": "paid"}, {"n": 2, "st": "denied"}]"#, "note": "[x]"});
        for path in ["$.lines[?@.st=='denied'].n", "$['lines'][1].n", "$.lines[-1].n", "$[\"lines\"][?@.n > 1.5].n"] {
            assert_eq!(selected(path, &row), some(&["2"]), "{path}");
        }
        assert_eq!(selected("$.lines[*].n", &row), some(&["1.10", "2"]));
        assert_eq!(selected("$..n", &row), some(&["1.10", "2"]));
        assert_eq!(selected("$.lines[?@.st=='void']", &row), some(&[]));
        assert_eq!(selected("$.id", &row), some(&["1"]));
        assert_eq!(selected("$.note[0]", &row), some(&[]));
        assert_eq!(selected("$.none[0]", &row), some(&[]));
        // A path that ends on the text selects the text.
        assert_eq!(selected("$.note", &row), some(&["\"[x]\""]));
        assert_eq!(selected("$.lines", &row).unwrap().first().unwrap().chars().next(), Some('"'));
    }

    #[test]
    fn text_that_can_be_read_in_two_ways_is_open_where_it_is_in_the_way() {
        let row = json!({"lines": r#"[{"st": "denied", "st": "paid"}]"#, "status": "open"});
        assert_eq!(selected("$.lines[?@.st=='denied']", &row), None);
        assert_eq!(selected("$..st", &row), None);
        assert_eq!(selected("$.status", &row), some(&["\"open\""]));
    }

    #[test]
    fn a_filter_outside_of_the_text_that_depends_on_it_is_open() {
        let row = json!({"claims": [{"id": 1, "detail": r#"{"st": "denied"}"#}, {"id": 2, "detail": "{}"}]});
        assert_eq!(selected("$.claims[?@.detail.st=='denied'].id", &row), None);
        assert_eq!(selected("$.claims[?@.detail=='{}'].id", &row), None);
        assert_eq!(selected("$.claims[?@.id==2].id", &row), some(&["2"]));
        assert_eq!(selected("$.claims[*].detail.st", &row), some(&["\"denied\""]));
    }

    #[test]
    fn the_first_name_is_found() {
        let first = |path: &str| Reach::of(path).first;
        for path in ["$.a[0]", "$['a'].b", "$[\"a\"]", "$.a", "$.a[?@.x=='y']"] {
            assert_eq!(first(path).as_deref(), Some("a"), "{path}");
        }
        for path in ["$", "$.*", "$..a", "$[*]", "$[0]", "$['a','b']", "$['\\'']", "$.a[?@.x==$.b]"] {
            assert_eq!(first(path), None, "{path}");
        }
    }
}
