//! The loop between a delegate's "Done." and whoever relies on it: what `candor loop` runs.

use std::path::PathBuf;
use std::sync::Arc;

use candor_report::Format;
pub use candor_verification::*;

use crate::engine::Engine;
use crate::task::Task;

/// A verifier over the criteria of a task and the sandbox at a path, which it opens for every look.
#[must_use]
pub fn criteria(engine: &Engine, task: &Task, sandbox: impl Into<PathBuf>, disclose: Disclose) -> verifiers::Criteria {
    verifiers::Criteria::new(engine.0.clone(), engine.0.plan(Arc::clone(&task.0)), sandbox, disclose)
}

/// The record of a loop as `candor loop --format …` writes it.
///
/// # Errors
/// For a format in which loops are not written.
pub fn render(record: &LoopRecord, format: Format) -> Result<Vec<u8>, String> {
    candor_report::loop_run(record, format, false, crate::run::PLAIN)
}
