//! Criterion runs, task runs and benchmark runs: the records that results are made of.

use std::sync::Arc;

use candor_check::{Evidence, Reason, Share, Status};
use candor_json::Value;
use candor_scoring::{BenchmarkResult, CriterionOutcome, Inconsistent, PassRule, Score, TaskResult, Weight};
use jiff::Timestamp;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The outcome of one criterion.
#[derive(Clone, Debug)]
pub struct CriterionRun {
    /// `cr_…`
    pub id: String,
    /// `tr_…`
    pub task_run_id: String,
    /// The criterion's id.
    pub criterion_id: String,
    /// Its label.
    pub label: String,
    /// Its axis.
    pub axis: Option<String>,
    /// Its weight.
    pub weight: Weight,
    /// True if it is a gate: the verdict is `fail` unless it passes.
    pub gate: bool,
    /// True if its score is its share. Else the score of a criterion that did not pass is 0.
    pub partial_credit: bool,
    /// The rule by which its task passes.
    pub task_pass: PassRule,
    /// Its outcome.
    pub evidence: Evidence,
    /// True if the check itself broke, which is a defect of this program.
    pub broke: bool,
    /// The member that holds the results in the evidence.
    pub evidence_key: &'static str,
    /// Who verified.
    pub verifier_id: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was done.
    pub completed_at: Timestamp,
    /// The observation that its check judged, if the engine keeps it ([`Engine::recording`](crate::Engine::recording)):
    /// JSON that [`Observed::read`](crate::Observed::read) reads. No format writes it.
    pub observed: Option<Arc<[u8]>>,
}

impl CriterionRun {
    /// The status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.evidence.status()
    }

    /// The reason, as results name it.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.evidence.reason().map(Reason::name)
    }

    /// The score as it is written down: 1 of a pass, else 0, or the share with `partial_credit`.
    #[must_use]
    pub fn score(&self) -> Score {
        match self.status() {
            Status::Passed => Score::ONE,
            Status::Failed if self.partial_credit => self.share(),
            _ => Score::ZERO,
        }
    }

    /// The weighted share of results that passed, as it is written down: 1 of a pass, 0 of what is unverifiable.
    #[must_use]
    pub fn share(&self) -> Score {
        score_of(self.evidence.share())
    }

    /// Its outcome for scoring.
    ///
    /// # Errors
    /// When status and score contradict each other, which [`Evidence`] rules out.
    pub fn outcome(&self) -> Result<CriterionOutcome<'_>, Inconsistent> {
        let status = match self.status() {
            Status::Passed => candor_scoring::Status::Passed,
            Status::Failed => candor_scoring::Status::Failed,
            Status::Unverifiable => candor_scoring::Status::Unverifiable,
        };
        let outcome = CriterionOutcome::new(&self.criterion_id, self.weight.clone(), status, self.score())?;
        Ok(outcome.on_axis(self.axis.as_deref()).as_gate(self.gate))
    }
}

fn score_of(share: &Share) -> Score {
    // A share is a part of a whole by construction.
    Score::of_digits(&share.numerator(), &share.denominator()).unwrap_or(Score::ZERO)
}

/// RFC 3339, UTC, milliseconds.
fn at(time: &Timestamp) -> String {
    format!("{time:.3}")
}

impl Serialize for CriterionRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("task_run_id", &self.task_run_id)?;
        map.serialize_entry("criterion_id", &self.criterion_id)?;
        map.serialize_entry("label", &self.label)?;
        map.serialize_entry("axis", &self.axis)?;
        map.serialize_entry("weight", &self.weight)?;
        if self.gate {
            map.serialize_entry("gate", &true)?;
        }
        if !self.task_pass.is_default() {
            map.serialize_entry("task_pass", &self.task_pass)?;
        }
        map.serialize_entry("status", self.status().name())?;
        map.serialize_entry("passed", &(self.status() == Status::Passed))?;
        map.serialize_entry("score", &self.score())?;
        map.serialize_entry("share", &self.share())?;
        let by = Some((self.criterion_id.as_str(), self.verifier_id.as_str()));
        map.serialize_entry("reason", &self.reason())?;
        map.serialize_entry("details", self.evidence.details())?;
        map.serialize_entry("evidence", &self.evidence.written(self.evidence_key, by))?;
        map.serialize_entry("verifier_id", &self.verifier_id)?;
        map.serialize_entry("started_at", &at(&self.started_at))?;
        map.serialize_entry("completed_at", &at(&self.completed_at))?;
        map.end()
    }
}

/// The outcome of one task.
#[derive(Clone, Debug)]
pub struct TaskRun {
    /// `tr_…`
    pub id: String,
    /// The task's id; of a benchmark's entry, the entry's.
    pub task_id: String,
    /// The name of the task.
    pub task_name: Option<String>,
    /// Verdict, score, axes.
    pub result: TaskResult,
    /// Its criterion runs, in the order of the task.
    pub criterion_runs: Vec<CriterionRun>,
    /// True if the rubric is hidden from the reader of the result.
    pub scored: bool,
}

impl TaskRun {
    /// The criterion runs that a reader of the result may see: none of a hidden rubric, as [`TaskRun::scored`] says.
    #[must_use]
    pub fn shown_runs(&self) -> &[CriterionRun] {
        if self.scored { &[] } else { &self.criterion_runs }
    }

    /// The ids of the criteria that no work can meet, because the task file is wrong: their assertion is invalid, or no check
    /// supports it.
    pub fn invalid_criteria(&self) -> impl Iterator<Item = &str> {
        let is_wrong =
            |run: &&CriterionRun| matches!(run.reason(), Some("invalid_assertion" | "unsupported_assertion"));
        self.criterion_runs.iter().filter(is_wrong).map(|run| run.criterion_id.as_str())
    }
}

impl Serialize for TaskRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("task_run_id", &self.id)?;
        map.serialize_entry("task_id", &self.task_id)?;
        map.serialize_entry("phase", "completed")?;
        if self.scored {
            map.serialize_entry("scored", &true)?;
        }
        match self.scored {
            true => flat(&mut map, &TaskResult { passed_with_failures: None, ..self.result.clone() })?,
            false => flat(&mut map, &self.result)?,
        }
        let invalid: Vec<&str> = self.invalid_criteria().collect();
        match (invalid.is_empty(), self.scored) {
            (true, _) => {}
            (false, true) => map.serialize_entry("task_file_wrong", &true)?,
            (false, false) => map.serialize_entry("invalid_criteria", &invalid)?,
        }
        map.serialize_entry("criterion_runs", self.shown_runs())?;
        map.end()
    }
}

/// The outcome of many tasks.
#[derive(Clone, Debug)]
pub struct BenchmarkRun {
    /// `br_…`
    pub id: String,
    /// The benchmark's id.
    pub benchmark_id: String,
    /// Verdict, score, axes, statistics.
    pub result: BenchmarkResult,
    /// Its task runs, in the order of the benchmark.
    pub task_runs: Vec<TaskRun>,
}

impl Serialize for BenchmarkRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("benchmark_run_id", &self.id)?;
        map.serialize_entry("benchmark_id", &self.benchmark_id)?;
        map.serialize_entry("phase", "completed")?;
        // Of the result without its runs, `task_runs` is their number: here it is the runs.
        let result = candor_json::to_value(&self.result).map_err(serde::ser::Error::custom)?;
        let members = result.as_object().into_iter().flatten().filter(|(name, _)| *name != "task_runs");
        members.into_iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.serialize_entry("task_runs", &self.task_runs)?;
        map.end()
    }
}

fn flat<M: SerializeMap>(map: &mut M, result: &impl Serialize) -> Result<(), M::Error> {
    let value = candor_json::to_value(result).map_err(serde::ser::Error::custom)?;
    let Value::Object(members) = value else { return Err(serde::ser::Error::custom("a result is an object")) };
    members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
}
