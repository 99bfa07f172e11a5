//! A look at a workspace: what was seen, or what kept it from being seen, and when.

use std::time::SystemTime;

use candor_check::evidence::VerificationRecord;
use candor_check::{Evidence, Obstacle, Reason, Unverifiable};
use candor_json::{Value, json};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A look, with its time: the evidence of a look that is judged again is of the time of the look.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Looked<T> {
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// The result of the look.
    pub outcome: Outcome<T>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome<T> {
    Seen(T),
    Stopped {
        reason: String,
        details: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_the_work: bool,
    },
}

impl<T> Looked<T> {
    pub(crate) fn at(seen: Result<T, Unverifiable>, time: SystemTime) -> Self {
        let outcome = match seen {
            Ok(seen) => Outcome::Seen(seen),
            Err(why) => {
                let reason = why.obstacle.name().to_owned();
                Outcome::Stopped { reason, details: why.details, by_the_work: why.by_the_work }
            }
        };
        Self { at: format!("{:.3}", Timestamp::try_from(time).unwrap_or_default()), outcome }
    }

    pub(crate) fn judged(&self, evidence_type: &'static str, judge: impl FnOnce(&T) -> (Evidence, Value)) -> Evidence {
        let (evidence, evidence_data) = match &self.outcome {
            Outcome::Seen(seen) => judge(seen),
            Outcome::Stopped { reason, details, by_the_work } => {
                let mut why = Unverifiable::new(obstacle(reason), details);
                why.by_the_work = *by_the_work;
                (why.into_evidence(), json!({"obstacle": reason}))
            }
        };
        let by_files = FILES.contains(&evidence_type) && is_by_files(&evidence);
        let evidence = if by_files { evidence.by_the_work() } else { evidence };
        evidence.recorded(VerificationRecord { evidence_type, evidence_data, timestamp: self.at.clone() })
    }
}

/// The types of evidence of the checks that look at files alone.
const FILES: [&str; 3] = ["file", "file_content", "placeholders"];

/// True if the files themselves are the cause that they could not be read: they are too large, may not be read, or
/// could be read in several ways. They are not the cause of a missing workspace, or of a disk that fails.
fn is_by_files(evidence: &Evidence) -> bool {
    let Some(Reason::Unverifiable(obstacle)) = evidence.reason() else { return false };
    matches!(obstacle, Obstacle::LimitExceeded | Obstacle::SourceDenied | Obstacle::Undecidable)
}

/// The obstacle of that name; an unknown name decides nothing.
pub(crate) fn obstacle(reason: &str) -> Obstacle {
    Obstacle::ALL.iter().copied().find(|obstacle| obstacle.name() == reason).unwrap_or(Obstacle::Undecidable)
}
