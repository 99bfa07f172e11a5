//! Text that is JSON, for a JSONPath that goes on into it. The path reads a copy of the document, in which each such text
//! is the value that it holds.

use std::borrow::Cow;

use candor_json::{Map, Value};
use serde_json_path::{JsonPath, NormalizedPath};

use super::segments::Segments;
use super::text::{Text, holds_shut};
use super::{Query, plain};

/// The parts of a JSONPath that decide which texts it can go on into.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    /// The member with which the path begins, if it reads no other.
    first: Option<String>,
    /// False for a path that ends there, or on the document.
    goes_on: bool,
    /// `None` if a filter reads the whole document.
    segments: Option<Segments>,
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
    fn unpacked(&self, document: &Value) -> Option<Unpacked> {
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

    fn goes_into_shut(&self, unpacked: &Unpacked) -> bool {
        unpacked.has_shut && self.segments.as_ref().is_none_or(|segments| segments.go_into_shut(&unpacked.document))
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
    /// True if it has text that may hold values and is not unpacked.
    has_shut: bool,
    /// True if everything that the path goes on into is in one text.
    is_inside: bool,
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
        if self.is_open(inner) || self.reach.goes_into_shut(&unpacked) {
            return false;
        }
        if !unpacked.is_inside && self.depends_on_text(document, inner) {
            return false;
        }
        self.select(inner, |value, place| match plain::original(document, place) {
            Some((original, _)) => found(Cow::Borrowed(original), place),
            None => found(Cow::Owned(value.clone()), place),
        });
        true
    }

    /// True if a filter outside of the texts compares one of them as a text, or reads what is in it.
    fn depends_on_text(&self, document: &Value, inner: &Value) -> bool {
        let differs = |path: &JsonPath, other: &Value| {
            self.is_open(document) || places(path, document, document) != places(path, inner, other)
        };
        match &self.reach.segments {
            Some(segments) => segments.filters().any(|path| path.is_none_or(|path| differs(&path, document))),
            None => differs(&self.path, inner),
        }
    }
}

/// The places that a path selects in a document, of those that another one has.
fn places(path: &JsonPath, document: &Value, other: &Value) -> Vec<String> {
    let mut places = Vec::new();
    plain::select(path, document, false, |_, place| {
        if plain::original(other, place).is_some() {
            places.push(place.to_string());
        }
    });
    places
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
        assert_eq!(selected("$.claims[?@.id==1].detail.st", &row), some(&["\"denied\""]));
        assert_eq!(selected("$.claims[?@.id==2].detail.st", &row), some(&[]));
        assert_eq!(selected("$.claims[?@.id==1].detail[?@=='denied']", &row), some(&["\"denied\""]));
        assert_eq!(selected("$.claims[?@.detail.st].detail[?@=='denied']", &row), None);
        assert_eq!(selected("$.claims[?@.id==$.claims[0].id].id", &row), some(&["1"]));
        assert_eq!(selected("$.claims[?@.id==$.claims[0].id].detail.st", &row), None);
    }

    #[test]
    fn text_that_is_not_read_is_open_where_the_path_goes_on_into_it() {
        let twice = r#"{"n": 1, "raw": "{\"st\": 1}", "list": [{"n": 2, "raw": "[{\"st\": 1}]"}]}"#;
        let row = json!({"cut": r#"[{"st": "paid"}, {"st": "de"#, "twice": twice, "rows": [{"id": 1, "cut": "[{"}]});
        for path in [
            "$.cut[0].st",
            "$.cut[?@.st=='void']",
            "$['cut'][*]",
            "$..st",
            "$.*.st",
            "$.rows[*].cut[0]",
            "$.rows[?@.cut[0]].id",
            "$.rows[?@.id==1].cut.st",
            "$.rows[?!(@.id==1 || @.cut[?@.st=='x'])].id",
            "$.twice.raw.st",
            "$.twice.list[?@.raw[0].st==1].n",
            "$.twice.list[?@..st].n",
            "$.cut[?@.st==$.id]",
        ] {
            assert_eq!(selected(path, &row), None, "{path}");
        }
        for (path, found) in [
            ("$.rows[0].id", "1"),
            ("$.rows[?@.id==1].id", "1"),
            ("$.rows[?@.cut].id", "1"),
            ("$.twice.n", "1"),
            ("$.twice.list[0].n", "2"),
            ("$.twice.list[?@.n==2].n", "2"),
            ("$.twice['raw']", r#""{\"st\": 1}""#),
            ("$.rows[*].cut", "\"[{\""),
        ] {
            assert_eq!(selected(path, &row), some(&[found]), "{path}");
        }
        assert_eq!(selected("$.rows[?@.id==2].cut[0]", &row), some(&[]));
    }

    #[test]
    fn dotted_paths_leave_the_same_open() {
        let row = json!({"cut": r#"[{"st": "paid"}, {"st": "de"#, "twice": r#"{"n": 1, "raw": "[1]"}"#, "note": "[x]"});
        for (path, is_open) in
            [("cut.0.st", true), ("twice.raw.0", true), ("cut", false), ("twice.n", false), ("note.0", false)]
        {
            let path_read = DottedPath::parse(path).unwrap();
            assert_eq!(path_read.select_into_text(&row).open, is_open, "{path}");
            assert_eq!(path_read.items(&row, "", true).open, is_open || path == "cut", "{path}");
        }
    }

    #[test]
    fn the_first_name_is_found() {
        let first = |path: &str| Reach::of(path).first;
        for path in ["$.a[0]", "$['a'].b", "$[\"a\"]", "$.a", "$.a[?@.x=='y']", "$.a[?@.x=='$5']"] {
            assert_eq!(first(path).as_deref(), Some("a"), "{path}");
        }
        for path in ["$", "$.*", "$..a", "$[*]", "$[0]", "$['a','b']", "$['\\'']", "$.a[?@.x==$.b]"] {
            assert_eq!(first(path), None, "{path}");
        }
    }
}
