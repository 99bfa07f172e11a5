//! The one plain sentence of `details`.

use candor_json::Value;

use super::alike::unseen_difference;

use crate::compare::{Date, DateForm, Operator, Precision};
use crate::evidence::quoted;
use crate::field::{FieldReason, FieldResult};
use crate::settings::Cardinality;

/// The words for what a check looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// One of them: `message`, `Appointment`, `prior_auth_requests row`.
    pub one: String,
    /// Several: `messages`, `Appointments`, `prior_auth_requests rows`.
    pub several: String,
    /// The selection in words, as the rest of the sentence: `with PID.3.1 "12345"`; empty when it asks for nothing.
    pub selected_by: String,
    /// Where they were looked for: `hl7/`.
    pub place: String,
    /// The name of a field: `field`, `assertion`.
    pub field: &'static str,
}

impl Wording {
    /// The noun for that many.
    #[must_use]
    pub fn noun(&self, count: u64) -> &str {
        if count == 1 { &self.one } else { &self.several }
    }

    pub(super) fn selected(&self) -> String {
        if self.selected_by.is_empty() { String::new() } else { format!(" {}", self.selected_by) }
    }
}

/// Returns `true` if a time in UTC was not decided against days, so that a zone would decide it.
fn needs_zone(result: &FieldResult) -> bool {
    let read = |text: &str| Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7));
    let is_utc = |text: &str| read(text).is_some_and(|date| date.is_utc_time());
    let expected = match &result.expected {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    let day = |value: &Value| value.as_str().and_then(read).is_some_and(|date| date.precision() <= Precision::Day);
    result.actual.as_str().is_some_and(is_utc) && expected.iter().any(day)
}

/// A field result that did not pass, as a clause: `PID.5.1 is "Smyth", expected "Smith"`.
#[must_use]
pub fn described(result: &FieldResult) -> String {
    if let (Operator::Count, Some(number)) = (result.operator, result.actual.as_u64())
        && let (None, Ok(asked)) = (result.reason, Cardinality::from_value(&result.expected))
    {
        let times = if number == 1 { "once".to_owned() } else { format!("{number} times") };
        return format!("{} is there {times}, expected {}", result.path, asked.in_words());
    }
    // `dosage` says which of its members differs.
    if let (Some(because), true) =
        (result.actual.get("because").and_then(Value::as_str), result.expected.get("dosage").is_some())
    {
        return format!("{}: {because}", result.path);
    }
    let operator = match result.operator {
        Operator::Equals => String::new(),
        Operator::NotEquals if result.expected.is_null() => "a value ".to_owned(),
        Operator::NotEquals => "anything but ".to_owned(),
        Operator::In => "one of ".to_owned(),
        Operator::NotIn => "none of ".to_owned(),
        other => format!("{} ", other.name()),
    };
    let expected = match &result.expected {
        Value::Null => String::new(),
        value => quoted(value),
    };
    let because = match result.reason {
        Some(FieldReason::Undecidable) if needs_zone(result) => ", which is that day in some zones only: set `zone`",
        Some(FieldReason::Undecidable | FieldReason::Vague) if result.actual == result.expected => {
            "; a value that this depends on is missing or unclear"
        }
        Some(FieldReason::Undecidable | FieldReason::Vague) => "; Candor cannot decide whether that matches",
        Some(FieldReason::TypeMismatch) => ", which cannot be compared so",
        _ => "",
    };
    let unseen = match (&result.actual, &result.expected) {
        (Value::String(found), Value::String(expected)) => unseen_difference(found, expected),
        _ => String::new(),
    };
    let expected = match (operator.is_empty(), expected.is_empty()) {
        (true, true) => "nothing".to_owned(),
        (false, true) => operator.trim_end().to_owned(),
        _ => format!("{operator}{expected}"),
    };
    let among = result.among.as_ref().map(|among| format!(", {among}")).unwrap_or_default();
    format!("{} is {}{among}, expected {expected}{unseen}{because}", result.path, quoted(&result.actual))
}
