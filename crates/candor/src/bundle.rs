//! Evidence bundles: one file that holds what a run was judged by, so that anybody can judge it again.
//!
//! ```
//! use candor::json::json;
//! use candor::{Engine, Sandbox, Task, blocking, bundle};
//!
//! let task = Task::from_value(json!({"id": "t", "criteria": [{"id": "paid", "assertion": {
//!     "assert": "portal-state-match", "correlate_by": {"resource": "claims", "key": "id", "value": 7},
//!     "assertions": [{"path": "status", "expected": "paid"}],
//! }}]}))?;
//! let sandbox = Sandbox::builder().portal("claims", json!([{"id": 7, "status": "paid"}])).build()?;
//! let engine = Engine::standard().recording();
//! let run = blocking::run(&engine, &task, &sandbox)?;
//! let bytes = bundle::write(&engine, &task, &sandbox, &run, None)?;
//!
//! // Anywhere else, without the sandbox:
//! let replay = bundle::replay(&bundle::Bundle::read(bytes)?, &Engine::standard(), None);
//! assert!(replay.same);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use candor_bundle::{Bundle, BundleError, Difference, KeyError, MaskKey, Replay, Signed, SigningKey, VerifyingKey};

use candor_bundle::{Recorded, Terms};

use crate::engine::Engine;
use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The bundle of a run: the bytes of a `.candor` file. With a key it is signed.
///
/// # Errors
/// When the engine does not record ([`Engine::recording`]), or the run does not fit into a bundle.
pub fn write(
    engine: &Engine,
    task: &Task,
    sandbox: &Sandbox,
    run: &Run,
    key: Option<&SigningKey>,
) -> Result<Vec<u8>, BundleError> {
    written(engine, task, sandbox, run, None, key)
}

/// As [`write()`]; the bundle also names who did the work, as `candor check --agent-id` does.
///
/// # Errors
/// As [`write()`].
pub fn write_of_agent(
    engine: &Engine,
    task: &Task,
    sandbox: &Sandbox,
    run: &Run,
    agent_id: &str,
    key: Option<&SigningKey>,
) -> Result<Vec<u8>, BundleError> {
    written(engine, task, sandbox, run, Some(agent_id), key)
}

fn written(
    engine: &Engine,
    task: &Task,
    sandbox: &Sandbox,
    run: &Run,
    agent_id: Option<&str>,
    key: Option<&SigningKey>,
) -> Result<Vec<u8>, BundleError> {
    let unrecorded = || {
        let first = run.criterion_runs().next();
        BundleError::NotRecorded { criterion: first.map_or("", |one| one.criterion_id()).to_owned() }
    };
    let run = run.as_made().ok_or_else(unrecorded)?;
    let recorded = Recorded { task: &task.0, run, sandbox: &sandbox.0 };
    let at = engine.now().try_into().unwrap_or_default();
    let terms = Terms { at, agent_id, key, ..Terms::default() };
    candor_bundle::of_check(engine.inner(), recorded, &terms)
}

/// The outcome of another task over the observations of a bundle.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejudged {
    /// The run of the other task. Criteria for which the observations do not suffice are unverifiable.
    pub run: Run,
    /// The ids of those criteria.
    pub left_out: Vec<String>,
}

/// Judges the observations of a bundle by another task, as `candor replay --task` does. Call [`replay`] first: it finds
/// what was changed.
///
/// # Errors
/// When the bundle is damaged, or is one of a benchmark or a loop.
pub fn rejudge(bundle: &Bundle, engine: &Engine, task: &Task) -> Result<Rejudged, Vec<Difference>> {
    let rejudged = candor_bundle::rejudge(bundle, engine.inner(), (*task.0).clone())?;
    Ok(Rejudged { run: Run::made(rejudged.run), left_out: rejudged.left_out })
}

/// Judges and scores everything in a bundle again, with the checks of the engine. With a public key, it also verifies that
/// the bundle is signed by that key.
#[must_use]
pub fn replay(bundle: &Bundle, engine: &Engine, key: Option<&VerifyingKey>) -> Replay {
    candor_bundle::replay(bundle, engine.inner(), key)
}
