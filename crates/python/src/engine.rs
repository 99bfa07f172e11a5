//! `candor.Engine`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use candor::audit::{AuditError, Options, Probe};
use candor::bundle::{write, write_of_agent};
use candor::check::identity;
use candor::check::work::Budget;
use candor::{Benchmark, Format, Verdict};
use candor_json::Value;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::job::{Give, Job, start, start_telling};
use crate::outcome::{checked, digits, give_error, parts, text};
use crate::sandbox::Sandbox;
use crate::task::Task;

/// The name under which results are recorded, the same as the command line's.
const VERIFIER: &str = concat!("candor/", env!("CARGO_PKG_VERSION"), "+");

/// Runs tasks within one budget of threads and memory, whatever number of them runs at the same time.
///
/// `threads` read files and judge (default: the number of cores), `waiting` wait for servers (default: 64), and reads hold
/// at most `memory` bytes (default: 256 MiB). `verifier_id` is the name under which results are recorded; `agent_id` is who
/// did the work, and never the same.
#[pyclass(frozen, module = "candor", skip_from_py_object)]
pub(crate) struct Engine {
    settings: Settings,
    /// The engine and the process that it was made in: after a fork its threads are not there.
    made: Mutex<(u32, candor::Engine)>,
}

#[derive(Clone, PartialEq)]
struct Settings {
    verifier_id: Option<String>,
    agent_id: Option<String>,
    budget: Budget,
    proxy_from_env: bool,
}

impl Settings {
    fn engine(&self) -> candor::Engine {
        let verifier = self.verifier();
        let engine = candor::Engine::standard().recorded_as(&verifier).with_budget(self.budget);
        if self.proxy_from_env { engine.proxy_from_env() } else { engine }
    }

    fn verifier(&self) -> String {
        let own = || format!("{VERIFIER}{}", option_env!("CANDOR_BUILD").unwrap_or("source"));
        self.verifier_id.clone().unwrap_or_else(own)
    }
}

impl Engine {
    pub(crate) fn engine(&self) -> candor::Engine {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.0 != std::process::id() {
            // The parent's engine is kept from being dropped: it would wait for threads that are not here.
            std::mem::forget(std::mem::replace(&mut *made, (std::process::id(), self.settings.engine())));
        }
        made.1.clone()
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (*, verifier_id=None, agent_id=None, threads=None, waiting=None, memory=None, proxy_from_env=false))]
    fn new(
        verifier_id: Option<String>,
        agent_id: Option<String>,
        threads: Option<i64>,
        waiting: Option<i64>,
        memory: Option<u64>,
        proxy_from_env: bool,
    ) -> PyResult<Self> {
        let usual = Budget::default();
        let budget = Budget {
            threads: threads.map_or(Ok(usual.threads), |given| count("threads", given))?,
            waiting: waiting.map_or(Ok(usual.waiting), |given| count("waiting", given))?,
            memory: memory.unwrap_or(usual.memory),
        };
        let settings = Settings { verifier_id, agent_id, budget, proxy_from_env };
        let verifier = settings.verifier();
        if settings.agent_id.as_ref().is_some_and(|agent| identity::same(agent, &verifier)) {
            return Err(errors::other(format!(
                "the verifier and the agent are both `{verifier}`: no agent may verify its own work; \
                 give two different ids"
            )));
        }
        let engine = settings.engine();
        Ok(Self { settings, made: Mutex::new((std::process::id(), engine)) })
    }

    /// The name under which results are recorded.
    #[getter]
    fn verifier_id(&self) -> String {
        self.settings.verifier()
    }

    /// Starts to run a task; with `bundle` also to make its evidence bundle.
    fn start_check(&self, task: &Task, sandbox: &Sandbox, scored: bool, bundle: bool) -> PyResult<Job> {
        let (engine, task, sandbox) = (self.engine(), task.task.clone(), sandbox.sandbox()?);
        let engine = if bundle { engine.recording() } else { engine };
        let agent = self.settings.agent_id.clone();
        start(async move {
            let done = engine.run(&task, &sandbox).await;
            let evidence = bundle.then(|| match agent {
                Some(agent) => write_of_agent(&engine, &task, &sandbox, &done, &agent, None),
                None => write(&engine, &task, &sandbox, &done, None),
            });
            match evidence.transpose() {
                Ok(evidence) => checked(&if scored { done.scored() } else { done }, evidence),
                Err(error) => give_error(errors::BundleError::new_err((error.to_string(),))),
            }
        })
    }

    /// Starts to run a benchmark: a file, or tasks with their sandboxes.
    fn start_bench(
        &self,
        py: Python<'_>,
        benchmark: &Bound<'_, PyAny>,
        jobs: Option<i64>,
        scored: bool,
    ) -> PyResult<Job> {
        let engine = self.engine();
        let cores = || Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get));
        let jobs = jobs.map_or_else(cores, |given| count("jobs", given))?;
        let benchmark = match benchmark.extract::<PathBuf>() {
            Ok(file) => py.detach(|| Benchmark::read(file)).map_err(|error| errors::task(&error))?,
            Err(_) => entries(benchmark)?,
        };
        start_telling(move |progress| async move {
            let total = benchmark.len();
            let done = std::sync::atomic::AtomicUsize::new(0);
            let told = |id: &str, verdict: Verdict| {
                let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                progress.tell(done, total, id, name(verdict));
            };
            let ended = engine.run_benchmark(&benchmark, jobs, told).await;
            let ended = if scored { ended.scored() } else { ended };
            let exact = candor_json::json!({"score": digits(&ended.score())}).to_string();
            let json = text(ended.render(Format::Json));
            let runs = ended.runs().map(|run| parts(&run)).collect::<PyResult<Vec<_>>>();
            let give: Give =
                Box::new(move |py: Python<'_>| Ok((json?, exact, runs?).into_pyobject(py)?.into_any().unbind()));
            give
        })
    }

    /// Starts to audit a task.
    fn start_audit(
        &self,
        task: &Task,
        sandbox: &Sandbox,
        probes: Option<Vec<String>>,
        mutants: i64,
        seed: u64,
    ) -> PyResult<Job> {
        let mut options = Options { mutants: count("mutants", mutants)?, seed, ..Options::default() };
        if let Some(names) = probes {
            options.probes = names.iter().map(|name| probe(name)).collect::<PyResult<_>>()?;
        }
        let (engine, task, sandbox) = (self.engine(), task.task.clone(), sandbox.sandbox()?);
        start(async move {
            match candor::audit::audit(&engine, &task, &sandbox, &options).await {
                Ok(report) => {
                    let json = text(report.render(Format::Json).unwrap_or_default());
                    let parts = (report.told(), report.badge(), report.holds(false), report.holds(true));
                    Box::new(move |py: Python<'_>| Ok((json?, parts).into_pyobject(py)?.into_any().unbind()))
                }
                Err(AuditError::Sandbox(what)) => give_error(errors::SandboxError::new_err((what,))),
                Err(AuditError::Task(error)) => {
                    let (line, column) = error.position.unzip();
                    let problem = (Some(error.file.clone()), line, column, error.message.clone());
                    give_error(errors::TaskError::new_err((error.to_string(), vec![problem])))
                }
            }
        })
    }

    fn __repr__(&self) -> String {
        format!("<candor.Engine {}>", self.settings.verifier())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let settings = PyDict::new(py);
        settings.set_item("verifier_id", self.settings.verifier_id.as_deref())?;
        settings.set_item("agent_id", self.settings.agent_id.as_deref())?;
        settings.set_item("threads", self.settings.budget.threads)?;
        settings.set_item("waiting", self.settings.budget.waiting)?;
        settings.set_item("memory", self.settings.budget.memory)?;
        settings.set_item("proxy_from_env", self.settings.proxy_from_env)?;
        Ok((py.import("candor._api")?.getattr("_engine")?, (settings,)))
    }
}

/// Tasks with their sandboxes, and an id of each or none: what `candor.bench` makes of what it is given.
fn entries(benchmark: &Bound<'_, PyAny>) -> PyResult<Benchmark> {
    type Entry<'py> = (Option<String>, PyRef<'py, Task>, PyRef<'py, Sandbox>);
    let (id, entries): (String, Bound<'_, PyAny>) = benchmark.extract()?;
    let mut made = Benchmark::new(&id);
    for entry in entries.try_iter()? {
        let entry = entry?;
        let (id, task, sandbox): Entry<'_> = entry.extract()?;
        made = made.with_task(id.as_deref(), &task.task, &sandbox.sandbox()?);
    }
    Ok(made)
}

/// An argument that counts something.
fn count(name: &str, given: i64) -> PyResult<usize> {
    let counted = usize::try_from(given).ok().filter(|count| *count > 0);
    counted.ok_or_else(|| PyValueError::new_err(format!("{name} is {given}; expected 1 or more")))
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Partial => "partial",
        Verdict::Fail => "fail",
    }
}

fn probe(name: &str) -> PyResult<Probe> {
    let known: Vec<&str> = Probe::ALL.iter().map(|(name, _)| *name).collect();
    Probe::named(name).ok_or_else(|| {
        PyValueError::new_err(format!("there is no probe `{name}`; expected some of {}", known.join(", ")))
    })
}

/// JSON as a text, whatever it is.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
