//! Control numbers against what they are of: whole numbers and exact decimals, never through floating point.

use std::borrow::Cow;

use candor_check::compare::Datum;
use candor_check::field::{FieldReason, FieldResult, Selection};
use candor_check::records::{Bytes, Reading};
use candor_json::{Value, json};
use num_rational::BigRational;
use serde::{Deserialize, Serialize};

use super::control::{Control, ControlPlace, Number};
use super::decimals::{decimal, shown_exactly};
use super::digests::{Algorithm, Sums};
use crate::content::{self, Content, ContentPath, Malformed, Shape};
use crate::format::Format;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeenControl {
    pub(crate) path: Option<String>,
    pub(crate) content: Option<Bytes>,
    /// The digests of the file that the numbers are of, where one is asserted.
    pub(crate) sums: Sums,
}

impl SeenControl {
    /// How many bytes of content it holds.
    pub(crate) fn held(&self) -> u64 {
        self.content.as_ref().map_or(0, |content| content.0.len() as u64)
    }
}

/// Parses a file of control numbers.
///
/// # Errors
/// The first place that is not in its format.
pub(crate) fn read_sidecar(bytes: &[u8], format: Format, shape: &Shape) -> Result<(), Malformed> {
    content::read(bytes, format, shape, |_| ())
}

/// A result for every control number. `content` is the content that they describe, `None` if only a hash is asserted;
/// `trailer` is its last line, if the numbers are there.
pub(crate) fn control_results(
    control: &Control,
    content: Option<&Content<'_>>,
    trailer: Option<&str>,
    seen: Option<&SeenControl>,
    shape: &Shape,
) -> Vec<FieldResult> {
    let sums = seen.map(|seen| &seen.sums);
    let results = |told: &Content<'_>| results(control, told, content, sums);
    match (&control.place, content) {
        (ControlPlace::Content, Some(content)) => results(content),
        (ControlPlace::Trailer, Some(content)) => {
            let line = trailer.unwrap_or_default();
            let (format, shape) = match content {
                Content::Rows(_) => (Format::Csv, Shape { header: false, ..shape.clone() }),
                _ => (Format::Json, shape.clone()),
            };
            match content::parse(line, format, &shape).map(Reading::uncut) {
                Ok(Ok(told)) => results(&told),
                _ => results(&Content::Bytes),
            }
        }
        (ControlPlace::Sidecar { file, format, shape }, _) => {
            let bytes = seen.and_then(|seen| seen.content.as_ref()).map(|content| &*content.0);
            match bytes.map(|bytes| content::read(bytes, *format, shape, results)) {
                Some(Ok(results)) => results,
                _ => vec![FieldResult::constraint("$control", json!(file.as_str()), Value::Null, false)],
            }
        }
        (_, None) => results(&Content::Bytes),
    }
}

fn results(
    control: &Control,
    told: &Content<'_>,
    content: Option<&Content<'_>>,
    sums: Option<&Sums>,
) -> Vec<FieldResult> {
    let mut results = Vec::new();
    if let Some(number) = &control.records {
        let counted = content.and_then(|content| match &number.of {
            None => content.records(),
            Some(of) => selected(content, of).map(|values| values.len() as u64),
        });
        // A name that selects nothing counts nothing: it is not 0.
        let unknown = match (&number.of, content) {
            (Some(_), Some(_)) => FieldReason::Absent,
            _ => FieldReason::Undecidable,
        };
        let actual = counted.map(|count| BigRational::from_integer(count.into())).ok_or(unknown);
        results.push(compared("$control.records", told, number, actual));
    }
    if let Some(number) = &control.total
        && let Some(of) = &number.of
    {
        let sum = content.map_or(Err(FieldReason::Undecidable), |content| sum(content, of));
        results.push(compared("$control.total", told, number, sum));
    }
    if let Some(number) = &control.hash {
        let digest = single(values(told, &number.at))
            .and_then(|value| value.as_str().map(|text| text.trim().to_ascii_lowercase()));
        let algorithm = digest.as_deref().and_then(Algorithm::of_digest).unwrap_or(Algorithm::Sha256);
        let actual = sums.and_then(|sums| sums.get(algorithm));
        let agrees = digest.is_some() && digest.as_ref() == actual;
        let result = FieldResult::constraint("$control.hash", json!(digest), json!(actual), agrees);
        results.push(if digest.is_none() { result.because(FieldReason::Absent) } else { result });
    }
    results
}

fn compared(path: &str, told: &Content<'_>, number: &Number, actual: Result<BigRational, FieldReason>) -> FieldResult {
    let told = values(told, &number.at);
    let absent = told.is_empty();
    let told = single(told);
    let shown = told.clone().map_or(Value::Null, |value| value.into_owned());
    let expected = told.as_deref().and_then(decimal);
    let (value, reason) = match actual {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason)),
    };
    let agrees = value.is_some() && value == expected;
    let actual = value.as_ref().map_or(Value::Null, shown_exactly);
    let result = FieldResult::constraint(path, shown, actual, agrees);
    match (reason, expected) {
        (Some(reason), _) => result.because(reason),
        (None, None) if absent => result.because(FieldReason::Absent),
        (None, None) => result.because(FieldReason::TypeMismatch),
        _ => result,
    }
}

fn sum(content: &Content<'_>, of: &ContentPath) -> Result<BigRational, FieldReason> {
    let values = selected(content, of).ok_or(FieldReason::Absent)?;
    let numbers = values.iter().map(|value| decimal(value).ok_or(FieldReason::TypeMismatch));
    numbers.sum::<Result<BigRational, _>>()
}

/// The values that a path selects, to be counted or added up. Selecting nothing is a result only where there is
/// nothing: no record, or an array without elements.
fn selected<'a>(content: &'a Content<'_>, path: &'a ContentPath) -> Option<Vec<Cow<'a, Value>>> {
    let is_empty = || matches!(content, Content::Json(value) if path.ends_in_an_empty_array(value));
    let is_there = content.records() == Some(0) || !content.select(path).values.is_empty() || is_empty();
    is_there.then(|| values(content, path))
}

/// The values that a path selects. An array at the end of a dotted path is replaced by its elements.
fn values<'a>(content: &'a Content<'_>, path: &'a ContentPath) -> Vec<Cow<'a, Value>> {
    let Selection { values, expands, .. } = content.select(path);
    let mut all = Vec::new();
    for found in values {
        match found.datum {
            Datum::Text(text) => all.push(Cow::Owned(Value::String(text.into_owned()))),
            Datum::Json(value) => match value {
                Cow::Borrowed(Value::Array(items)) if expands => all.extend(items.iter().map(Cow::Borrowed)),
                Cow::Owned(Value::Array(items)) if expands => all.extend(items.into_iter().map(Cow::Owned)),
                value => all.push(value),
            },
        }
    }
    all
}

fn single<'a>(mut values: Vec<Cow<'a, Value>>) -> Option<Cow<'a, Value>> {
    if values.len() == 1 { values.pop() } else { None }
}
