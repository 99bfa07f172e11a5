//! Grading for callers without an async runtime.

use std::fmt;

use crate::engine::Engine;
use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// Runs a task as [`Engine::run`] does, and waits for it. Works with and without a runtime around it; it blocks the calling
/// thread, so that async code calls [`Engine::run`].
///
/// # Errors
/// When the system has no thread for it, or the engine itself broke.
pub fn run(engine: &Engine, task: &Task, sandbox: &Sandbox) -> Result<Run, BlockingError> {
    // A thread of its own: a runtime may not be started on a thread that drives another.
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("candor".to_owned()).spawn_scoped(scope, || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok(runtime.block_on(engine.run(task, sandbox)))
        });
        let worker = worker.map_err(BlockingError::NoThread)?;
        worker.join().map_err(|_| BlockingError::Broke)?.map_err(BlockingError::NoThread)
    })
}

/// Why a task could not be run to its end. The work that the task is about may be right or wrong: run it again.
#[derive(Debug)]
#[non_exhaustive]
pub enum BlockingError {
    /// The system gave no thread or event queue; raise the limits of the process, or run fewer tasks at once.
    NoThread(std::io::Error),
    /// The engine panicked, which is a defect of Candor.
    Broke,
}

impl fmt::Display for BlockingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoThread(error) => write!(f, "the system gave no thread: {error}; run fewer tasks at once"),
            Self::Broke => f.write_str("the engine broke, which is a defect of Candor; the task has no result"),
        }
    }
}

impl std::error::Error for BlockingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoThread(error) => Some(error),
            Self::Broke => None,
        }
    }
}
