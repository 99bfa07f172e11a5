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
    pub(super) compares_numbers: bool,
    /// A number that an `f64` does not hold.
    pub(super) has_inexact: bool,
    /// An index from the end in a filter: the library takes it as nothing in a comparison.
    pub(super) is_misread: bool,
    /// A slice, which can select backwards.
    pub(super) has_slice: bool,
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
    /// `compared`: the members whose values it compares, or all values.
    pub(super) fn is_inexact(self, document: &Value, compared: Option<&[&str]>) -> bool {
        self.is_misread || (self.compares_numbers && (self.has_inexact || has_inexact(document, compared)))
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

/// `among`: the members in which numbers matter; without it, all numbers do.
fn has_inexact(value: &Value, among: Option<&[&str]>) -> bool {
    match value {
        Value::Number(number) => among.is_none() && !is_exact(number.as_str()),
        Value::Array(items) => items.iter().any(|item| has_inexact(item, among)),
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| has_inexact(member, among.filter(|names| !names.contains(&name.as_str())))),
        _ => false,
    }
}

/// True if an `f64` holds the number: it is written with the same value, however many zeros there are.
fn is_exact(number: &str) -> bool {
    let is_same = |value: f64| value.is_finite() && Decimal::json(&format!("{value:e}")) == Decimal::json(number);
    number.parse::<f64>().is_ok_and(is_same)
}
