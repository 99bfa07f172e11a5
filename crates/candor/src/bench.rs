//! Benchmarks: many tasks, each with the sandbox that it is run against.

use std::path::Path;
use std::sync::Arc;

use candor_engine::Entry;
use candor_report::Format;
use candor_scoring::Verdict;

use crate::engine::Engine;
use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::score::Score;
use crate::task::{Task, TaskError};

/// Many tasks, each with its sandbox.
///
/// ```
/// use candor::json::json;
/// use candor::{Benchmark, Engine, Sandbox, Task, Verdict};
///
/// let task = Task::from_value(json!({"id": "order", "criteria": [{
///     "id": "sent", "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ORM^O01"}},
/// }]}))?;
/// let nothing = Sandbox::builder().with_file("hl7/.keep", "").build()?;
/// let benchmark = Benchmark::new("orders").with_task(None, &task, &nothing).with_task(Some("again"), &task, &nothing);
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// let run = runtime.block_on(Engine::standard().run_benchmark(&benchmark, 2, |_, _| {}));
/// assert_eq!((run.verdict(), run.runs().count()), (Verdict::Fail, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a benchmark does nothing until it is run"]
pub struct Benchmark(candor_engine::Benchmark);

impl Benchmark {
    /// A benchmark without tasks.
    pub fn new(id: &str) -> Self {
        Self(candor_engine::Benchmark { id: id.to_owned(), entries: Vec::new() })
    }

    /// Reads a benchmark file, with its task files and the descriptions of its sandboxes.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, each with its file and place.
    pub fn read(file: impl AsRef<Path>) -> Result<Self, TaskError> {
        let read = candor_engine::Benchmark::read(file.as_ref(), candor_checks::PARTS).map_err(TaskError::of)?;
        #[cfg(feature = "loop")]
        candor_verification::TaskLoop::check_all(read.entries.iter().map(|entry| &*entry.task))
            .map_err(TaskError::of)?;
        Ok(Self(read))
    }

    /// Adds a task. Without an id of its own the entry has the task's id, and entries of one id are several runs of a task.
    pub fn with_task(mut self, id: Option<&str>, task: &Task, sandbox: &Sandbox) -> Self {
        let id = id.unwrap_or(task.id()).to_owned();
        self.0.entries.push(Entry { id, task: Arc::clone(&task.0), sandbox: sandbox.0.clone(), world: None });
        self
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// True if there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }
}

impl Engine {
    /// Runs every task of a benchmark, up to `jobs` at a time. `done` is called with the id and the verdict of each task
    /// that ends. Dropping the future stops the work.
    pub async fn run_benchmark(
        &self,
        benchmark: &Benchmark,
        jobs: usize,
        done: impl Fn(&str, Verdict) + Send + Sync,
    ) -> BenchmarkRun {
        let done = |run: &candor_engine::TaskRun| done(&run.task_id, run.result.verdict);
        BenchmarkRun(self.0.run_benchmark(&benchmark.0, jobs, done).await)
    }
}

/// The outcome of a benchmark.
#[derive(Clone, Debug)]
pub struct BenchmarkRun(candor_engine::BenchmarkRun);

impl BenchmarkRun {
    /// The verdict on the mean of the scores.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.0.result.verdict
    }

    /// The mean of the scores of its tasks.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::from_fraction(&self.0.result.score)
    }

    /// Lowest and highest mean of the 95 % confidence interval; `None` where there are too few tasks for one.
    #[must_use]
    pub fn confidence(&self) -> Option<(f64, f64)> {
        self.0.result.confidence.as_ref().map(|confidence| confidence.interval)
    }

    /// Pass^k for each k from 1: the chance that k runs of a task all pass. Empty where a task has one run only.
    #[must_use]
    pub fn pass_hat_k(&self) -> &[f64] {
        self.0.result.pass_hat_k.as_deref().unwrap_or_default()
    }

    /// Returns `true` if the verdict is the same however the criteria that could not be verified turn out.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        self.0.result.conclusive
    }

    /// The task runs, in the order of the benchmark.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = Run> {
        self.0.task_runs.iter().cloned().map(Run::made)
    }

    /// The same result as whoever may not see the rubric gets it: without criterion runs.
    #[must_use]
    pub fn scored(mut self) -> Self {
        self.0.task_runs.iter_mut().for_each(|run| run.scored = true);
        self
    }

    /// The result as `candor bench --format …` writes it.
    #[must_use]
    pub fn render(&self, format: Format) -> Vec<u8> {
        candor_report::benchmark_run(&self.0, format, crate::run::PLAIN)
    }
}
