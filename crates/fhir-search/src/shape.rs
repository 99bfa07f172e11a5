//! The shapes of values that a test can read. Of an element with another one a search cannot say no.

use candor_json::{Map, Value};

use crate::moment::Moment;
use crate::path::Item;
use crate::string;
use crate::subject::Subject;
use crate::test::Test;

impl Test {
    /// Returns `false` if what an element holds is not of a type that the test reads: a number where a date is, an object in
    /// the place of a code.
    pub(crate) fn fits<'a>(&self, item: &Item<'a>, subject: &Subject<'a>) -> bool {
        match self {
            Self::Missing(_) => true,
            Self::Tokens(_) | Self::NoToken(_) | Self::OfType(_) | Self::TokenTexts(_) => is_token(item.value),
            Self::Identifiers(_) => item.value.as_object().is_some_and(|it| is_absent_or(it, "identifier", is_token)),
            Self::Strings(_) => is_text(item.value),
            Self::References(_) => is_reference(item.value),
            Self::Dates(_) => is_of_dates(item),
            Self::Numbers(_) | Self::Quantities(_) => is_quantity(item.value),
            Self::Uris(_) => item.value.is_string(),
            Self::Composite(any) => {
                let mut components = any.iter().flatten();
                components.all(|component| !component.is_off(item.value, subject, &|| false))
            }
            Self::Unequal(test) => test.fits(item, subject),
        }
    }

    /// Returns `true` if what a path found, or leads through (`leads_off`), is not of a type that the test reads, or if it
    /// found nothing and may have been left out.
    pub(crate) fn is_off<'a>(
        &self,
        leads_off: bool,
        items: &[Item<'a>],
        subject: &Subject<'a>,
        is_subset: &dyn Fn() -> bool,
    ) -> bool {
        let is_wrong = || leads_off || items.iter().any(|item| !self.fits(item, subject));
        items.is_empty() && is_subset() || !matches!(self, Self::Missing(_)) && is_wrong()
    }
}

fn is_absent_or(members: &Map<String, Value>, name: &str, is_right: impl Fn(&Value) -> bool) -> bool {
    members.get(name).is_none_or(|value| value.is_null() || is_right(value))
}

/// An array of such values, in which some may be left out.
fn is_array_of(value: &Value, is_right: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|values| values.iter().all(|value| value.is_null() || is_right(value)))
}

/// A code, a boolean, a Coding, a CodeableConcept, an Identifier or a ContactPoint.
fn is_token(value: &Value) -> bool {
    let is_coding = |members: &Map<String, Value>| {
        ["system", "code", "value"].iter().all(|name| is_absent_or(members, name, Value::is_string))
    };
    let is_one = |value: &Value| value.as_object().is_some_and(is_coding);
    match value {
        Value::String(_) | Value::Bool(_) => true,
        Value::Object(members) => {
            let concept = members.get("concept").and_then(Value::as_object).unwrap_or(members);
            concept.get("coding").map_or_else(|| is_coding(members), |codings| is_array_of(codings, is_one))
        }
        _ => false,
    }
}

/// A string, or a HumanName or an Address.
fn is_text(value: &Value) -> bool {
    let is_part = |value: &Value| value.is_string() || is_array_of(value, Value::is_string);
    match value {
        Value::String(_) => true,
        Value::Object(members) => string::PARTS.iter().all(|name| is_absent_or(members, name, is_part)),
        _ => false,
    }
}

/// A Reference, one within a CodeableReference, a canonical URL, or the resource itself.
pub(crate) fn is_reference(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Object(members) => is_absent_or(members, "reference", |it| it.is_string() || it.is_object()),
        _ => false,
    }
}

/// A date, a Period or a Timing. Other types of a choice hold no dates.
fn is_of_dates(item: &Item<'_>) -> bool {
    if item.chosen.is_some_and(|chosen| !matches!(chosen, "Date" | "DateTime" | "Instant" | "Period" | "Timing")) {
        return true;
    }
    let is_date = |value: &Value| value.as_str().is_some_and(|text| Moment::parse(text).is_some());
    let is_period = |value: &Value| {
        let ends =
            |members: &Map<String, Value>| ["start", "end"].iter().all(|name| is_absent_or(members, name, is_date));
        value.as_object().is_some_and(ends)
    };
    match item.value {
        Value::Object(members) => {
            is_period(item.value)
                && is_absent_or(members, "event", |events| is_array_of(events, is_date))
                && is_absent_or(members, "repeat", |repeat| {
                    repeat.as_object().is_some_and(|it| is_absent_or(it, "boundsPeriod", is_period))
                })
        }
        value => is_date(value),
    }
}

/// A number, a Quantity or a Range.
fn is_quantity(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Object(members) => {
            is_absent_or(members, "value", Value::is_number)
                && ["unit", "system", "code"].iter().all(|name| is_absent_or(members, name, Value::is_string))
                && ["low", "high"].iter().all(|name| is_absent_or(members, name, is_quantity))
        }
        _ => false,
    }
}
