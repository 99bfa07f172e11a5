//! The outcome of a request, whether or not this build can make one.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// An answer, to its last byte.
    Status { code: u16, took_us: u64, bytes: u64 },
    /// None that was whole: refused, broken off, no HTTP.
    Broken(String),
    /// None in time, in milliseconds.
    Silent(u64),
}
