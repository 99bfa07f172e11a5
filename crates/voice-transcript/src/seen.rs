//! What was observed: the calls that are meant, and what was said on them.

use candor_check::evidence::SourceRef;
use candor_check::records::Unreadable;
use serde::{Deserialize, Serialize};

use crate::semantic::Answers;
use crate::transcript::Turn;

/// What the check looks at: the calls that are meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where they were looked for.
    pub place: String,
    /// The calls.
    pub calls: Vec<Call>,
    /// How many turns all calls have.
    pub considered: u64,
    /// The ids of calls that are not meant, the first few.
    pub others: Vec<String>,
    /// What could not be read and may have been a call that is meant.
    pub unread: Vec<UnreadCall>,
    /// What `details` has to name beside.
    pub notes: Vec<String>,
    /// What a judge answered about their meaning.
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
    /// Where it stands and why.
    pub unreadable: Unreadable,
}
