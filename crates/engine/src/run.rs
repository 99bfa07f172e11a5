//! Running a plan: observe and judge every criterion, then score.

use std::path::Path;
use std::sync::Arc;

use candor_check::{CheckType, Evidence, Obstacle, PartType, Sandbox, SandboxError};
use candor_scoring::{BenchmarkScorer, TaskScorer};
use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::benchmark::Benchmark;
use crate::companion;
use crate::document::{Document, FileError};
use crate::plan::Plan;
use crate::record::{BenchmarkRun, CriterionRun, TaskRun};
use crate::task::{Criterion, Task};
use crate::wait;

/// Runs tasks with a list of checks. Knows no concrete check.
#[derive(Clone, Debug)]
pub struct Engine {
    checks: Arc<[CheckType]>,
    parts: Arc<[PartType]>,
    verifier_id: Arc<str>,
}

/// A new record's id: the time and randomness, so that ids sort by when they were made.
fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7().simple())
}

impl Engine {
    /// An engine over these checks. `verifier_id` is the name under which results are recorded.
    #[must_use]
    pub fn new(checks: impl IntoIterator<Item = CheckType>, verifier_id: &str) -> Self {
        Self { checks: checks.into_iter().collect(), parts: Arc::default(), verifier_id: verifier_id.into() }
    }

    /// The same engine, with the parts of the sandboxes that it opens itself.
    #[must_use]
    pub fn with_parts(mut self, parts: impl IntoIterator<Item = PartType>) -> Self {
        self.parts = parts.into_iter().collect();
        self
    }

    /// The parts of the sandboxes that this engine opens.
    #[must_use]
    pub fn parts(&self) -> &[PartType] {
        &self.parts
    }

    /// Opens a sandbox for this engine's checks.
    ///
    /// # Errors
    /// When there is no such sandbox, or its description is wrong.
    pub fn open(&self, sandbox: &Path) -> Result<Sandbox, SandboxError> {
        Sandbox::open(sandbox, &self.parts)
    }

    /// The checks of this engine.
    #[must_use]
    pub fn checks(&self) -> &[CheckType] {
        &self.checks
    }

    /// Binds every criterion of a task to its check.
    #[must_use]
    pub fn plan(&self, task: Arc<Task>) -> Plan {
        Plan::new(task, &self.checks)
    }

    /// What is wrong with a file that assertions name, such as a conformance profile; `None` when the document is none.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    #[must_use]
    pub fn lint_companion(&self, document: &Document) -> Option<Result<(), FileError>> {
        companion::lint(document, &self.checks)
    }

    /// Runs a task's criteria against a sandbox, sources shared, criteria side by side.
    pub async fn run(&self, plan: &Plan, sandbox: &Sandbox) -> TaskRun {
        let task_run_id = new_id("tr");
        let mut running = JoinSet::new();
        let mut runs: Vec<Option<Ran>> = Vec::new();
        let mut tasks = std::collections::HashMap::new();
        for (index, planned) in plan.criteria.iter().enumerate() {
            runs.push(None);
            match &planned.check {
                Ok((check, _)) => {
                    let (check, sandbox) = (Arc::clone(check), sandbox.clone());
                    let handle = running.spawn(async move {
                        let started = Timestamp::now();
                        let evidence = wait::verified(check.as_ref(), &sandbox).await;
                        (index, Ran { evidence, broke: false, started, completed: Timestamp::now() })
                    });
                    tasks.insert(handle.id(), index);
                }
                Err(unbound) => {
                    let now = Timestamp::now();
                    let evidence = unbound.evidence.clone();
                    if let Some(slot) = runs.get_mut(index) {
                        *slot = Some(Ran { evidence, broke: false, started: now, completed: now });
                    }
                }
            }
        }
        while let Some(joined) = running.join_next().await {
            let (index, run) = match joined {
                Ok((index, ran)) => (Some(index), ran),
                Err(broken) => (tasks.get(&broken.id()).copied(), Ran::broken(&broken.to_string())),
            };
            if let Some(slot) = index.and_then(|index| runs.get_mut(index)) {
                *slot = Some(run);
            }
        }
        let criterion_runs = plan.criteria.iter().zip(runs).map(|(planned, run)| {
            let Ran { evidence, broke, started, completed } =
                run.unwrap_or_else(|| Ran::broken("it ended without an outcome"));
            let key = planned.check.as_ref().map_or_else(|unbound| unbound.evidence_key, |(_, key)| key);
            let criterion = &planned.criterion;
            let evidence = if criterion.partial_credit { evidence } else { evidence.without_partial_credit() };
            let ran = Ran { evidence, broke, started, completed };
            self.record(&task_run_id, criterion, ran, key)
        });
        let criterion_runs = criterion_runs.collect();
        scored(task_run_id, &plan.task, criterion_runs)
    }

    /// Runs every task of a benchmark, up to `jobs` at a time. `done` is called as each one ends.
    pub async fn run_benchmark(
        &self,
        benchmark: &Benchmark,
        jobs: usize,
        done: impl Fn(&TaskRun) + Send + Sync,
    ) -> BenchmarkRun {
        let permits = Arc::new(Semaphore::new(jobs.max(1)));
        let mut running = JoinSet::new();
        for (index, entry) in benchmark.entries.iter().enumerate() {
            let (engine, permits, entry) = (self.clone(), Arc::clone(&permits), entry.clone());
            running.spawn(async move {
                // The semaphore is never closed; without a permit the run would only be less orderly.
                let _permit = permits.acquire().await;
                let plan = engine.plan(Arc::clone(&entry.task));
                let run = engine.run(&plan, &entry.sandbox).await;
                (index, TaskRun { task_id: entry.id, ..run })
            });
        }
        let mut runs: Vec<Option<TaskRun>> = benchmark.entries.iter().map(|_| None).collect();
        while let Some(joined) = running.join_next().await {
            if let Ok((index, run)) = joined {
                done(&run);
                if let Some(slot) = runs.get_mut(index) {
                    *slot = Some(run);
                }
            }
        }
        let task_runs: Vec<TaskRun> = benchmark
            .entries
            .iter()
            .zip(runs)
            .map(|(entry, run)| run.unwrap_or_else(|| self.broken_run(&entry.id, &entry.task)))
            .collect();
        let mut scorer = BenchmarkScorer::new();
        task_runs.iter().for_each(|run| scorer.add(Some(&run.task_id), &run.result));
        BenchmarkRun { id: new_id("br"), benchmark_id: benchmark.id.clone(), result: scorer.finish(), task_runs }
    }

    /// A task whose run broke as a whole: nothing of it is verified.
    fn broken_run(&self, id: &str, task: &Task) -> TaskRun {
        let task_run_id = new_id("tr");
        let ran = || Ran::broken("the task's run broke");
        let runs = task.criteria.iter().map(|criterion| self.record(&task_run_id, criterion, ran(), "fieldResults"));
        let runs = runs.collect();
        TaskRun { task_id: id.to_owned(), ..scored(task_run_id, task, runs) }
    }

    fn record(&self, task_run_id: &str, criterion: &Criterion, ran: Ran, evidence_key: &'static str) -> CriterionRun {
        CriterionRun {
            id: new_id("cr"),
            task_run_id: task_run_id.to_owned(),
            criterion_id: criterion.id.clone(),
            label: criterion.label.clone(),
            axis: criterion.axis.clone(),
            weight: criterion.weight.clone(),
            gate: criterion.gate,
            evidence: ran.evidence,
            broke: ran.broke,
            evidence_key,
            verifier_id: self.verifier_id.to_string(),
            started_at: ran.started,
            completed_at: ran.completed,
        }
    }
}

/// What came of running one criterion.
struct Ran {
    evidence: Evidence,
    broke: bool,
    started: Timestamp,
    completed: Timestamp,
}

impl Ran {
    /// A check that panicked says nothing about the work.
    fn broken(how: &str) -> Self {
        let now = Timestamp::now();
        Self { evidence: broken_check(how), broke: true, started: now, completed: now }
    }
}

fn broken_check(how: &str) -> Evidence {
    let details = format!("The check itself broke, which is a defect of this program: {how}.");
    Evidence::unverifiable(Obstacle::Undecidable, Vec::new(), details)
}

fn scored(task_run_id: String, task: &Task, mut criterion_runs: Vec<CriterionRun>) -> TaskRun {
    let mut scorer = TaskScorer::with_axes(task.criteria.iter().filter_map(|c| c.axis.as_deref()));
    for run in &mut criterion_runs {
        if run.outcome().is_err() {
            run.evidence = broken_check("its status and its score contradict each other");
            run.broke = true;
        }
        if let Ok(outcome) = run.outcome() {
            scorer.add(&outcome);
        }
    }
    TaskRun {
        id: task_run_id,
        task_id: task.id.clone(),
        task_name: task.name.clone(),
        result: scorer.finish(),
        criterion_runs,
        scored: false,
    }
}
