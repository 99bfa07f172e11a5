//! Running a plan: observe and judge every criterion, then score.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;

use candor_check::work::{self, Budget, Work};
use candor_check::{CheckType, Evidence, Obstacle, PartType, Sandbox, SandboxError};
use candor_scoring::{BenchmarkScorer, TaskScorer};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use futures_util::{FutureExt as _, future::join_all};
use jiff::Timestamp;

use crate::benchmark::{Benchmark, Entry};
use crate::clock::{Clock, Ids};
use crate::companion;
use crate::document::{Document, FileError};
use crate::observed::Kept;
use crate::plan::{Plan, Planned};
use crate::record::{BenchmarkRun, CriterionRun, TaskRun};
use crate::task::{Criterion, Task};
use crate::wait::{self, How, Verified};

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
    clock: Clock,
    records: bool,
    waits: bool,
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
            clock: Clock::default(),
            records: false,
            waits: true,
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
        let work = Work::new(budget);
        let work = match self.clock.fixed() {
            Some(time) => work.at(time.into()),
            None => work,
        };
        Self { work, ..self }
    }

    /// The same engine at a fixed time, so that two runs over the same input give the same records: their times are
    /// this one, and their ids follow from it and from the number of earlier runs. Durations, such as time limits, are
    /// measured as before.
    #[must_use]
    pub fn at(self, time: Timestamp) -> Self {
        Self { work: self.work.at(time.into()), clock: Clock::standing_at(time), ..self }
    }

    /// The same engine, which keeps with each criterion run what its check was given to judge
    /// ([`CriterionRun::observed`]).
    #[must_use]
    pub fn recording(self) -> Self {
        Self { records: true, ..self }
    }

    /// The same engine, which looks once at each criterion, whatever time `within` gives it.
    #[must_use]
    pub fn looking_once(self) -> Self {
        Self { waits: false, ..self }
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

    /// The files that a task's assertions name, by the names that it gives them, or why they cannot be read.
    #[must_use]
    pub fn companions(&self, task: &Task) -> BTreeMap<String, Result<Document, FileError>> {
        companion::all(task, &self.checks)
    }

    /// Binds every criterion of a task to its check.
    #[must_use]
    pub fn plan(&self, task: Arc<Task>) -> Plan {
        Plan::new(task, &self.checks, &self.parts)
    }

    /// The faults of a file that assertions name, such as a conformance profile; `None` if the document is not such a
    /// file.
    ///
    /// # Errors
    /// The first fault, with its place.
    #[must_use]
    pub fn lint_companion(&self, document: &Document) -> Option<Result<(), FileError>> {
        companion::lint(document, &self.checks)
    }

    /// Runs a task's criteria against a sandbox, sources shared, criteria side by side. Those that run code of whoever did the
    /// work begin when all others have ended.
    pub async fn run(&self, plan: &Plan, sandbox: &Sandbox) -> TaskRun {
        self.run_as(&self.clock.next_run(), plan, sandbox).await
    }

    async fn run_as(&self, ids: &Ids, plan: &Plan, sandbox: &Sandbox) -> TaskRun {
        let task_run_id = ids.task_run();
        let sandbox = sandbox.with_work(self.work.one_run());
        let run = |planned| {
            let sandbox = &sandbox;
            async move {
                let ran = AssertUnwindSafe(self.run_one(planned, sandbox)).catch_unwind().await;
                let broken = |how: &str| self.broken(&format!("it panicked with message {how:?}"));
                let ran = ran.unwrap_or_else(|panic| broken(&work::message(&*panic)));
                let evidence = booked(plan, planned, ran.evidence, sandbox.limits().max_evidence);
                Ran { evidence, ..ran }
            }
        };
        let of = |runs: bool| plan.criteria.iter().filter(move |planned| runs_code(planned) == runs).map(run);
        let mut others = join_all(of(false)).await.into_iter();
        let mut last = join_all(of(true)).await.into_iter();
        let runs =
            plan.criteria.iter().map_while(|planned| if runs_code(planned) { last.next() } else { others.next() });
        let criterion_runs = plan.criteria.iter().zip(runs).enumerate().map(|(index, (planned, ran))| {
            self.record(ids, index, &plan.task, &planned.criterion, ran, evidence_key(planned))
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
                let ids = self.clock.run(index as u64);
                running.push(async move { (index, entry, self.run_entry(&ids, entry).await) });
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
            .enumerate()
            .map(|(index, (entry, run))| {
                run.unwrap_or_else(|| self.broken_run(&self.clock.run(index as u64), &entry.id, &entry.task))
            })
            .collect();
        let mut scorer = BenchmarkScorer::new();
        task_runs.iter().for_each(|run| scorer.add(Some(&run.task_id), &run.result));
        BenchmarkRun {
            id: self.clock.benchmark_run(),
            benchmark_id: benchmark.id.clone(),
            result: scorer.finish(),
            task_runs,
        }
    }

    async fn run_entry(&self, ids: &Ids, entry: &Entry) -> TaskRun {
        let run = async {
            let plan = self.plan(Arc::clone(&entry.task));
            let run = self.run_as(ids, &plan, &entry.sandbox).await;
            TaskRun { task_id: entry.id.clone(), ..run }
        };
        let run = AssertUnwindSafe(run).catch_unwind().await;
        run.unwrap_or_else(|_| self.broken_run(ids, &entry.id, &entry.task))
    }

    /// A task whose run broke as a whole: nothing of it is verified.
    fn broken_run(&self, ids: &Ids, id: &str, task: &Task) -> TaskRun {
        let ran = || self.broken("the task's run broke");
        let runs = task.criteria.iter().enumerate();
        let runs = runs.map(|(index, criterion)| self.record(ids, index, task, criterion, ran(), "fieldResults"));
        let runs = runs.collect();
        TaskRun { task_id: id.to_owned(), ..scored(ids.task_run(), task, runs) }
    }

    /// The run of a task whose sandbox could not be looked at: no criterion is verified, for one reason.
    ///
    /// ```
    /// use candor_engine::{Engine, Task};
    /// # let file = tempfile::Builder::new().suffix(".yaml").tempfile()?;
    /// # std::fs::write(file.path(), "id: t\ncriteria: [{id: a, assertion: {assert: file-exists, path: a}}]\n")?;
    /// let task = Task::read(file.path()).unwrap();
    /// let run = Engine::new([], "candor/test").unverified(&task, "The copy was lost.");
    /// assert!(!run.result.conclusive && run.criterion_runs[0].evidence.details() == "The copy was lost.");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn unverified(&self, task: &Task, why: &str) -> TaskRun {
        let ids = self.clock.next_run();
        let ran = || {
            let evidence = Evidence::unverifiable(Obstacle::SourceUnavailable, Vec::new(), why);
            Ran { evidence, broke: false, ..self.broken(why) }
        };
        let runs = task.criteria.iter().enumerate();
        let runs = runs.map(|(index, criterion)| self.record(&ids, index, task, criterion, ran(), "fieldResults"));
        scored(ids.task_run(), task, runs.collect())
    }

    fn record(
        &self,
        ids: &Ids,
        index: usize,
        task: &Task,
        criterion: &Criterion,
        ran: Ran,
        evidence_key: &'static str,
    ) -> CriterionRun {
        CriterionRun {
            id: ids.criterion_run(index),
            task_run_id: ids.task_run(),
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
            observed: ran.kept,
        }
    }

    async fn run_one(&self, planned: &Planned, sandbox: &Sandbox) -> Ran {
        let started = self.clock.now();
        let check_type = planned.check_type.as_ref();
        let kept = check_type.filter(|_| self.records).map(|c| (c.meta().assert, c.observation_version()));
        let how = How { kept, waits: self.waits };
        let verified = match &planned.check {
            Ok((check, _)) => wait::verified(check, sandbox, how).await,
            Err(unbound) => {
                let kept = self.records.then(|| Kept::unbound().into_bytes(None));
                Ok(Verified { evidence: unbound.evidence.clone(), kept })
            }
        };
        match verified {
            Ok(Verified { evidence, kept }) => {
                Ran { evidence, broke: false, started, completed: self.clock.now(), kept }
            }
            Err(error) => self.broken(&error.to_string()),
        }
    }

    /// A check that panicked says nothing about the work.
    fn broken(&self, how: &str) -> Ran {
        let now = self.clock.now();
        let kept = self.records.then(|| Kept::broken(how).into_bytes(None));
        Ran { evidence: broken_check(how), broke: true, started: now, completed: now, kept }
    }
}

/// The evidence as the run of a criterion records it. `max_evidence` is the limit of the sandbox.
pub(crate) fn booked(plan: &Plan, planned: &Planned, evidence: Evidence, max_evidence: u64) -> Evidence {
    /// The evidence of a run, in criteria that quote as much as they may.
    const FULL: u64 = 16;
    let evidence = if planned.criterion.vague_fails { evidence.with_vague_failed() } else { evidence };
    let share = max_evidence.saturating_mul(FULL) / plan.criteria.len().max(1) as u64;
    evidence.capped(share.min(max_evidence))
}

pub(crate) fn evidence_key(planned: &Planned) -> &'static str {
    planned.check.as_ref().map_or_else(|unbound| unbound.evidence_key, |(_, key)| key)
}

fn runs_code(planned: &Planned) -> bool {
    planned.check.as_ref().is_ok_and(|(check, _)| check.runs_code())
}

struct Ran {
    evidence: Evidence,
    broke: bool,
    started: Timestamp,
    completed: Timestamp,
    /// The observation that its check judged, if it is kept.
    kept: Option<Arc<[u8]>>,
}

pub(crate) fn broken_check(how: &str) -> Evidence {
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
