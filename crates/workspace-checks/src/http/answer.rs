//! What came of a request, whether or not this build can make one.

use serde::{Deserialize, Serialize};

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// An answer, to its last byte.
    Status {
        /// Its status.
        code: u16,
        /// How long it took, in microseconds.
        took_us: u64,
        /// The size of its body.
        bytes: u64,
    },
    /// None that was whole: refused, broken off, no HTTP.
    Broken(String),
    /// None in time, in milliseconds.
    Silent(u64),
}
