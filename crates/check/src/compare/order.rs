//! Order: which of two values is greater, where values have an order.

use serde_json::Value;

use super::value::{number, number_expected};
use super::{As, DateForm, DateValue, Datum, Judged, Manner, Order, Rule, quantity};

/// Whether the value stands in that order to the expected one. Numbers, dates and quantities have an order; other text
/// has none, and says so.
#[must_use]
pub fn order(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &Manner<'_>) -> Judged {
    if datum.is_null() {
        return Judged::Absent;
    }
    match manner.read_as {
        Some(As::Number) => numbers(datum, expected, asserted),
        Some(As::Date) => dates(datum, expected, asserted, manner),
        Some(As::Quantity) => quantities(datum, expected, asserted, manner),
        Some(As::String | As::Reference) => Judged::TypeMismatch,
        None => match (datum, expected) {
            (_, Value::Object(_)) if manner.rules.contains(&Rule::Ucum) => {
                quantities(datum, expected, asserted, manner)
            }
            (Datum::Json(actual), Value::Number(_)) if !actual.is_number() => Judged::TypeMismatch,
            (_, Value::Number(_)) => numbers(datum, expected, asserted),
            (_, Value::String(text)) if is_iso_date(text) && datum.string().is_some_and(is_iso_date) => {
                dates(datum, expected, asserted, &Manner { dates: &[DateForm::Iso], ..manner.clone() })
            }
            _ => Judged::TypeMismatch,
        },
    }
}

/// Whether the value lies between two others, both included.
#[must_use]
pub fn between(datum: &Datum<'_>, low: &Value, high: &Value, manner: &Manner<'_>) -> Judged {
    let (low, high) =
        (order(datum, low, Order::GreaterOrEqual, manner), order(datum, high, Order::LessOrEqual, manner));
    match (low, high) {
        (Judged::Fails, _) | (_, Judged::Fails) => Judged::Fails,
        (Judged::Holds, other) => other,
        (other, _) => other,
    }
}

/// A date that cannot be taken for a number: with hyphens.
fn is_iso_date(text: &str) -> bool {
    text.contains('-') && DateValue::parse(text, DateForm::Iso).is_some()
}

fn numbers(datum: &Datum<'_>, expected: &Value, asserted: Order) -> Judged {
    match (number(datum), number_expected(expected)) {
        (Some(actual), Some(expected)) => asserted.holds(actual.cmp(&expected)).into(),
        _ => Judged::TypeMismatch,
    }
}

fn dates(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &Manner<'_>) -> Judged {
    let actual = datum.string().and_then(|text| manner.date(text));
    match (actual, expected.as_str().and_then(|text| manner.expected_date(text))) {
        (Some(actual), Some(expected)) => asserted.of_dates(&actual, &expected).into(),
        _ => Judged::TypeMismatch,
    }
}

fn quantities(datum: &Datum<'_>, expected: &Value, asserted: Order, manner: &Manner<'_>) -> Judged {
    match datum {
        Datum::Json(actual) => quantity::order(actual, expected, asserted, manner),
        Datum::Text(_) => Judged::TypeMismatch,
    }
}
