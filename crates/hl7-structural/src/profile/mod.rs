//! `profile`: the rules of an interface specification beyond the standard.
//!
//! `model` holds the rules of a profile, `condition` decides when a rule applies, `judge` applies them to a message.

mod condition;
mod judge;
mod model;
mod value;

use candor_check::field::{FieldReason, Location};
use candor_hl7v2::Message;
use candor_json::Value;
use serde::Deserialize;

pub(crate) use model::Profile;

/// A profile without a task, for the messages of files.
#[derive(Debug)]
pub struct Conformance(Profile);

/// A message that is not as a profile has it, in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The profile calls it a warning.
    pub is_warning: bool,
    /// The code of HL7 table 0357.
    pub code: String,
    /// Where, as a field path.
    pub path: String,
    /// The requirement of the profile.
    pub expected: String,
    /// The value, unless it is missing.
    pub actual: Option<String>,
    /// The byte of the input that the message is from.
    pub offset: u64,
}

impl Conformance {
    /// Reads a profile as its file has it.
    ///
    /// # Errors
    /// The first fault of the profile.
    pub fn read(value: &Value) -> Result<Self, String> {
        Profile::deserialize(value).map(Self).map_err(|error| error.to_string())
    }

    /// Where a message departs from the profile, and how often beyond that; `None` if none of its rules applies.
    #[must_use]
    pub fn departures(&self, message: &Message<'_>) -> Option<(Vec<Departure>, usize)> {
        let judged = self.0.judge(message, &Location::whole("message"), Some(0));
        let begin = message.span().start as u64;
        let failed = judged.results.iter().filter(|result| !result.passed && result.path != "$profile");
        let errors = failed.map(|result| Departure {
            is_warning: false,
            code: match (result.reason, result.path.as_str()) {
                (Some(FieldReason::Code(code)), _) => code,
                // An unsupported version, an unsupported message type.
                (_, "MSH.12.1") => "203",
                _ => "200",
            }
            .to_owned(),
            path: result.path.clone(),
            expected: words(&result.expected),
            actual: shown(&result.actual),
            offset: result.source.as_ref().and_then(|source| source.span).map_or(begin, |(start, _)| start),
        });
        let member = |warning: &Value, name: &str| warning.get(name).map(words).unwrap_or_default();
        let warnings = judged.warnings.iter().map(|warning| Departure {
            is_warning: true,
            code: member(warning, "code"),
            path: member(warning, "path"),
            expected: member(warning, "expected"),
            actual: warning.get("actual").and_then(shown),
            offset: warning.pointer("/source/span/0").and_then(Value::as_u64).unwrap_or(begin),
        });
        let is_open = judged.results.iter().any(|result| result.reason == Some(FieldReason::Undecidable));
        (!is_open).then(|| (errors.chain(warnings).collect(), judged.more))
    }
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn shown(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| words(value))
}
