//! Running tasks.

use std::sync::Arc;
use std::time::SystemTime;

use candor_check::feature::missing_feature;
use candor_check::work::Budget;
use candor_check::{CheckType, PartType};
use candor_json::Value;
use candor_report::Format;

use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The name under which results are recorded, unless [`Engine::recorded_as`] gives another.
const VERIFIER: &str = concat!("candor/", env!("CARGO_PKG_VERSION"));

/// Runs tasks with a list of checks. Cheap to clone; make one and keep it.
#[derive(Clone, Debug)]
pub struct Engine(pub(crate) candor_engine::Engine);

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
        Self(candor_engine::Engine::new(checks, VERIFIER).with_parts(candor_checks::PARTS.iter().copied()))
    }

    /// The same engine, recording its results under another name (`verifier_id`).
    #[must_use]
    pub fn recorded_as(self, verifier_id: &str) -> Self {
        let engine = candor_engine::Engine::new(self.0.checks().iter().copied(), verifier_id);
        Self(engine.with_parts(self.0.parts().iter().copied()).with_budget(self.0.work().budget()))
    }

    /// The same engine, within another budget of threads and memory. Clones share it, whatever number of tasks they run.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self(self.0.with_budget(budget))
    }

    /// The same engine, with the proxies that the environment names (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`)
    /// for servers that are not on this machine. Without it no proxy is used.
    ///
    /// The environment belongs to the whole process, and so does this choice: it holds for all engines from then on.
    #[must_use]
    pub fn proxy_from_env(self) -> Self {
        candor_http::host::use_proxies_of_environment();
        self
    }

    /// The same engine, which keeps what every criterion was judged by: evidence bundles hold it.
    #[must_use]
    pub fn recording(self) -> Self {
        Self(self.0.recording())
    }

    /// The same engine at a fixed time, so that the same task over the same sandbox gives the same ids, times and
    /// bytes.
    #[must_use]
    pub fn at(self, time: SystemTime) -> Self {
        // A time that no calendar has is the first one.
        Self(self.0.at(time.try_into().unwrap_or_default()))
    }

    #[cfg(feature = "bundle")]
    pub(crate) fn now(&self) -> SystemTime {
        self.0.work().now()
    }

    #[cfg(feature = "bundle")]
    pub(crate) fn inner(&self) -> &candor_engine::Engine {
        &self.0
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
        Run::made(self.0.run(&plan, &sandbox.0).await)
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

/// The table of the checks of this build, as `candor checks --format …` writes it.
///
/// # Errors
/// When the table is not written in this format.
pub fn checks_table(format: Format) -> Result<Vec<u8>, String> {
    candor_report::checks(&candor_checks::ALL.iter().map(|check| check.meta()).collect::<Vec<_>>(), format)
}

/// The schema of `loop` in a task, where this build has loops.
#[cfg(feature = "loop")]
const LOOP: Option<&str> = Some(candor_verification::TaskLoop::SCHEMA);
#[cfg(not(feature = "loop"))]
const LOOP: Option<&str> = None;

/// The JSON Schema of one kind of assertion, or of all, as `candor schema` prints it. `task`, `benchmark`, `sandbox`, `loop`
/// and `result` are those of files, of `loop` in a task, and of results.
///
/// # Errors
/// When no schema has this name, or this build leaves the check or loops out.
///
/// ```
/// assert_eq!(candor::schema(None)?["title"], "assertion");
/// assert_eq!(candor::schema(Some("task"))?["$defs"]["assertion"]["title"], "assertion");
/// # Ok::<(), String>(())
/// ```
pub fn schema(name: Option<&str>) -> Result<Value, String> {
    let read = |text: &str| candor_json::from_str::<Value>(text).map_err(|error| error.to_string());
    match name {
        Some("benchmark") => read(candor_engine::BENCHMARK_SCHEMA),
        Some("sandbox") => read(candor_checks::SANDBOX_SCHEMA),
        Some("result") => read(candor_report::RESULT_SCHEMA),
        Some("loop") => LOOP.map_or_else(|| Err(missing_feature("read the loop of a task", "loop")), read),
        Some("task") => {
            let mut task = read(candor_engine::TASK_SCHEMA)?;
            let mut assertion = candor_checks::schema(None)?;
            if let Some(members) = assertion.as_object_mut() {
                members.remove("$schema");
            }
            if let Some(parts) = task.get_mut("$defs").and_then(Value::as_object_mut) {
                // A build without loops does not read the member.
                parts.insert("loop".to_owned(), LOOP.map_or(Ok(Value::Bool(true)), read)?);
                parts.insert("assertion".to_owned(), assertion);
            }
            Ok(task)
        }
        assert => candor_checks::schema(assert),
    }
}
