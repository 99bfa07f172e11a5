//! Equality.

use std::borrow::Cow;

use candor_json::{Map, Value};

use super::quantity::Quantity;
use super::rules::ndc_undecidable;
use super::value::{all, number_expected, scalar};
use super::{CompareAs, Comparison, Datum, Decimal, MatchMode, Rule, amounts, applied, code, quantity};

/// Says if the value equals the expected one.
#[must_use]
pub fn equal(datum: &Datum<'_>, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    if datum.is_null() || expected.is_null() {
        return match (datum.is_null(), expected.is_null()) {
            (true, true) => Comparison::Holds,
            (true, false) => Comparison::Absent,
            // HL7 v2 and X12 never select an empty text; in CSV an empty cell is `""`, which is not null.
            _ => Comparison::Fails,
        };
    }
    // An array that is one value is compared as the values of several are.
    if let (Datum::Json(actual), Value::Array(expected)) = (datum, expected)
        && let (Value::Array(actual), Some(_)) = (actual.as_ref(), &manner.read_as)
    {
        let actual: Vec<Datum<'_>> = actual.iter().map(|item| Datum::Json(Cow::Borrowed(item))).collect();
        return lists_equal(&actual, expected, manner);
    }
    match manner.read_as {
        None if manner.rules.contains(&Rule::Code) => code::equal(datum, expected, manner),
        None => by_type(datum, expected, manner),
        Some(CompareAs::String) => match (datum.scalar(), scalar(expected)) {
            (Some(actual), Some(expected)) => texts(&actual, &expected, manner),
            _ => Comparison::TypeMismatch,
        },
        Some(CompareAs::Number) => numbers(datum, expected, manner).map_or(Comparison::TypeMismatch, Into::into),
        Some(CompareAs::Date) => match (datum.string(), expected.as_str()) {
            (Some(actual), Some(expected)) => dates(actual, expected, manner).unwrap_or(Comparison::TypeMismatch),
            _ => Comparison::TypeMismatch,
        },
        Some(CompareAs::Reference) => match (reference(&datum.to_value()), reference(expected)) {
            (Some(actual), Some(expected)) => {
                (manner.references.target(&actual) == manner.references.target(&expected)).into()
            }
            _ => Comparison::TypeMismatch,
        },
        Some(CompareAs::Quantity) => match datum {
            Datum::Json(actual) => quantity::equal(actual, expected, manner),
            Datum::Text(_) => Comparison::TypeMismatch,
        },
    }
}

/// Says if a list of values equals the expected list, in order, or in any order with [`Rule::Unordered`].
#[must_use]
pub fn lists_equal(actual: &[Datum<'_>], expected: &[Value], manner: &MatchMode<'_>) -> Comparison {
    if actual.len() != expected.len() {
        return Comparison::Fails;
    }
    if !manner.rules.contains(&Rule::Unordered) {
        return all(actual.iter().zip(expected).map(|(a, e)| equal(a, e, manner)));
    }
    let values: Vec<&Datum<'_>> = actual.iter().collect();
    let targets: Vec<&Value> = expected.iter().collect();
    assigned(&values, &targets, |a, e| equal(a, e, manner))
}

fn by_type(datum: &Datum<'_>, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    match datum {
        Datum::Json(actual) => deep(actual, expected, manner),
        Datum::Text(actual) => match expected {
            Value::String(expected) => texts(actual, expected, manner),
            Value::Number(_) => numbers(datum, expected, manner).map_or(Comparison::Fails, Into::into),
            Value::Bool(_) => Comparison::TypeMismatch,
            _ => Comparison::Fails,
        },
    }
}

/// Says if both are the same number, as they are or as the rules leave them; `None` where one is not a number.
fn numbers(datum: &Datum<'_>, expected: &Value, manner: &MatchMode<'_>) -> Option<bool> {
    let as_written = |datum: &Datum<'_>| match datum {
        Datum::Json(value) if value.is_number() => Decimal::json(&value.to_string()),
        other => Decimal::plain(other.string()?),
    };
    let written = as_written(datum).zip(number_expected(expected)).map(|(a, e)| a == e);
    if written == Some(true) || manner.rules.is_empty() {
        return written;
    }
    let ruled = |text: &str| Decimal::plain(&applied(manner.rules, text, manner.references));
    let (actual, expected) = (datum.scalar()?, scalar(expected)?);
    let ruled = || ruled(&actual).zip(ruled(&expected)).map(|(a, e)| a == e);
    amounts(manner.rules, &actual, &expected).or_else(ruled).or(written)
}

/// Says if both are the same date; `None` where one is not a date.
fn dates(actual: &str, expected: &str, manner: &MatchMode<'_>) -> Option<Comparison> {
    Some(manner.date(actual)?.equal(&manner.expected_date(expected)?, manner.zone))
}

/// Equality by the definition of the element; `None` if it is not defined, or its definition does not concern what is
/// expected.
fn defined(actual: &Value, expected: &Value, manner: &MatchMode<'_>) -> Option<Comparison> {
    match (manner.types?.of(actual)?, actual, expected) {
        (CompareAs::Date, Value::String(a), Value::String(e)) => match texts(a, e, manner) {
            Comparison::Holds => Some(Comparison::Holds),
            _ => dates(a, e, manner),
        },
        (CompareAs::Reference, Value::String(a), Value::String(e)) => match texts(a, e, manner) {
            Comparison::Holds => Some(Comparison::Holds),
            _ => Some((manner.references.target(a) == manner.references.target(e)).into()),
        },
        (CompareAs::Quantity, _, Value::Object(e)) if e.contains_key("value") => {
            Some(quantity::equal(actual, expected, manner))
        }
        _ => None,
    }
}

/// Deep equality of JSON. `candor_json` reads documents to a bounded depth, so the recursion is bounded too.
fn deep(actual: &Value, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    if let Some(judged) = defined(actual, expected, manner) {
        return judged;
    }
    match (actual, expected) {
        (Value::String(a), Value::String(e)) => texts(a, e, manner),
        (Value::Number(a), Value::Number(e)) => match (Decimal::json(&a.to_string()), Decimal::json(&e.to_string())) {
            (Some(a), Some(e)) => (a == e).into(),
            _ => (a == e).into(),
        },
        (Value::Array(a), Value::Array(e)) if a.len() != e.len() => Comparison::Fails,
        (Value::Array(a), Value::Array(e)) if manner.rules.contains(&Rule::Unordered) => {
            let (values, targets): (Vec<&Value>, Vec<&Value>) = (a.iter().collect(), e.iter().collect());
            assigned(&values, &targets, |a, e| deep(a, e, manner))
        }
        (Value::Array(a), Value::Array(e)) => all(a.iter().zip(e).map(|(a, e)| deep(a, e, manner))),
        (Value::Object(_), Value::Object(_))
            if manner.rules.contains(&Rule::Ucum) && are_quantities(actual, expected) =>
        {
            quantity::equal(actual, expected, manner)
        }
        (Value::Object(_), Value::String(e)) if manner.rules.contains(&Rule::Reference) => {
            target(actual).map_or(Comparison::Fails, |a| texts(a, e, manner))
        }
        (Value::Object(a), Value::Object(e)) => match (target(actual), target(expected)) {
            // Who expects a reference and no more expects its target.
            (Some(a), Some(wanted)) if e.len() == 1 && manner.rules.contains(&Rule::Reference) => {
                texts(a, wanted, manner)
            }
            _ => objects(a, e, manner),
        },
        _ => (actual == expected).into(),
    }
}

fn target(value: &Value) -> Option<&str> {
    value.get("reference").and_then(Value::as_str)
}

fn are_quantities(actual: &Value, expected: &Value) -> bool {
    Quantity::read(actual).is_some() && Quantity::read(expected).is_some_and(|q| q.not_ucum().is_none())
}

fn objects(actual: &Map<String, Value>, expected: &Map<String, Value>, manner: &MatchMode<'_>) -> Comparison {
    if actual.len() != expected.len() {
        return Comparison::Fails;
    }
    all(expected.iter().map(|(key, e)| actual.get(key).map_or(Comparison::Fails, |a| deep(a, e, manner))))
}

/// Tries to pair off the values with the targets. Equality under rules is an equivalence, so the first target that fits
/// is as good as any other; what is undecidable is paired last.
fn assigned<A: Copy, E: Copy>(values: &[A], targets: &[E], equal: impl Fn(A, E) -> Comparison) -> Comparison {
    let mut open: Vec<E> = targets.to_vec();
    let mut unsure: Vec<A> = Vec::new();
    for &value in values {
        match open.iter().position(|&target| equal(value, target) == Comparison::Holds) {
            Some(at) => drop(open.swap_remove(at)),
            None => unsure.push(value),
        }
    }
    if open.is_empty() {
        return Comparison::Holds;
    }
    let could = |wanted: &[Comparison]| {
        unsure.iter().all(|&value| open.iter().any(|&target| wanted.contains(&equal(value, target))))
    };
    match () {
        () if could(&[Comparison::Undecidable]) => Comparison::Undecidable,
        () if could(&[Comparison::Undecidable, Comparison::Vague]) => Comparison::Vague,
        () => Comparison::Fails,
    }
}

fn texts(actual: &str, expected: &str, manner: &MatchMode<'_>) -> Comparison {
    let ruled = |text| applied(manner.rules, text, manner.references);
    let equal = || amounts(manner.rules, actual, expected).unwrap_or_else(|| ruled(actual) == ruled(expected));
    if actual == expected || !manner.rules.is_empty() && equal() {
        Comparison::Holds
    } else if manner.rules.contains(&Rule::Ndc) && ndc_undecidable(actual, expected) {
        Comparison::Undecidable
    } else {
        Comparison::Fails
    }
}

fn reference(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Owned(text.clone())),
        Value::Object(members) => Some(Cow::Owned(members.get("reference")?.as_str()?.to_owned())),
        _ => None,
    }
}
