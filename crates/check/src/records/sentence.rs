//! The one plain sentence of `details`.

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

/// A field result that did not pass, as a clause: `PID.5.1 is "Smyth", expected "Smith"`.
#[must_use]
pub fn described(result: &FieldResult) -> String {
    let operator = match result.operator {
        crate::compare::Operator::Equals => String::new(),
        other => format!("{} ", other.name()),
    };
    let expected = match &result.expected {
        serde_json::Value::Null => String::new(),
        value => quoted(value),
    };
    let because = match result.reason {
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
