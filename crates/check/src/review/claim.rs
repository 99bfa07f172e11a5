//! The claim of one field, without the grammar of its path, so that two of them can be compared.

use std::borrow::Cow;
use std::convert::Infallible;

use candor_json::Value;

use crate::compare::{Date, DateForm, Datum, Precision, References};
use crate::field::{Expected, Field, FieldPath, FieldReason, Found, Quantifier, ReadFrom, Selection};

/// The assertion of a field about the values at its path.
///
/// ```
/// use candor_check::field::Field;
/// use candor_check::json_path::DottedPath;
/// use candor_check::review::Claim;
/// let claim = |text| Claim::of(&candor_json::from_str::<Field<DottedPath>>(text).unwrap(), "", true);
/// let submitted = claim(r#"{"path": "status", "expected": "submitted"}"#);
/// assert!(submitted.excludes(&claim(r#"{"path": "status", "expected": "draft"}"#)));
/// ```
#[derive(Clone, Debug)]
pub struct Claim {
    /// The path as the author wrote it.
    pub path: String,
    /// Its place in the assertion: `fields[0]`.
    pub place: String,
    /// True if the path selects at most one value.
    pub single: bool,
    field: Field<()>,
}

impl Claim {
    /// The claim of a field; `single` if its path selects at most one value.
    #[must_use]
    pub fn of<P>(field: &Field<P>, place: impl Into<String>, single: bool) -> Self {
        let Ok(field) = field.with_path(|_| Ok::<(), Infallible>(()));
        Self { path: field.path_text.clone(), place: place.into(), single, field }
    }

    /// A claim that the value at a path is one of these: what a selection says before any field does.
    #[must_use]
    pub fn one_of<P: FieldPath>(
        path: &str,
        values: Vec<Value>,
        place: impl Into<String>,
        single: bool,
    ) -> Option<Self> {
        let field = Field::<P>::equals(path, Value::Null).ok()?;
        let expected_value = Value::Array(values.clone());
        Some(Self::of(&Field { expected: Expected::In(values), expected_value, ..field }, place, single))
    }

    /// The same for a path that is known to select one value, or not to.
    #[must_use]
    pub(super) fn known(self, single: bool) -> Self {
        Self { single, ..self }
    }

    /// Returns `true` if it names a value, or a range of them, that some item must have.
    #[must_use]
    pub fn names_a_value(&self) -> bool {
        let names = match &self.field.expected {
            Expected::Equals(value) => !value.is_null(),
            Expected::In(_)
            | Expected::Ordered(..)
            | Expected::Between(..)
            | Expected::Contains(_)
            | Expected::Matches(_) => true,
            _ => false,
        };
        names && matches!(self.field.quantifier, Quantifier::Any | Quantifier::ExactlyOne)
    }

    /// The number of values that it asks for, if it counts them.
    #[must_use]
    pub fn count(&self) -> Option<crate::settings::Cardinality> {
        match &self.field.expected {
            Expected::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// True if no value satisfies both, if both read the one value at the same path. False where that cannot be known.
    #[must_use]
    pub fn excludes(&self, other: &Self) -> bool {
        let (one, other) = (&self.field, &other.field);
        let (values, others) = (values(one), values(other));
        let comparable =
            alike(one, other) && one.quantifier != Quantifier::None && other.quantifier != Quantifier::None;
        if !comparable || one.passes_on_absence() && other.passes_on_absence() || written_in_two_ways(one, other) {
            return false;
        }
        let ordered = |field: &Field<()>| matches!(field.expected, Expected::Ordered(..) | Expected::Between(..));
        // An empty list, which excludes every value, is a weakness of the list itself.
        let nothing = |values: &Option<Vec<Value>>| values.as_ref().is_some_and(Vec::is_empty);
        if nothing(&values) || nothing(&others) {
            return false;
        }
        let fails = |field: &Field<()>, values: &[Value]| values.iter().all(|value| holds(field, value) == Some(false));
        if values.is_none() && others.is_none() {
            // Two ranges with nothing in both; of others it cannot be known.
            let both = |point: &Value| holds(one, point) != Some(false) && holds(other, point) != Some(false);
            let points = points(&[samples(one), samples(other)].concat());
            return ordered(one) && ordered(other) && points.is_some_and(|points| !points.iter().any(both));
        }
        // A number may be written in more ways than the listed one, so that both are asked.
        let satisfying = |field: &Field<()>| {
            samples(field).into_iter().filter(|value| holds(field, value) == Some(true)).collect::<Vec<_>>()
        };
        fails(other, &satisfying(one)) && fails(one, &satisfying(other))
    }
}

fn alike(one: &Field<()>, other: &Field<()>) -> bool {
    one.rules == other.rules && one.read_as == other.read_as && one.zone == other.zone
}

/// The values that satisfy a field, where they can be listed.
fn values(field: &Field<()>) -> Option<Vec<Value>> {
    match &field.expected {
        Expected::Equals(value) if !value.is_array() && !value.is_object() => Some(vec![value.clone()]),
        Expected::In(values) => Some(values.clone()),
        Expected::Empty => Some(vec![Value::Null, Value::from("")]),
        _ => None,
    }
}

fn samples(field: &Field<()>) -> Vec<Value> {
    match &field.expected {
        Expected::Ordered(_, bound) => vec![bound.clone()],
        Expected::Between(low, high) => vec![low.clone(), high.clone()],
        _ => values(field).unwrap_or_default(),
    }
}

/// The bounds, what lies between each two, and what lies beyond them: every range with these bounds that has something in
/// it has one of these. Nothing where a bound is not a number.
fn points(bounds: &[Value]) -> Option<Vec<Value>> {
    let mut bounds: Vec<f64> = bounds.iter().map(Value::as_f64).collect::<Option<_>>()?;
    bounds.sort_by(f64::total_cmp);
    let between = bounds.windows(2).filter_map(|pair| Some((pair.first()? + pair.last()?) / 2.0));
    let beyond = [bounds.first()? - 1.0, bounds.last()? + 1.0];
    Some(bounds.iter().copied().chain(between).chain(beyond).map(Value::from).collect())
}

fn mentioned(field: &Field<()>) -> Vec<Value> {
    match &field.expected {
        Expected::NotEquals(value) => vec![value.clone()],
        Expected::NotIn(values) => values.clone(),
        _ => samples(field),
    }
}

/// True if the same value may be written in two ways that the comparison of texts does not know: as number and as text,
/// as dates of different forms, as references with and without a base.
fn written_in_two_ways(one: &Field<()>, other: &Field<()>) -> bool {
    let (all, others) = (mentioned(one), mentioned(other));
    let number = |values: &[Value]| values.iter().any(Value::is_number);
    let text = |values: &[Value]| values.iter().any(Value::is_string);
    let searches = |field: &Field<()>| {
        matches!(field.expected, Expected::Contains(_) | Expected::NotContains(_) | Expected::Matches(_))
    };
    let numbers_and_texts =
        number(&all) && (text(&others) || searches(other)) || number(&others) && (text(&all) || searches(one));
    let mut texts = all.iter().chain(&others).filter_map(Value::as_str);
    let dates: Vec<usize> = texts.clone().filter(|text| is_date(text)).map(str::len).collect();
    let days = dates.iter().all(|length| *length == "2026-11-20".len()) || dates.iter().all(|length| *length == 8);
    numbers_and_texts || !days || texts.any(|text| text.contains("://"))
}

fn is_date(text: &str) -> bool {
    let read = |form| Date::parse(text, form).is_some_and(|date| date.precision() >= Precision::Month);
    read(DateForm::Iso) || read(DateForm::Hl7)
}

/// Says if a value satisfies a field; nothing where that is not decided.
fn holds(field: &Field<()>, value: &Value) -> Option<bool> {
    let references = References::default();
    let nowhere = ReadFrom { locator: "", span: None, references: &references };
    let datum = match value {
        Value::Null => None,
        Value::String(text) => Some(Datum::Text(Cow::Borrowed(text.as_str()))),
        Value::Number(number) => Some(Datum::Text(Cow::Owned(number.to_string()))),
        other => Some(Datum::Json(Cow::Borrowed(other))),
    };
    let found = datum.into_iter().map(|datum| Found { datum, span: None }).collect();
    let result = field.evaluate_dated(Selection::texts(found), nowhere, &[]);
    match result.reason {
        _ if result.passed => Some(true),
        None | Some(FieldReason::Absent) => Some(false),
        Some(_) => None,
    }
}
