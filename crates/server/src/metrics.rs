//! Counters, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Requests by the first digit of their status.
    requests: [AtomicU64; 6],
    pub writes: AtomicU64,
    pub gradings: AtomicU64,
    /// Gradings that another server, or this one before, had left.
    pub regraded: AtomicU64,
    grading_milliseconds: AtomicU64,
}

impl Metrics {
    pub(crate) fn answered(&self, status: u16) {
        if let Some(counter) = self.requests.get(usize::from(status / 100)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn graded(&self, took: Duration) {
        self.gradings.fetch_add(1, Ordering::Relaxed);
        self.grading_milliseconds.fetch_add(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The counters, with how many task runs are in which phase.
    pub(crate) fn text(&self, phases: &[(String, i64)]) -> String {
        let mut text = String::new();
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        // Writing into a text does not fail.
        let _ = writeln!(text, "# TYPE candor_requests_total counter");
        for (class, counter) in self.requests.iter().enumerate().skip(1) {
            let _ = writeln!(text, "candor_requests_total{{status=\"{class}xx\"}} {}", load(counter));
        }
        let _ = writeln!(
            text,
            "# TYPE candor_sandbox_writes_total counter\ncandor_sandbox_writes_total {}",
            load(&self.writes)
        );
        let _ = writeln!(text, "# TYPE candor_gradings_total counter\ncandor_gradings_total {}", load(&self.gradings));
        let _ = writeln!(
            text,
            "# TYPE candor_gradings_taken_over_total counter\ncandor_gradings_taken_over_total {}",
            load(&self.regraded)
        );
        let seconds = std::time::Duration::from_millis(load(&self.grading_milliseconds)).as_secs_f64();
        let _ = writeln!(text, "# TYPE candor_grading_seconds_total counter\ncandor_grading_seconds_total {seconds}");
        let _ = writeln!(text, "# TYPE candor_task_runs gauge");
        for (phase, number) in phases {
            let _ = writeln!(text, "candor_task_runs{{phase=\"{phase}\"}} {number}");
        }
        text
    }
}
