//! Results in the shape in which they are stored. Every format is written from these types, so that a result that was
//! read from a file is written with the same bytes as a new one.

mod audit;
mod difference;
mod entry;
mod from_engine;
mod read;
mod reward;
mod stored;
mod stored_error;
mod validation;

use std::time::SystemTime;

use candor_check::Status;
use candor_json::{Map, Value};
use candor_scoring::Verdict;
use jiff::Timestamp;

pub use audit::{Audit, AuditedCriterion, Survivor, Tried};
pub use difference::{ChangedRecord, Difference};
pub(crate) use entry::record_at;
pub use entry::{Entry, FieldEntry, Nearest, PhraseEntry, Place};
pub use reward::NoReward;
pub use stored::{LoopRecord, Stored, document, refuse_changed};
pub use stored_error::StoredReadError;
pub use validation::{ValidatedFile, Validation, Violation};

/// The outcome of one criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionRun {
    /// `cr_…`; empty in a result without this id.
    pub id: String,
    /// `tr_…`
    pub task_run_id: Option<String>,
    /// The criterion's id.
    pub criterion_id: String,
    /// Its label, or its id.
    pub label: String,
    /// Its axis.
    pub axis: Option<String>,
    /// Its weight, as it is written.
    pub weight: String,
    /// True if it is a gate.
    pub gate: bool,
    /// The status.
    pub status: Status,
    /// 1 or 0, or the share with `partial_credit`.
    pub score: f64,
    /// The share of results that passed.
    pub share: Option<f64>,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// A plain sentence.
    pub details: String,
    /// The data that was seen.
    pub evidence: Map<String, Value>,
    /// Who verified.
    pub verifier_id: String,
    /// RFC 3339.
    pub started_at: Option<String>,
    /// RFC 3339.
    pub completed_at: Option<String>,
}

impl CriterionRun {
    /// The weight as a number.
    #[must_use]
    pub fn weight_value(&self) -> f64 {
        self.weight.parse().unwrap_or(0.0)
    }

    /// When it began and ended, where both times can be read.
    #[must_use]
    pub fn times(&self) -> Option<(SystemTime, SystemTime)> {
        let at = |text: &Option<String>| text.as_deref()?.parse::<Timestamp>().ok().map(SystemTime::from);
        Some((at(&self.started_at)?, at(&self.completed_at)?))
    }

    /// How long it took, where both times can be read.
    #[must_use]
    pub fn seconds(&self) -> Option<f64> {
        let (began, ended) = self.times()?;
        Some(ended.duration_since(began).unwrap_or_default().as_secs_f64())
    }

    /// The weight that the score lacks.
    #[must_use]
    pub fn weight_lost(&self) -> f64 {
        (self.weight_value() * (1.0 - self.score)).max(0.0)
    }
}

/// The sums of one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// The weighted mean.
    pub score: f64,
    /// The score with everything unverifiable counted as 0, and as 1.
    pub interval: (f64, f64),
    /// The weight of its criteria, as it is written; `None` for a benchmark.
    pub weight: Option<String>,
    /// The number of task runs that have it; `None` for a task.
    pub task_runs: Option<u64>,
}

/// The criteria that failed in a task run that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures {
    /// How many criteria there are, where that is known.
    pub criteria: Option<u64>,
    /// How many failed.
    pub failed: u64,
    /// The ids of those that failed; the first ones where there are many.
    pub ids: Vec<String>,
}

/// The outcome of the criteria of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskOutcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The criteria that failed although the task passed.
    pub failures: Option<Failures>,
    /// The criteria that no work can meet, because the task file is wrong.
    pub invalid: Option<Invalid>,
    /// The weighted mean.
    pub score: f64,
    /// The score with everything unverifiable counted as 0, and as 1.
    pub interval: (f64, f64),
    /// The share of weight that could be verified.
    pub coverage: f64,
    /// True if the verdict is the same at both ends of the interval.
    pub conclusive: bool,
    /// The same by axis.
    pub axes: Vec<Axis>,
}

/// A task file that is wrong.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Invalid {
    /// The number of its criteria, where that is known.
    pub criteria: Option<u64>,
    /// The ids of those that are invalid; none of a hidden rubric.
    pub ids: Vec<String>,
}

/// The outcome of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRun {
    /// `tr_…`
    pub id: Option<String>,
    /// The task's id.
    pub task_id: Option<String>,
    /// The name of the task, where that is known.
    pub task_name: Option<String>,
    /// True if the rubric is hidden.
    pub scored: bool,
    /// `completed`, `expired`.
    pub phase: Option<String>,
    /// Verdict, score, axes.
    pub outcome: TaskOutcome,
    /// The criterion runs; nothing in a score that was stored without them.
    pub criterion_runs: Option<Vec<CriterionRun>>,
    /// How an agent was run, in a results file of `candor bench`.
    pub agent: Option<AgentRun>,
}

/// How `candor bench` ran an agent over a task.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRun {
    /// The epoch, counted from 1.
    pub epoch: u64,
    /// The task's id with the epoch, in a file with several epochs.
    pub shown_id: Option<String>,
    /// How long it took, with copy and check.
    pub seconds: Option<f64>,
    /// The folder in which its world was kept.
    pub kept: Option<String>,
    /// How much higher the last answer scores than the first, where there were further ones.
    pub gained: Option<f64>,
}

impl TaskRun {
    /// A person's name for it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.task_name.as_deref().or(self.shown_id()).unwrap_or("a task run")
    }

    /// The task's id, with the epoch where there are several.
    #[must_use]
    pub fn shown_id(&self) -> Option<&str> {
        self.agent.as_ref().and_then(|agent| agent.shown_id.as_deref()).or(self.task_id.as_deref())
    }

    /// Its criterion runs; none where they are hidden or not stored.
    #[must_use]
    pub fn criteria(&self) -> &[CriterionRun] {
        self.criterion_runs.as_deref().filter(|_| !self.scored).unwrap_or_default()
    }

    /// How the verdict ended, as if it were one criterion.
    #[must_use]
    pub fn status(&self) -> Status {
        match (self.outcome.conclusive, self.outcome.verdict) {
            (false, _) => Status::Unverifiable,
            (true, Verdict::Pass) => Status::Passed,
            (true, _) => Status::Failed,
        }
    }
}

/// How many task runs ended with which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Passed.
    pub pass: u64,
    /// Passed in part.
    pub partial: u64,
    /// Failed.
    pub fail: u64,
    /// Of all these, those that are not conclusive.
    pub inconclusive: u64,
}

/// The outcome of the tasks of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchmarkOutcome {
    /// Verdict, score, interval, coverage, axes. There are no `failures`.
    pub outcome: TaskOutcome,
    /// How many different tasks were run.
    pub tasks: u64,
    /// How many task runs there were.
    pub task_runs: u64,
    /// How many ended with which verdict.
    pub verdicts: VerdictCounts,
    /// The share of task runs that passed, and its 95 % interval.
    pub pass_rate: Option<(f64, Option<(f64, f64)>)>,
    /// The 95 % interval of the mean score.
    pub confidence: Option<(f64, f64)>,
    /// pass^1, pass^2, …
    pub pass_hat_k: Vec<f64>,
    /// The things that a reader should know about these numbers.
    pub notes: Vec<String>,
}

/// The outcome of many tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchmarkRun {
    /// `br_…`
    pub id: Option<String>,
    /// The benchmark's id.
    pub benchmark_id: Option<String>,
    /// Verdict, score, statistics.
    pub outcome: BenchmarkOutcome,
    /// Its task runs, in the order of the benchmark; nothing in a score that was stored without them.
    pub task_runs: Option<Vec<TaskRun>>,
}

impl BenchmarkRun {
    /// A person's name for it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.benchmark_id.as_deref().unwrap_or("a benchmark run")
    }

    /// The verdict of the benchmark as if it were that of one task whose criteria are not stored.
    #[must_use]
    pub fn as_task(&self) -> TaskRun {
        TaskRun {
            id: self.id.clone(),
            task_id: self.benchmark_id.clone(),
            task_name: Some(self.title().to_owned()),
            scored: false,
            phase: None,
            outcome: self.outcome.outcome.clone(),
            criterion_runs: None,
            agent: None,
        }
    }

    /// Its task runs; none where they are not stored.
    #[must_use]
    pub fn runs(&self) -> &[TaskRun] {
        self.task_runs.as_deref().unwrap_or_default()
    }
}
