//! Task files that are mended, and task files that are written from demonstrations.
//!
//! ```
//! use candor::json::json;
//! use candor::{Engine, Sandbox, rubric};
//!
//! let rows = |status: &str| json!([{"id": 1, "member_id": "M1", "status": status}]);
//! let before = Sandbox::builder().portal("requests", rows("draft")).build()?;
//! let after = Sandbox::builder().portal("requests", rows("submitted")).build()?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! # runtime.block_on(async {
//! let engine = Engine::standard();
//! let drafted = rubric::draft(&engine, &before, &[after.clone()], rubric::About::default()).await?;
//! assert!(drafted.text().contains("label: A row of requests with member_id M1 has status submitted"));
//!
//! let weak = "id: t\ncriteria:\n  - id: sent # once\n    assertion: { assert: portal-state-match, correlate_by: { resource: requests, key: member_id, value: M1 }, assertions: [{ path: status, expected: submitted }] }\n";
//! let hardened = rubric::harden(&engine, "task.yaml", weak, &after, &rubric::Options::default(), |_| true).await?;
//! assert!(hardened.text().contains("id: sent # once") && hardened.text().contains("match: exactly_one"));
//! # Ok::<(), rubric::RubricError>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::path::Path;

pub use candor_audit::{About, Left, Mended, Options};
use candor_audit::{DraftError, HardenError};
use candor_json::Value;

use crate::engine::Engine;
use crate::sandbox::Sandbox;

/// A task file that was mended or drafted.
#[derive(Clone, Debug)]
pub struct Rubric(candor_audit::Hardened);

/// The reason why no task file was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RubricError {
    /// The task file is wrong, or the sandbox cannot be audited; in sentences.
    Invalid(String),
    /// The demonstrations show nothing about which a criterion can be written.
    Nothing(String),
    /// A state could not be read, so that nothing is known of what changed.
    Unread(String),
}

impl fmt::Display for RubricError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Invalid(what) | Self::Nothing(what) | Self::Unread(what)) = self;
        f.write_str(what)
    }
}

impl std::error::Error for RubricError {}

impl From<HardenError> for RubricError {
    fn from(error: HardenError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<DraftError> for RubricError {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::NoDifference { .. } | DraftError::Nothing(_) => Self::Nothing(error.to_string()),
            DraftError::Unread(_) => Self::Unread(error.to_string()),
            _ => Self::Invalid(error.to_string()),
        }
    }
}

/// Adds to a task file what kills the survivors of its audit, as `candor harden` does. `file` is its name: the extension says
/// whether it is JSON or YAML, and paths in it are relative to its folder. `ask` decides about each addition. A sandbox with a
/// baseline lets `state-unchanged` be tried.
///
/// # Errors
/// A task file that is wrong, or a sandbox that cannot be read.
pub async fn harden(
    engine: &Engine,
    file: impl AsRef<Path>,
    text: &str,
    passing: &Sandbox,
    options: &Options,
    mut ask: impl FnMut(&Mended) -> bool + Send,
) -> Result<Rubric, RubricError> {
    let operators = candor_checks::OPERATORS;
    let hardened =
        candor_audit::harden(&engine.0, file.as_ref(), text, &passing.0, operators, options, &mut ask).await?;
    Ok(Rubric(hardened))
}

/// Writes a task file from one or several demonstrations of the same work, as `candor draft` does.
///
/// # Errors
/// Demonstrations that changed nothing, or a state that cannot be read.
pub async fn draft(
    engine: &Engine,
    before: &Sandbox,
    afters: &[Sandbox],
    about: About<'_>,
) -> Result<Rubric, RubricError> {
    let afters: Vec<candor_check::Sandbox> = afters.iter().map(|after| after.0.clone()).collect();
    Ok(Rubric(candor_audit::draft(&engine.0, &before.0, &afters, candor_checks::OPERATORS, about).await?))
}

impl Rubric {
    /// The text of the task file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The additions, in the order in which they were made.
    #[must_use]
    pub fn added(&self) -> &[Mended] {
        &self.0.mended
    }

    /// Findings of an audit that no addition mends, each with the reason.
    #[must_use]
    pub fn left(&self) -> &[Left] {
        &self.0.left
    }

    /// The file, what was added, what was left, and the audit of the file as it is now, as
    /// `candor harden --format json` writes them.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.0.to_value()
    }
}
