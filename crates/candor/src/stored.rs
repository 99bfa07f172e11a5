//! Scores of criterion runs that were stored.
//!
//! ```
//! use candor::{Verdict, stored::StoredRuns};
//!
//! let text = r#"{"task_run_id": "tr_1", "criterion_id": "a", "weight": 2, "status": "passed", "score": 1.0}
//! {"task_run_id": "tr_1", "criterion_id": "b", "weight": 1, "status": "failed", "score": 0.0}"#;
//! let mut runs = StoredRuns::new();
//! runs.read("runs.ndjson", text.as_bytes())?;
//! assert_eq!(runs.finish().verdict(), Verdict::Partial);
//! # Ok::<(), candor::stored::StoredError>(())
//! ```

use std::fmt;
use std::io::BufRead;

use candor_report::Format;
use candor_scoring::Verdict;
use candor_scoring::stored::{self, Limits, StoredOutcome};

use crate::score::Score;

/// Reads stored criterion runs, one JSON object a line, input after input, as if they were one.
#[derive(Debug)]
pub struct StoredRuns(stored::StoredRuns);

impl Default for StoredRuns {
    fn default() -> Self {
        Self::new()
    }
}

impl StoredRuns {
    /// Nothing is read yet.
    #[must_use]
    pub fn new() -> Self {
        Self(stored::StoredRuns::new(Limits::default()))
    }

    /// Reads one input to its end; `name` is what errors call it.
    ///
    /// # Errors
    /// The first line that cannot be scored, with its place. Nothing after an error is a result.
    pub fn read(&mut self, name: &str, input: impl BufRead) -> Result<(), StoredError> {
        self.0.read(name, input, |_| {}).map_err(StoredError)
    }

    /// The result of everything that was read.
    #[must_use]
    pub fn finish(self) -> StoredScore {
        StoredScore(self.0.finish(|_| {}))
    }
}

/// The score of one task run, or of many.
#[derive(Debug)]
pub struct StoredScore(stored::StoredScore);

impl StoredScore {
    /// The verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match &self.0.outcome {
            StoredOutcome::Task(run) => run.result.verdict,
            StoredOutcome::Benchmark(result) => result.verdict,
        }
    }

    /// The score of the task run, or the mean of many.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::from_fraction(match &self.0.outcome {
            StoredOutcome::Task(run) => &run.result.score,
            StoredOutcome::Benchmark(result) => &result.score,
        })
    }

    /// Notes about the reading, a sentence each.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// The result as `candor score --format …` writes it.
    #[must_use]
    pub fn render(&self, format: Format) -> Vec<u8> {
        candor_report::stored_score(&self.0, format, crate::run::PLAIN)
    }
}

/// A stored result as `candor report FILE --format …` writes it, whichever command wrote it: a JSON document, or criterion
/// runs or task runs, one a line.
///
/// ```
/// let stored = br#"{"task_id": "t", "verdict": "pass", "score": 1.0, "criterion_runs": []}"#;
/// let page = candor::stored::render(stored, candor::Format::Markdown)?;
/// assert!(String::from_utf8_lossy(&page).contains("PASS"));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// When it is not a result, and for a format in which such a result is not written.
pub fn render(result: &[u8], format: Format) -> Result<Vec<u8>, String> {
    candor_report::stored(result, format, crate::run::PLAIN)
}

/// A line that cannot be scored, and its place.
#[derive(Debug)]
pub struct StoredError(stored::StoredError);

impl StoredError {
    /// The name of the input.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.file
    }

    /// Line and column, 1-based.
    #[must_use]
    pub fn position(&self) -> (u64, u64) {
        (self.0.line, self.0.column)
    }
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for StoredError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
