//! FHIR quantities: Quantity and what specializes it (Age, Count, Duration, SimpleQuantity, …), Money, and the ends of
//! Range and Ratio.
//!
//! A quantity is its value, its unit and its comparator; the number of digits says nothing. The unit is its code where both
//! sides have one, else its text.
//! Source: FHIR R4, Datatypes, 2.24.0.11 (Quantity), 2.24.0.12 (Money), 2.24.0.13 (Range), 2.24.0.14 (Ratio).

use std::cmp::Ordering;

use candor_json::Value;
use candor_ucum::{CompareError, SYSTEM, Unit};
use num_rational::BigRational;

use super::value::all;
use super::{Comparison, Decimal, MatchMode, Order, Rule, applied};

#[derive(Clone, Debug)]
pub(crate) struct Quantity<'a> {
    value: Decimal,
    /// The unit's code; of Money its currency, which converts into nothing.
    code: Option<&'a str>,
    /// The unit as people read it.
    text: Option<&'a str>,
    system: Option<&'a str>,
    money: bool,
    comparator: Option<&'a str>,
}

impl<'a> Quantity<'a> {
    pub(crate) fn read(value: &'a Value) -> Option<Self> {
        let members = value.as_object()?;
        let text = |name: &str| members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let currency = text("currency");
        let value = match members.get("value")? {
            Value::Number(number) => Decimal::json(&number.to_string())?,
            _ => return None,
        };
        Some(Self {
            value,
            code: currency.or_else(|| text("code")),
            text: text("unit"),
            system: text("system"),
            money: currency.is_some(),
            comparator: text("comparator"),
        })
    }

    /// The unit that is read where only one side has a code.
    fn unit(&self) -> Option<&'a str> {
        self.code.or(self.text)
    }

    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        [self.code, self.text].into_iter().flatten()
    }

    /// Why `using: [ucum]` can never compare something with this; nothing where it can.
    pub(crate) fn not_ucum(&self) -> Option<String> {
        if self.money || self.system.is_some_and(|system| system != SYSTEM) {
            return Some(format!("its unit is not of `{SYSTEM}`"));
        }
        match self.unit() {
            None => Some("it has no `code`".to_owned()),
            Some(unit) => Unit::parse(unit).err().map(|error| format!("`{unit}`: {error}")),
        }
    }

    pub(crate) fn has_comparator(&self) -> bool {
        self.comparator.is_some()
    }
}

pub(super) fn equal(actual: &Value, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    for ends in [["low", "high"], ["numerator", "denominator"]] {
        let has = |value: &Value| ends.iter().any(|end| value.get(end).is_some_and(Value::is_object));
        if has(expected) {
            return if has(actual) { both(ends, actual, expected, manner) } else { Comparison::TypeMismatch };
        }
    }
    match (Quantity::read(actual), Quantity::read(expected)) {
        (Some(actual), Some(expected)) => quantities_equal(&actual, &expected, manner),
        _ => Comparison::TypeMismatch,
    }
}

/// The ends of a Range or a Ratio one by one. 1:2 and 2:4 are two ratios: a titre is what was diluted.
fn both(ends: [&str; 2], actual: &Value, expected: &Value, manner: &MatchMode<'_>) -> Comparison {
    all(ends.iter().map(|end| match (actual.get(end), expected.get(end)) {
        (None, None) => Comparison::Holds,
        (Some(actual), Some(expected)) => equal(actual, expected, manner),
        _ => Comparison::Fails,
    }))
}

fn quantities_equal(actual: &Quantity<'_>, expected: &Quantity<'_>, manner: &MatchMode<'_>) -> Comparison {
    let ordering = match compared(actual, expected, manner) {
        Ok(ordering) => ordering,
        // Without `ucum` another unit is simply another quantity.
        Err(Comparison::TypeMismatch) if !manner.rules.contains(&Rule::Ucum) => return Comparison::Fails,
        Err(judged) => return judged,
    };
    match (actual.comparator, expected.comparator) {
        // Who expects a comparator expects what was recorded, not a value.
        (recorded, Some(expected)) => (recorded == Some(expected) && ordering.is_eq()).into(),
        (None, None) => ordering.is_eq().into(),
        (Some("<"), None) if ordering.is_le() => Comparison::Fails,
        (Some("<="), None) if ordering.is_lt() => Comparison::Fails,
        (Some(">"), None) if ordering.is_ge() => Comparison::Fails,
        (Some(">="), None) if ordering.is_gt() => Comparison::Fails,
        (Some(_), None) => Comparison::Vague,
    }
}

/// True if a quantity is in that order to the expected one. A comparator makes it an interval: the order holds when
/// all of the interval is on that side.
pub(super) fn order(actual: &Value, expected: &Value, asserted: Order, manner: &MatchMode<'_>) -> Comparison {
    let (Some(actual), Some(expected)) = (Quantity::read(actual), Quantity::read(expected)) else {
        return Comparison::TypeMismatch;
    };
    let ordering = match compared(&actual, &expected, manner) {
        Ok(ordering) => ordering,
        Err(judged) => return judged,
    };
    if expected.comparator.is_some() {
        return Comparison::Undecidable;
    }
    match asserted {
        Order::Less => is_less(actual.comparator, ordering),
        Order::GreaterOrEqual => is_less(actual.comparator, ordering).negated(),
        Order::LessOrEqual => is_less_or_equal(actual.comparator, ordering),
        Order::Greater => is_less_or_equal(actual.comparator, ordering).negated(),
    }
}

fn is_less(comparator: Option<&str>, ordering: Ordering) -> Comparison {
    match comparator {
        None => ordering.is_lt().into(),
        Some("<") if ordering.is_le() => Comparison::Holds,
        Some("<=") if ordering.is_lt() => Comparison::Holds,
        Some(">" | ">=") if ordering.is_ge() => Comparison::Fails,
        Some(_) => Comparison::Vague,
    }
}

fn is_less_or_equal(comparator: Option<&str>, ordering: Ordering) -> Comparison {
    match comparator {
        None => ordering.is_le().into(),
        Some("<" | "<=") if ordering.is_le() => Comparison::Holds,
        Some(">") if ordering.is_ge() => Comparison::Fails,
        Some(">=") if ordering.is_gt() => Comparison::Fails,
        Some(_) => Comparison::Vague,
    }
}

fn compared(actual: &Quantity<'_>, expected: &Quantity<'_>, manner: &MatchMode<'_>) -> Result<Ordering, Comparison> {
    let same_system = match (actual.system, expected.system) {
        (Some(a), Some(e)) => a == e,
        _ => true,
    };
    if actual.money != expected.money || !same_system {
        return Err(Comparison::TypeMismatch);
    }
    let values = || Ok(actual.value.cmp(&expected.value));
    match (actual.unit(), expected.unit()) {
        _ if same_unit(actual, expected, manner) => values(),
        (Some(a), Some(e)) if manner.rules.contains(&Rule::Ucum) && !actual.money => {
            let is_ucum = |system: Option<&str>| system.is_none_or(|system| system == SYSTEM);
            if !is_ucum(actual.system) || !is_ucum(expected.system) {
                return Err(Comparison::TypeMismatch);
            }
            // A number of more than a thousand digits is of no use as a fraction.
            let number = |value: &Decimal| value.to_fraction().ok_or(Comparison::Undecidable);
            candor_ucum::compare(&number(&actual.value)?, a, &number(&expected.value)?, e).map_err(
                |error| match error {
                    CompareError::Unit(_) | CompareError::Incomparable { .. } => Comparison::TypeMismatch,
                },
            )
        }
        (Some(_), _) => Err(Comparison::TypeMismatch),
        // A quantity without its unit may be of any.
        (None, _) => Err(Comparison::Vague),
    }
}

/// True if the units are the same without a conversion: by their codes, or by their texts where one side has no code.
fn same_unit(actual: &Quantity<'_>, expected: &Quantity<'_>, manner: &MatchMode<'_>) -> bool {
    if let (Some(a), Some(e)) = (actual.code, expected.code) {
        return a == e;
    }
    if actual.unit().is_none() && expected.unit().is_none() {
        return true;
    }
    let ruled = |text| applied(manner.rules, text, manner.references);
    let pairs = || actual.names().flat_map(|a| expected.names().map(move |e| (a, e)));
    pairs().any(|(a, e)| ruled(a) == ruled(e) || is_another_spelling(a, e))
        // `mg` as the text of the code `g`: what is written contradicts itself.
        && !pairs().any(|(a, e)| is_another_size(a, e))
}

/// True if two UCUM expressions are one unit spelt in two ways: `mL` and `ml`, `kg/m2` and `kg.m-2`. Of the same symbols,
/// for a milliequivalent is not a millimole and a sievert is not a gray, though UCUM makes them equal.
fn is_another_spelling(a: &str, e: &str) -> bool {
    let symbols = |text: &str| {
        let mut letters: Vec<char> = text.to_lowercase().chars().filter(|c| c.is_alphabetic()).collect();
        letters.sort_unstable();
        letters
    };
    symbols(a) == symbols(e) && sizes(a, e) == Some(Ordering::Equal)
}

/// Returns `true` if two UCUM expressions measure the same thing by units of different sizes.
fn is_another_size(a: &str, e: &str) -> bool {
    sizes(a, e).is_some_and(Ordering::is_ne)
}

fn sizes(a: &str, e: &str) -> Option<Ordering> {
    let one = || BigRational::from_integer(1.into());
    candor_ucum::compare(&one(), a, &one(), e).ok()
}
