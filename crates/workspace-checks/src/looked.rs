//! A look at a workspace: what was seen, or what kept it from being seen, and when.

use candor_check::evidence::VerificationRecord;
use candor_check::{Evidence, Obstacle, Unverifiable};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A look, with its time: the evidence of a look that is judged again is of the time of the look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Looked<T> {
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// What came of it.
    pub outcome: Outcome<T>,
}

/// What came of a look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<T> {
    /// Something was seen.
    Seen(T),
    /// Something kept it from being seen.
    Stopped {
        /// The reason, as results name it.
        reason: String,
        /// One plain sentence.
        details: String,
    },
}

impl<T> Looked<T> {
    /// A look that is over now.
    pub(crate) fn now(seen: Result<T, Unverifiable>) -> Self {
        let outcome = match seen {
            Ok(seen) => Outcome::Seen(seen),
            Err(why) => Outcome::Stopped { reason: why.obstacle.name().to_owned(), details: why.details },
        };
        Self { at: format!("{:.3}", Timestamp::now()), outcome }
    }

    /// The evidence: what `judge` says of what was seen, with its record.
    pub(crate) fn judged(&self, evidence_type: &'static str, judge: impl FnOnce(&T) -> (Evidence, Value)) -> Evidence {
        let (evidence, evidence_data) = match &self.outcome {
            Outcome::Seen(seen) => judge(seen),
            Outcome::Stopped { reason, details } => {
                let stop = if details.ends_with('.') { "" } else { "." };
                let evidence = Evidence::unverifiable(obstacle(reason), Vec::new(), format!("{details}{stop}"));
                (evidence, json!({"obstacle": reason}))
            }
        };
        evidence.recorded(VerificationRecord { evidence_type, evidence_data, timestamp: self.at.clone() })
    }
}

/// The obstacle of that name; a name that nobody gave decides nothing.
pub(crate) fn obstacle(reason: &str) -> Obstacle {
    Obstacle::ALL.iter().copied().find(|obstacle| obstacle.name() == reason).unwrap_or(Obstacle::Undecidable)
}
