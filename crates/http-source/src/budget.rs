//! How long and how much one look at a server may take.

use std::time::{Duration, Instant};

use candor_check::sandbox::Limits;
use candor_check::work::cancelled;
use candor_check::{Obstacle, Unverifiable};

/// The time and the bytes that are left of the limits.
#[derive(Debug)]
pub struct Budget {
    deadline: Instant,
    timeout: Duration,
    max_bytes: u64,
    total: u64,
    left: u64,
}

impl Budget {
    /// All of the limits, from now on.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        // A little earlier than the sandbox's own limit, so that this side says what was waited for.
        let spare = (limits.timeout / 20).min(Duration::from_millis(100));
        Self {
            deadline: Instant::now() + limits.timeout.saturating_sub(spare),
            timeout: limits.timeout,
            max_bytes: limits.max_bytes,
            total: limits.max_total_bytes,
            left: limits.max_total_bytes,
        }
    }

    /// The time that is left; `None` when it is over, or the caller no longer waits.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        (left > Duration::from_millis(1) && !cancelled()).then_some(left)
    }

    /// The most bytes that the next answer may have.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.max_bytes.min(self.left)
    }

    /// Takes bytes that came.
    pub fn take(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes as u64);
    }

    /// The error for something that took too long.
    #[must_use]
    pub fn too_long(&self, what: &str) -> Unverifiable {
        let limit = match self.timeout.as_millis() {
            ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
            ms => format!("{ms} ms"),
        };
        Unverifiable::new(Obstacle::Timeout, format!("{what} took longer than {limit}"))
    }

    /// The error for something that is too large.
    #[must_use]
    pub fn too_large(&self, what: &str) -> Unverifiable {
        let (limit, bytes) = match self.left < self.max_bytes {
            true => ("max_total_bytes", self.total),
            false => ("max_bytes", self.max_bytes),
        };
        let details = format!("{what} is larger than the limit ({limit}, {bytes} bytes)");
        Unverifiable::new(Obstacle::LimitExceeded, details)
    }
}
