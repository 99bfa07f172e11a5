//! JSONPath over documents with exact numbers. The library reads values of `serde_json`, and compares their numbers as
//! `f64`. It gets a copy of the document, and the places that it selects in the copy are looked up in the document.
//!
//! An evaluator of our own would read exact numbers without a copy, and be about 4,000 lines, as the library is. This
//! file is 130 and no less exact: each value has the digits of the document. A filter that would compare a number which
//! an `f64` does not hold decides nothing.

use candor_json::Value;
use serde_json::{Number, Value as Plain};
use serde_json_path::{JsonPath, NormalizedPath, PathElement};

use super::cost::after_text;
use crate::compare::Decimal;

/// The parts of a JSONPath that a copy with plain numbers can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// A comparison that numbers may decide: with anything but a text, `true` or `false`.
    compares_numbers: bool,
    /// A number that an `f64` does not hold.
    has_inexact: bool,
    /// An index from the end in a filter: the library takes it as nothing in a comparison.
    is_misread: bool,
    /// A slice, which can select backwards.
    has_slice: bool,
}

impl Reading {
    pub(super) fn of(path: &str) -> Self {
        let mut reading = Self { compares_numbers: false, has_inexact: false, is_misread: false, has_slice: false };
        let (mut before, mut rest) = ('$', path);
        // The open brackets, and how many of them there are around the outermost filter.
        let (mut open, mut filter) = (0_usize, None);
        while let Some(character) = rest.chars().next() {
            let from = rest;
            rest = &from[character.len_utf8()..];
            match character {
                '\'' | '"' => rest = after_text(rest, character),
                '?' => _ = filter.get_or_insert(open),
                '<' | '>' | '=' | '!' => {
                    rest = from.trim_start_matches(['<', '>', '=', '!']);
                    let is_not = from.len() - rest.len() == 1 && character == '!';
                    let is_by_text = matches!(before, '\'' | '"') || is_plain(rest.trim_start());
                    reading.compares_numbers |= !is_not && !is_by_text;
                }
                '[' => {
                    open += 1;
                    reading.is_misread |= filter.is_some() && rest.trim_start().starts_with('-');
                }
                ']' => {
                    open = open.saturating_sub(1);
                    filter = filter.filter(|around| open >= *around);
                }
                ':' => reading.has_slice = true,
                '0'..='9' if !is_of_name(before) => {
                    let is_behind = |c: char| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-');
                    let end = from.find(is_behind).unwrap_or(from.len());
                    reading.has_inexact |= !is_exact(&from[..end]);
                    rest = &from[end..];
                }
                _ => {}
            }
            if !character.is_whitespace() {
                before = character;
            }
        }
        reading
    }

    /// True if a filter may compare a number with another value than it has, or has a comparison that is misread.
    pub(super) fn is_inexact(self, document: &Value) -> bool {
        self.is_misread || (self.compares_numbers && (self.has_inexact || has_inexact(document)))
    }

    pub(super) fn has_slice(self) -> bool {
        self.has_slice
    }
}

/// True if a comparison with the value that `right` begins with is the same for every number.
fn is_plain(right: &str) -> bool {
    ["'", "\"", "true", "false"].iter().any(|start| right.starts_with(start))
}

pub(super) fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || !character.is_ascii()
}

/// Hands over each value that `path` selects in `document`, with its place. `is_in_order`: in the order of the
/// document, which the path must not change itself; otherwise members of an object are in the order of their names.
pub(super) fn select<'a>(
    path: &JsonPath,
    document: &'a Value,
    is_in_order: bool,
    mut found: impl FnMut(&'a Value, &NormalizedPath<'_>),
) {
    let copy = plain(document);
    let nodes = path.query_located(&copy);
    let originals = nodes.iter().filter_map(|node| {
        let (value, position) = original(document, node.location())?;
        Some((position, value, node.location()))
    });
    let mut originals: Vec<(Vec<usize>, &'a Value, &NormalizedPath<'_>)> = originals.collect();
    if is_in_order {
        originals.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    }
    originals.into_iter().for_each(|(_, value, location)| found(value, location));
}

/// The value at a place, and its position: an index for each step.
pub(super) fn original<'a>(document: &'a Value, location: &NormalizedPath<'_>) -> Option<(&'a Value, Vec<usize>)> {
    let mut position = Vec::with_capacity(location.len());
    let mut value = document;
    for step in location.iter() {
        let index = match step {
            PathElement::Name(name) => value.as_object()?.index_of(*name)?,
            PathElement::Index(index) => *index,
        };
        value = match step {
            PathElement::Name(name) => value.get(*name)?,
            PathElement::Index(index) => value.get(*index)?,
        };
        position.push(index);
    }
    Some((value, position))
}

/// A copy with plain numbers: `null` for a number that is out of the range of an `f64`. Members are sorted by name, so
/// that their order does not depend on the features of `serde_json` in a build. Recursion is bounded by the depth to
/// which documents are read.
fn plain(value: &Value) -> Plain {
    match value {
        Value::Null => Plain::Null,
        Value::Bool(value) => Plain::Bool(*value),
        // The sum turns -0 into 0: `serde_json` with exact numbers, which a build may have, compares them as texts.
        Value::Number(number) => {
            number.as_f64().and_then(|value| Number::from_f64(value + 0.0)).map_or(Plain::Null, Plain::Number)
        }
        Value::String(text) => Plain::String(text.clone()),
        Value::Array(items) => Plain::Array(items.iter().map(plain).collect()),
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            Plain::Object(members.into_iter().map(|(name, value)| (name.clone(), plain(value))).collect())
        }
    }
}

fn has_inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => !is_exact(number.as_str()),
        Value::Array(items) => items.iter().any(has_inexact),
        Value::Object(members) => members.values().any(has_inexact),
        _ => false,
    }
}

/// True if an `f64` holds the number: it is written with the same value, however many zeros there are.
fn is_exact(number: &str) -> bool {
    let is_same = |value: f64| value.is_finite() && Decimal::json(&format!("{value:e}")) == Decimal::json(number);
    number.parse::<f64>().is_ok_and(is_same)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::compare::Datum;
    use crate::field::FieldPath as _;
    use crate::json_path::DottedPath;

    const LONG: &str = "1234567890123456789012345678901234567890";

    fn read(text: &str) -> Value {
        candor_json::from_str(text).unwrap()
    }

    fn selected(path: &str, document: &Value) -> Option<Vec<String>> {
        let path = DottedPath::parse(path).unwrap();
        let selection = path.select(document);
        let items = path.items(document, "", false);
        assert_eq!(selection.open, items.open);
        assert!(selection.values.iter().all(|found| matches!(&found.datum, Datum::Json(Cow::Borrowed(_)))));
        let texts = selection.values.iter().map(|found| found.datum.to_value().to_string()).collect();
        (!selection.open).then_some(texts)
    }

    fn some(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn values_keep_their_digits() {
        let document = read(&format!(r#"{{"a": [{{"n": 1.10}}, {{"n": {LONG}}}, {{"n": 1e400}}]}}"#));
        assert_eq!(selected("$.a[*].n", &document), some(&["1.10", LONG, "1e+400"]));
        assert_eq!(selected("$.a[0].n", &document), some(&["1.10"]));
        assert_eq!(selected("$..n", &document), some(&["1.10", LONG, "1e+400"]));
    }

    #[test]
    fn a_filter_decides_only_by_numbers_that_it_can_hold() {
        let exact = read(r#"[{"n": 1.10, "id": 9007199254740992}, {"n": 2, "id": 3}]"#);
        assert_eq!(selected("$[?@.n == 1.1].n", &exact), some(&["1.10"]));
        assert_eq!(selected("$[?@.n > 1.10].n", &exact), some(&["2"]));
        assert_eq!(selected("$[?@.id == 9007199254740993].n", &exact), None);
        assert_eq!(selected("$[?@.id == 9007199254740992].n", &exact), some(&["1.10"]));
        let zeros = read(r#"[{"a": [0, 1], "b": [-0.0, 1.0], "n": 1}]"#);
        assert_eq!(selected("$[?@.a == @.b].n", &zeros), some(&["1"]));
        for number in [LONG, "9007199254740993", "1e400", "1e-400", "0.1000000000000000055511151231257827"] {
            let inexact = read(&format!(r#"[{{"n": {number}}}, {{"n": 1}}]"#));
            assert_eq!(selected("$[?@.n == 1].n", &inexact), None, "{number}");
            assert_eq!(selected("$[1].n", &inexact), some(&["1"]));
        }
        let texts = read(&format!(r#"[{{"t": "x", "n": {LONG}}}, {{"n": 1}}, {{"t": 1e400, "n": 2}}]"#));
        assert_eq!(selected("$[?@.t == 'x'].n", &texts), some(&[LONG]));
        assert_eq!(selected("$[?@.t != \"x\" && @.t != true].n", &texts), some(&["1", "2"]));
        assert_eq!(selected("$[?@.t].n", &texts), some(&[LONG, "2"]));
        assert_eq!(selected("$[?@.t == null].n", &texts), None);
        assert_eq!(selected("$[?@.t == 'x' && @.n > 1].n", &texts), None);
    }

    #[test]
    fn comparisons_that_the_library_misreads_decide_nothing() {
        let document = read(r#"[{"c": ["x", "y"], "n": 1, "b": false}, {"n": 2}]"#);
        for filter in ["?@.c[-1] == 'y'", "?@.c[ -1 ] != 'y'", "?@.n == 1 && @['c'][-2] == 'x'"] {
            assert_eq!(selected(&format!("$[{filter}].n"), &document), None, "{filter}");
        }
        assert_eq!(selected("$[?@.n == 1].c[-1]", &document), some(&["\"y\""]));
        for filter in ["?@.n<=1", "?@.n > -1 && @.c[1] == 'y'", "?@['c'][0] == 'x'"] {
            assert_eq!(selected(&format!("$[{filter}].n"), &document), some(&["1"]), "{filter}");
        }
    }

    #[test]
    fn members_are_selected_in_their_order() {
        let document = read(r#"{"z": {"b": 1, "a": 2}, "y": {"b": 3, "a": [4, 5]}}"#);
        assert_eq!(selected("$.*.b", &document), some(&["1", "3"]));
        assert_eq!(selected("$.z.*", &document), some(&["1", "2"]));
        assert_eq!(selected("$.z[?@ > 0]", &document), some(&["1", "2"]));
        assert_eq!(selected("$['y', 'z'].b", &document), some(&["3", "1"]));
        assert_eq!(selected("$.y.a[::-1]", &document), some(&["5", "4"]));
    }

    #[test]
    fn numbers_are_found_outside_of_names_and_texts() {
        let of = |compares_numbers, has_inexact, has_slice| Reading {
            compares_numbers,
            has_inexact,
            is_misread: false,
            has_slice,
        };
        assert_eq!(Reading::of("$.a[0]['?:9007199254740993']"), of(false, false, false));
        assert_eq!(Reading::of("$.a9007199254740993[1:2]"), of(false, false, true));
        assert_eq!(Reading::of("$[?@.a1 == -1.5e3 && @.b == '9007199254740993']"), of(true, false, false));
        assert_eq!(Reading::of("$[?@.a<=9007199254740993]"), of(true, true, false));
        for path in ["$[?@.a == 'x' && @.b != \"y\"]", "$[?'x' == @.a || !@.b]", "$[?!(@.a == true)]", "$[?@.a]"] {
            assert_eq!(Reading::of(path), of(false, false, false), "{path}");
        }
        for path in ["$[?@.a == null]", "$[?@.a == @.b]", "$[?@['a'] < @['b']]", "$[?length(@.a) > 1]"] {
            assert_eq!(Reading::of(path), of(true, false, false), "{path}");
        }
    }
}
