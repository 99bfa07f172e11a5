//! Running tasks.

use std::sync::Arc;

use candor_check::{CheckType, PartType};

use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The name under which results are recorded, unless [`Engine::recorded_as`] gives another.
const VERIFIER: &str = concat!("candor/", env!("CARGO_PKG_VERSION"));

/// Runs tasks with a list of checks. Cheap to clone; make one and keep it.
#[derive(Clone, Debug)]
pub struct Engine(candor_engine::Engine);

impl Engine {
    /// An engine with the checks of this build: those whose features are on. A criterion that asks for a check which this
    /// build leaves out is unverifiable, with the name of the feature that brings it.
    #[must_use]
    pub fn standard() -> Self {
        Self::with(candor_checks::KNOWN.iter().copied())
    }

    /// An engine with these checks: [`checks`], some of them, or checks of your own.
    #[must_use]
    pub fn with(checks: impl IntoIterator<Item = CheckType>) -> Self {
        Self(candor_engine::Engine::new(checks, VERIFIER))
    }

    /// The same engine, recording its results under another name (`verifier_id`).
    #[must_use]
    pub fn recorded_as(self, verifier_id: &str) -> Self {
        Self(candor_engine::Engine::new(self.0.checks().iter().copied(), verifier_id))
    }

    /// The same engine, with the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`)
    /// for servers that are not on this machine. Without it no proxy is used.
    ///
    /// The environment belongs to the whole process, and so does this choice: it holds for all engines from then on.
    #[must_use]
    pub fn proxy_from_env(self) -> Self {
        candor_check::host::use_proxies_of_environment();
        self
    }

    /// The checks of this engine.
    #[must_use]
    pub fn checks(&self) -> &[CheckType] {
        self.0.checks()
    }

    /// Runs the criteria of a task against a sandbox, concurrently, and scores them.
    ///
    /// It always ends with a result: what could not be read or decided is an unverifiable criterion. Dropping the future
    /// stops the work. [`blocking::run`](crate::blocking::run) is the same for callers without a runtime.
    pub async fn run(&self, task: &Task, sandbox: &Sandbox) -> Run {
        let plan = self.0.plan(Arc::clone(&task.0));
        Run(self.0.run(&plan, &sandbox.0).await)
    }
}

/// The checks of this build, in the order in which tables show them: chain your own to them.
///
/// ```
/// let names: Vec<&str> = candor::checks().map(|check| check.meta().assert).collect();
/// assert!(names.contains(&"portal-state-match"));
/// ```
pub fn checks() -> impl ExactSizeIterator<Item = CheckType> {
    candor_checks::ALL.iter().copied()
}

/// The parts of a sandbox that the checks of this build read (`fhir`, `hl7`, …): chain your own to them.
pub fn parts() -> impl ExactSizeIterator<Item = PartType> {
    candor_checks::PARTS.iter().copied()
}
