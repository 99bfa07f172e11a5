//! Running a plan: observe and judge every criterion, then score.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use candor_check::work::{self, Budget, Work};
use candor_check::{CheckType, Evidence, Obstacle, PartType, Sandbox, SandboxError};
use candor_scoring::{BenchmarkScorer, TaskScorer};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use futures_util::{FutureExt as _, future::join_all};
use jiff::Timestamp;
use uuid::Uuid;

use crate::benchmark::{Benchmark, Entry};
use crate::companion;
use crate::document::{Document, FileError};
use crate::plan::{Plan, Planned};
use crate::record::{BenchmarkRun, CriterionRun, TaskRun};
use crate::task::{Criterion, Task};
use crate::wait;

/// Runs tasks with a list of checks. Knows no concrete check.
///
/// Reading and judging run on threads of the engine's own ([`Work`]), within its [`Budget`], whatever number of gradings
/// run at the same time: clones share it. So a grading runs on any async runtime, or without one, and never holds up the
/// thread that polls it. Dropping the future of a grading stops its readers and judging.
#[derive(Clone, Debug)]
pub struct Engine {
    checks: Arc<[CheckType]>,
    parts: Arc<[PartType]>,
    verifier_id: Arc<str>,
    work: Work,
}

/// A new record's id: the time and randomness, so that ids sort by when they were made.
fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::now_v7().simple())
}

impl Engine {
    /// An engine over these checks. `verifier_id` is the name under which results are recorded.
    #[must_use]
    pub fn new(checks: impl IntoIterator<Item = CheckType>, verifier_id: &str) -> Self {
        Self {
            checks: checks.into_iter().collect(),
            parts: Arc::default(),
            verifier_id: verifier_id.into(),
            work: Work::default(),
        }
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

    /// The same engine with another budget of threads and memory.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { work: Work::new(budget), ..self }
    }

    /// The threads that this engine reads and judges on.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
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

    /// Runs a task's criteria against a sandbox, sources shared, criteria side by side. Those that run code of whoever did the
    /// work begin when all others have ended.
    pub async fn run(&self, plan: &Plan, sandbox: &Sandbox) -> TaskRun {
        let task_run_id = new_id("tr");
        let sandbox = sandbox.with_work(self.work.clone());
        let run = |planned| {
            let sandbox = &sandbox;
            async move {
                let ran = AssertUnwindSafe(run_one(planned, sandbox)).catch_unwind().await;
                let broken = |how: &str| Ran::broken(&format!("it panicked with message {how:?}"));
                ran.unwrap_or_else(|panic| broken(&work::message(&*panic)))
            }
        };
        let of = |runs: bool| plan.criteria.iter().filter(move |planned| runs_code(planned) == runs).map(run);
        let mut others = join_all(of(false)).await.into_iter();
        let mut last = join_all(of(true)).await.into_iter();
        let runs =
            plan.criteria.iter().map_while(|planned| if runs_code(planned) { last.next() } else { others.next() });
        let criterion_runs = plan.criteria.iter().zip(runs).map(|(planned, ran)| {
            let key = planned.check.as_ref().map_or_else(|unbound| unbound.evidence_key, |(_, key)| key);
            let evidence = match planned.criterion.vague_fails {
                true => ran.evidence.with_vague_failed(),
                false => ran.evidence,
            };
            self.record(&task_run_id, &plan.task, &planned.criterion, Ran { evidence, ..ran }, key)
        });
        let criterion_runs = criterion_runs.collect();
        scored(task_run_id, &plan.task, criterion_runs)
    }

    /// Runs every task of a benchmark, up to `jobs` at a time. `done` is called as each one ends. What a sandbox opened is
    /// dropped with the last running task that uses it.
    pub async fn run_benchmark(
        &self,
        benchmark: &Benchmark,
        jobs: usize,
        done: impl Fn(&TaskRun) + Send + Sync,
    ) -> BenchmarkRun {
        let mut waiting = benchmark.entries.iter().enumerate();
        let mut runs: Vec<Option<TaskRun>> = benchmark.entries.iter().map(|_| None).collect();
        let mut running = FuturesUnordered::new();
        let mut in_use = HashMap::new();
        loop {
            while running.len() < jobs.max(1)
                && let Some((index, entry)) = waiting.next()
            {
                in_use.insert(index, &entry.sandbox);
                running.push(async move { (index, entry, self.run_entry(entry).await) });
            }
            let Some((index, entry, run)) = running.next().await else { break };
            in_use.remove(&index);
            if !in_use.values().any(|other| other.is_same(&entry.sandbox)) {
                entry.sandbox.close();
            }
            done(&run);
            if let Some(slot) = runs.get_mut(index) {
                *slot = Some(run);
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

    async fn run_entry(&self, entry: &Entry) -> TaskRun {
        let run = async {
            let plan = self.plan(Arc::clone(&entry.task));
            let run = self.run(&plan, &entry.sandbox).await;
            TaskRun { task_id: entry.id.clone(), ..run }
        };
        let run = AssertUnwindSafe(run).catch_unwind().await;
        run.unwrap_or_else(|_| self.broken_run(&entry.id, &entry.task))
    }

    /// A task whose run broke as a whole: nothing of it is verified.
    fn broken_run(&self, id: &str, task: &Task) -> TaskRun {
        let task_run_id = new_id("tr");
        let ran = || Ran::broken("the task's run broke");
        let runs =
            task.criteria.iter().map(|criterion| self.record(&task_run_id, task, criterion, ran(), "fieldResults"));
        let runs = runs.collect();
        TaskRun { task_id: id.to_owned(), ..scored(task_run_id, task, runs) }
    }

    fn record(
        &self,
        task_run_id: &str,
        task: &Task,
        criterion: &Criterion,
        ran: Ran,
        evidence_key: &'static str,
    ) -> CriterionRun {
        CriterionRun {
            id: new_id("cr"),
            task_run_id: task_run_id.to_owned(),
            criterion_id: criterion.id.clone(),
            label: criterion.label.clone(),
            axis: criterion.axis.clone(),
            weight: criterion.weight.clone(),
            gate: criterion.gate,
            partial_credit: criterion.partial_credit,
            task_pass: task.pass.clone(),
            evidence: ran.evidence,
            broke: ran.broke,
            evidence_key,
            verifier_id: self.verifier_id.to_string(),
            started_at: ran.started,
            completed_at: ran.completed,
        }
    }
}

fn runs_code(planned: &Planned) -> bool {
    planned.check.as_ref().is_ok_and(|(check, _)| check.runs_code())
}

async fn run_one(planned: &Planned, sandbox: &Sandbox) -> Ran {
    let started = Timestamp::now();
    let evidence = match &planned.check {
        Ok((check, _)) => wait::verified(check, sandbox).await,
        Err(unbound) => Ok(unbound.evidence.clone()),
    };
    match evidence {
        Ok(evidence) => Ran { evidence, broke: false, started, completed: Timestamp::now() },
        Err(error) => Ran::broken(&error.to_string()),
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
    let axes = task.criteria.iter().filter_map(|c| c.axis.as_deref());
    let mut scorer = TaskScorer::with_axes(axes).passing(task.pass.clone());
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
