//! What `observe` hands to `judge`.

use candor_check::difference::Difference;
use candor_check::records::Unreadable;
use serde::{Deserialize, Serialize};

/// What differs between the sandbox and its baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) parts: Vec<SeenPart>,
}

/// One part of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SeenPart {
    pub(crate) part: String,
    /// How many records there are on either side, each counted once.
    pub(crate) records: u64,
    pub(crate) differences: Vec<Difference>,
    /// What could not be read of the baseline. What came since may have been there.
    pub(crate) unread_before: Vec<Unreadable>,
    /// What could not be read of the sandbox. What is gone may still be there.
    pub(crate) unreadable: Vec<Unreadable>,
}
