//! Words of a portal that mean the same as a word of the assertion.

use std::borrow::Cow;

use candor_check::compare::{CompareAs, Comparison, Datum, MatchMode, References, Rule, equal};
use candor_check::field::{Expected, Field, FieldPath as _, FieldResult, Found, ReadFrom, Selection};
use candor_json::{Map, Value};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::path::ColumnPath;

/// The member `synonyms`: words, each with the values that also represent it. They widen the values that the assertion
/// expects, in that direction only: `Certified` meets `approved`, but only `Certified` meets `Certified`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Synonyms(Vec<(String, Vec<Value>)>);

impl<'de> Deserialize<'de> for Synonyms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::validated(Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Synonyms {
    fn validated(members: Map<String, Value>) -> Result<Self, String> {
        let mut words: Vec<(String, Vec<Value>)> = Vec::new();
        for (word, others) in members {
            let Value::Array(others) = others else {
                return Err(format!("the synonyms of `{word}` are {others}; expected an array, as in [\"Certified\"]"));
            };
            if word.is_empty() || others.is_empty() {
                return Err(format!("`{word}` has no usable synonyms; name a word and the values that represent it"));
            }
            for other in &others {
                if !other.is_string() && !other.is_number() && !other.is_boolean() {
                    return Err(format!(
                        "`{word}`: {other} is not a synonym; expected text, a number or a truth value"
                    ));
                }
                let listed = words.iter().find(|(_, known)| known.contains(other));
                if let Some((elsewhere, _)) = listed {
                    return Err(format!("{other} represents `{elsewhere}` and `{word}`; it can mean only one of them"));
                }
            }
            words.push((word, others));
        }
        let is_word = |other: &Value| words.iter().any(|(word, _)| other.as_str() == Some(word));
        if let Some(both) = words.iter().flat_map(|(_, others)| others).find(|other| is_word(other)) {
            return Err(format!("{both} has synonyms, and is listed as one; it can be only one of both"));
        }
        Ok(Self(words))
    }

    pub(crate) fn of<'a>(&'a self, expected: &'a Value, rules: &'a [Rule]) -> impl Iterator<Item = &'a Value> {
        let means = move |word: &String| {
            expected.is_string() && holds(&Datum::Text(Cow::Borrowed(word.as_str())), expected, rules)
        };
        self.0.iter().filter(move |(word, _)| means(word)).flat_map(|(_, others)| others)
    }

    pub(crate) fn equal(&self, datum: &Datum<'_>, expected: &Value, rules: &[Rule]) -> bool {
        holds(datum, expected, rules) || self.stands_for(datum, expected, rules)
    }

    pub(crate) fn stands_for(&self, datum: &Datum<'_>, expected: &Value, rules: &[Rule]) -> bool {
        self.of(expected, rules).any(|other| holds(datum, other, rules))
    }

    /// Judges a field: a value that represents an expected one is taken for it. The result shows what really is there,
    /// and names the synonyms where they decided.
    pub(crate) fn evaluate(
        &self,
        field: &Field<ColumnPath>,
        selection: Selection<'_>,
        reading: ReadFrom<'_>,
    ) -> FieldResult {
        let plainly_read = matches!(field.read_as, None | Some(CompareAs::String));
        let expected: Vec<&Value> =
            texts(&field.expected).filter(|text| self.of(text, &field.rules).next().is_some()).collect();
        if expected.is_empty() || !plainly_read {
            return field.evaluate(selection, reading);
        }
        let plain = field.evaluate(selection.clone(), reading);
        let judged = |rules: &[Rule]| {
            let meant = |datum: &Datum<'_>| {
                expected.iter().find(|text| self.stands_for(datum, text, rules)).map(|text| (*text).clone())
            };
            let values = selection.values.iter().cloned();
            let values = values.map(|found| Found { datum: taken(found.datum, &meant), ..found }).collect();
            field.evaluate(Selection { values, ..selection }, reading)
        };
        let outcome = |result: &FieldResult| (result.passed, result.reason);
        let result = judged(&field.rules);
        if outcome(&result) == outcome(&plain) {
            return plain;
        }
        // The rules without any of which it would have been no synonym.
        let mut needed = field.rules.clone();
        for rule in &field.rules {
            let without: Vec<Rule> = needed.iter().copied().filter(|kept| kept != rule).collect();
            if outcome(&judged(&without)) == outcome(&result) {
                needed = without;
            }
        }
        let rules = [vec![Rule::Synonyms], needed].concat();
        FieldResult { rules, actual: plain.actual, ..result }
    }
}

fn holds(datum: &Datum<'_>, expected: &Value, rules: &[Rule]) -> bool {
    let references = References::default();
    equal(datum, expected, &MatchMode::new(rules, ColumnPath::DATES, &references)) == Comparison::Holds
}

/// The texts that a value may be expected to be, or not to be.
fn texts(expected: &Expected) -> impl Iterator<Item = &Value> {
    let all: &[Value] = match expected {
        Expected::Equals(Value::Array(items)) | Expected::NotEquals(Value::Array(items)) => items,
        Expected::Equals(value) | Expected::NotEquals(value) => std::slice::from_ref(value),
        Expected::In(items) | Expected::NotIn(items) => items,
        _ => &[],
    };
    all.iter().filter(|value| value.is_string())
}

fn taken<'a>(datum: Datum<'a>, meant: &impl Fn(&Datum<'_>) -> Option<Value>) -> Datum<'a> {
    if let Some(word) = meant(&datum) {
        return match (datum, word) {
            (Datum::Text(_), Value::String(word)) => Datum::Text(Cow::Owned(word)),
            (_, word) => Datum::Json(Cow::Owned(word)),
        };
    }
    let Datum::Json(value) = &datum else { return datum };
    let Value::Array(items) = value.as_ref() else { return datum };
    let element = |item: &Value| meant(&Datum::Json(Cow::Borrowed(item))).unwrap_or_else(|| item.clone());
    Datum::Json(Cow::Owned(items.iter().map(element).collect()))
}
