//! Ids and times, as records have them.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// A new record's id: the time and randomness, so that ids sort by when they were made.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7().simple())
}

/// Now, as records write it: RFC 3339, UTC, milliseconds. Such texts sort as the times do.
pub(crate) fn now() -> String {
    written(Timestamp::now())
}

pub(crate) fn after(duration: Duration) -> String {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    written(Timestamp::now().checked_add(duration).unwrap_or(Timestamp::MAX))
}

pub(crate) fn before(duration: Duration) -> String {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    written(Timestamp::now().checked_sub(duration).unwrap_or(Timestamp::MIN))
}

fn written(time: Timestamp) -> String {
    format!("{time:.3}")
}

pub(crate) fn sandbox_of(task_run_id: &str) -> String {
    format!("sb_{}", task_run_id.strip_prefix("tr_").unwrap_or(task_run_id))
}

pub(crate) fn task_run_of(sandbox_id: &str) -> Option<String> {
    sandbox_id.strip_prefix("sb_").map(|rest| format!("tr_{rest}"))
}
