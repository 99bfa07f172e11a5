//! The observation: the calls that the assertion is about, and their turns.

use candor_check::evidence::SourceRef;
use candor_check::records::Unreadable;
use serde::{Deserialize, Serialize};

use crate::semantic::Answers;
use crate::transcript::Turn;

/// The calls that the assertion is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where they were looked for.
    pub place: String,
    /// The calls.
    pub calls: Vec<Call>,
    /// How many turns all calls have.
    pub considered: u64,
    /// The ids of calls that the assertion is not about, the first few.
    pub others: Vec<String>,
    /// Calls that could not be read and may be ones that the assertion is about.
    pub unread: Vec<UnreadCall>,
    /// Sentences that `details` adds.
    pub notes: Vec<String>,
    /// A judge's answers about their meaning.
    #[serde(default)]
    pub answers: Answers,
}

/// A call that was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its file's name without the extension; of events, the `call` or `call_id` of their payload.
    pub id: String,
    /// Where it was read from.
    pub source: SourceRef,
    /// Its turns.
    pub turns: Vec<Turn>,
}

/// A transcript, or a part of one, that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnreadCall {
    /// The call it is, where that is known.
    pub id: Option<String>,
    /// Its place, and the reason.
    pub unreadable: Unreadable,
}
