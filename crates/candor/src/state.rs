//! The content of a sandbox as files, and the differences between two sandboxes.
//!
//! ```
//! use candor::json::json;
//! use candor::{Sandbox, state};
//!
//! let before = Sandbox::builder().portal("orders", json!([{"id": 77, "status": "open"}])).build()?;
//! let after = Sandbox::builder().portal("orders", json!([{"id": 77, "status": "cancelled"}])).build()?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let diff = state::diff(&before, &after, None).await?;
//! assert_eq!(diff.told().lines().nth(1), Some("  orders/77: status changed from open to cancelled"));
//! # Ok::<(), state::StateError>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::path::Path;

use candor_report::{Format, json};

use crate::sandbox::Sandbox;

/// The differences between two sandboxes.
#[derive(Clone, Debug)]
pub struct Diff(candor_state::Diff);

/// The captured parts of a sandbox.
#[derive(Clone, Debug)]
pub struct Capture(candor_check::sandbox::Captured);

/// Why nothing was captured or compared: a part that there is not, a folder that is not empty or cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError(String);

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StateError {}

/// Compares two sandboxes record by record: the parts that are named, else all that either has.
///
/// # Errors
/// When a name is that of no part. What cannot be read is in [`Diff::is_complete`] and in the text.
pub async fn diff(before: &Sandbox, after: &Sandbox, parts: Option<&[String]>) -> Result<Diff, StateError> {
    candor_state::diff(&before.0, &after.0, parts).await.map(Diff).map_err(StateError)
}

/// Writes what the sources of a sandbox hold into a folder, new or empty, that gives the same verdicts.
///
/// # Errors
/// When a name is that of no part, or the folder is not empty or cannot be written. What cannot be read is a gap, in
/// [`Capture::is_complete`], in `capture.json`, and for whoever reads the capture.
pub async fn capture(sandbox: &Sandbox, into: &Path, parts: Option<&[String]>) -> Result<Capture, StateError> {
    let captured = candor_state::capture(&sandbox.0, into, parts).await;
    captured.map(Capture).map_err(|error| StateError(error.to_string()))
}

impl Diff {
    /// How many records were added, removed and changed.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        self.0.counts()
    }

    /// True if everything could be read on both sides.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.unread.is_empty()
    }

    /// The difference as a person would tell it, a line a record.
    #[must_use]
    pub fn told(&self) -> String {
        self.0.told()
    }

    /// The difference as `candor diff --format json` writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.0.to_value().to_string()
    }

    /// The difference as `candor diff --format …` writes it; `None` for a format in which it is not written.
    #[must_use]
    pub fn render(&self, format: Format) -> Option<Vec<u8>> {
        match format {
            Format::Text => Some(self.told().into_bytes()),
            Format::Json => Some(json::document(&self.0.to_value())),
            Format::Ndjson => Some(json::line(&self.0.to_value())),
            _ => None,
        }
    }
}

impl Capture {
    /// True if everything could be captured.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.parts.values().all(|part| part.gaps.is_empty())
    }

    /// The content of `capture.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        candor_json::to_string(&self.0).unwrap_or_default()
    }
}
