//! Order: which of two values is greater, where values have an order.

use candor_json::Value;

use super::value::{all, number, number_expected};
use super::{CompareAs, Comparison, DateForm, DateValue, Datum, MatchMode, Order, Rule, quantity};

/// True if the value is in that order to the expected one. Numbers, dates and quantities have an order; other text is a
/// [`Comparison::TypeMismatch`].
#[must_use]
pub fn order(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &MatchMode<'_>) -> Comparison {
    if datum.is_null() {
        return Comparison::Absent;
    }
    let read_as = match datum {
        Datum::Json(value) => manner.read_as(value),
        Datum::Text(_) => manner.read_as,
    };
    match read_as {
        Some(CompareAs::Number) => numbers(datum, expected, asserted, manner),
        Some(CompareAs::Date) => dates(datum, expected, asserted, manner),
        Some(CompareAs::Quantity) => quantities(datum, expected, asserted, manner),
        Some(CompareAs::String | CompareAs::Reference) => Comparison::TypeMismatch,
        None => match (datum, expected) {
            (_, Value::Object(_)) if manner.rules.contains(&Rule::Ucum) => {
                quantities(datum, expected, asserted, manner)
            }
            (Datum::Json(actual), Value::Number(_)) if !actual.is_number() => Comparison::TypeMismatch,
            (_, Value::Number(_)) => numbers(datum, expected, asserted, manner),
            (_, Value::String(text)) if is_iso_date(text) && datum.string().is_some_and(is_iso_date) => {
                dates(datum, expected, asserted, &MatchMode { dates: &[DateForm::Iso], ..manner.clone() })
            }
            _ => Comparison::TypeMismatch,
        },
    }
}

/// Says if the value lies between two others, both included.
#[must_use]
pub fn between(datum: &Datum<'_>, low: &Value, high: &Value, manner: &MatchMode<'_>) -> Comparison {
    let (low, high) =
        (order(datum, low, Order::GreaterOrEqual, manner), order(datum, high, Order::LessOrEqual, manner));
    all([low, high].into_iter())
}

/// A date that cannot be taken for a number: with hyphens.
fn is_iso_date(text: &str) -> bool {
    text.contains('-') && DateValue::parse(text, DateForm::Iso).is_some()
}

fn numbers(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &MatchMode<'_>) -> Comparison {
    match (number(datum, manner), number_expected(expected)) {
        (Some(actual), Some(expected)) => asserted.holds(actual.cmp(&expected)).into(),
        _ => Comparison::TypeMismatch,
    }
}

fn dates(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &MatchMode<'_>) -> Comparison {
    let actual = datum.string().and_then(|text| manner.date(text));
    match (actual, expected.as_str().and_then(|text| manner.expected_date(text))) {
        (Some(actual), Some(expected)) => actual.ordered(asserted, &expected, manner.zone),
        _ => Comparison::TypeMismatch,
    }
}

fn quantities(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &MatchMode<'_>) -> Comparison {
    match datum {
        Datum::Json(actual) => quantity::order(actual, expected, asserted, manner),
        Datum::Text(_) => Comparison::TypeMismatch,
    }
}
