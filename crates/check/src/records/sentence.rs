//! The one plain sentence of `details`.

use serde_json::Value;

use crate::compare::{Date, DateForm, Precision};
use crate::evidence::quoted;
use crate::field::{FieldReason, FieldResult};

/// The words for what a check looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// One of them: `message`, `Appointment`, `prior_auth_requests row`.
    pub one: String,
    /// Several: `messages`, `Appointments`, `prior_auth_requests rows`.
    pub several: String,
    /// What the selection asks for, as the rest of the sentence: `with PID.3.1 "12345"`; empty when it asks for nothing.
    pub selected_by: String,
    /// Where they were looked for: `hl7/`.
    pub place: String,
    /// What a field is called: `field`, `assertion`.
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

/// Whether a time in UTC was not decided against days, so that a zone would decide it.
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
    let operator = match result.operator {
        crate::compare::Operator::Equals => String::new(),
        other => format!("{} ", other.name()),
    };
    let expected = match &result.expected {
        Value::Null => String::new(),
        value => quoted(value),
    };
    let because = match result.reason {
        Some(FieldReason::Undecidable) if needs_zone(result) => ", which is that day in some zones only: set `zone`",
        Some(FieldReason::Undecidable | FieldReason::Vague) => ", which does not decide it",
        Some(FieldReason::TypeMismatch) => ", which cannot be compared so",
        _ => "",
    };
    let expected = match (operator.is_empty(), expected.is_empty()) {
        (true, true) => "nothing".to_owned(),
        (false, true) => operator.trim_end().to_owned(),
        _ => format!("{operator}{expected}"),
    };
    format!("{} is {}, expected {expected}{because}", result.path, quoted(&result.actual))
}
