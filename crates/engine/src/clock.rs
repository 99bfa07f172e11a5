//! Times and ids of records: those of the day, or such as a fixed time gives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// The time, and how many runs there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    fixed: Option<Timestamp>,
    runs: Arc<AtomicU64>,
}

impl Clock {
    pub(crate) fn standing_at(time: Timestamp) -> Self {
        Self { fixed: Some(time), runs: Arc::default() }
    }

    /// The time that it always shows; `None` for the system's clock.
    pub(crate) fn fixed(&self) -> Option<Timestamp> {
        self.fixed
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.fixed.unwrap_or_else(Timestamp::now)
    }

    pub(crate) fn next_run(&self) -> Ids {
        self.run(self.runs.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn run(&self, number: u64) -> Ids {
        let task_run = id("tr", self.fixed, &[number]);
        Ids { fixed: self.fixed, number, task_run }
    }

    pub(crate) fn benchmark_run(&self) -> String {
        id("br", self.fixed, &[])
    }
}

pub(crate) struct Ids {
    fixed: Option<Timestamp>,
    number: u64,
    task_run: String,
}

impl Ids {
    pub(crate) fn task_run(&self) -> String {
        self.task_run.clone()
    }

    pub(crate) fn criterion_run(&self, index: usize) -> String {
        id("cr", self.fixed, &[self.number, index as u64])
    }
}

/// A record's id: the time and randomness, so that ids sort by when they were made; at a fixed time a digest of that time
/// and of what is numbered.
fn id(prefix: &str, fixed: Option<Timestamp>, numbers: &[u64]) -> String {
    let Some(time) = fixed else { return format!("{prefix}_{}", Uuid::now_v7().simple()) };
    let digest = Sha256::digest(format!("{prefix} {time} {numbers:?}"));
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}_{hex}")
}
