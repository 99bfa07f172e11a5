//! Results: the run of a task and of each of its criteria.

use std::time::SystemTime;

use candor_check::Status;
use candor_engine::TaskRun;
use candor_json::Value;
use candor_report::{Format, Style};
use candor_scoring::{Interval, TaskResult, Verdict};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::run_read::{CriterionRead, RunRead};
use crate::score::Score;

pub(crate) const PLAIN: Style = Style { color: false, width: 100 };

/// The outcome of one task: a verdict, a score, and the evidence of every criterion.
///
/// `Serialize` writes the JSON shape of the command line's `--format json`; [`Run::to_json`] is the same as text.
/// `Deserialize` reads it again, and scores the criterion runs again: a verdict or a score that they do not come to is an
/// error, and so is a result whose criterion runs are hidden ([`Run::scored`]).
///
/// ```
/// use candor::json::json;
/// use candor::{Engine, Run, Sandbox, Task, blocking};
///
/// let task = Task::from_value(json!({"id": "t", "criteria": [{"id": "sent", "assertion": {
///     "assert": "hl7-structural", "correlate_by": {"message_type": "ORM^O01"},
/// }}]}))?;
/// let run = blocking::run(&Engine::standard(), &task, &Sandbox::builder().build()?)?;
/// let stored = run.to_json();
/// let read: Run = candor::json::from_str(&stored)?;
/// assert_eq!((read.verdict(), read.to_json()), (run.verdict(), stored.clone()));
/// let forged = stored.replace("\"verdict\":\"fail\"", "\"verdict\":\"pass\"");
/// assert!(candor::json::from_str::<Run>(&forged).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Run(Form);

#[derive(Clone, Debug)]
enum Form {
    Made(Box<TaskRun>),
    Read(Box<RunRead>),
}

impl Run {
    pub(crate) fn made(run: TaskRun) -> Self {
        Self(Form::Made(Box::new(run)))
    }

    /// The engine's own run; `None` of one that was read.
    #[cfg(feature = "bundle")]
    pub(crate) fn as_made(&self) -> Option<&TaskRun> {
        match &self.0 {
            Form::Made(run) => Some(run),
            Form::Read(_) => None,
        }
    }

    fn result(&self) -> &TaskResult {
        match &self.0 {
            Form::Made(run) => &run.result,
            Form::Read(run) => &run.result,
        }
    }

    /// The id of this run: `tr_…`.
    #[must_use]
    pub fn id(&self) -> &str {
        match &self.0 {
            Form::Made(run) => &run.id,
            Form::Read(run) => &run.id,
        }
    }

    /// The id of the task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        match &self.0 {
            Form::Made(run) => &run.task_id,
            Form::Read(run) => &run.task_id,
        }
    }

    /// The verdict on the work. Ask [`Run::is_conclusive`], too, before acting on a verdict that is not a pass.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.result().verdict
    }

    /// The weighted score. Criteria that could not be verified count as 0.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::from_fraction(&self.result().score)
    }

    /// The ids of the criteria that failed, if the verdict is a pass all the same. Empty for every other verdict.
    #[must_use]
    pub fn passed_with_failures(&self) -> &[String] {
        self.result().passed_with_failures.as_ref().map_or(&[], |failures| &failures.ids)
    }

    /// The score at worst and at best: if no criterion that could not be verified holds, and if all of them do.
    #[must_use]
    pub fn interval(&self) -> (Score, Score) {
        bounds(&self.result().interval)
    }

    /// The share of weight that was verified.
    #[must_use]
    pub fn coverage(&self) -> Score {
        Score::from_fraction(&self.result().coverage)
    }

    /// Returns `true` if the verdict is the same however the criteria that could not be verified turn out.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        self.result().conclusive
    }

    /// The scores by axis, in the order in which the task first names them.
    pub fn axes(&self) -> impl Iterator<Item = (&str, Axis)> {
        self.result().axes.iter().map(|(name, axis)| {
            let (score, interval) = (Score::from_fraction(&axis.score), bounds(&axis.interval));
            (name, Axis { score, interval, coverage: Score::from_fraction(&axis.coverage) })
        })
    }

    /// The outcome of each criterion, in the order of the task.
    pub fn criterion_runs(&self) -> impl ExactSizeIterator<Item = CriterionRun<'_>> {
        let ones: Vec<One<'_>> = match &self.0 {
            Form::Made(run) => run.criterion_runs.iter().map(One::Made).collect(),
            Form::Read(run) => run.criteria.iter().map(One::Read).collect(),
        };
        ones.into_iter().map(CriterionRun)
    }

    /// The outcome of the criterion with this id.
    #[must_use]
    pub fn criterion_run(&self, criterion_id: &str) -> Option<CriterionRun<'_>> {
        self.criterion_runs().find(|run| run.criterion_id() == criterion_id)
    }

    /// The whole run as one JSON document: what `candor check --format json` writes, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// The whole run as `candor check --format …` writes it.
    #[must_use]
    pub fn render(&self, format: Format) -> Vec<u8> {
        match &self.0 {
            Form::Made(run) => candor_report::task_run(run, format, PLAIN),
            // A task run is written in every format.
            Form::Read(run) => {
                candor_report::stored(run.document.to_string().as_bytes(), format, PLAIN).unwrap_or_default()
            }
        }
    }

    /// The same result as whoever may not see the rubric gets it: without criterion runs.
    #[must_use]
    pub fn scored(mut self) -> Self {
        match &mut self.0 {
            Form::Made(run) => run.scored = true,
            Form::Read(run) => run.hide(),
        }
        self
    }

    /// Returns `true` if a check broke, which is a defect of Candor: its criterion is unverifiable. No result says so, and a
    /// run that was read returns `false`.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        matches!(&self.0, Form::Made(run) if run.criterion_runs.iter().any(|criterion| criterion.broke))
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Made(run) => run.serialize(serializer),
            Form::Read(run) => run.document.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = RunRead::of(Value::deserialize(deserializer)?).map_err(D::Error::custom)?;
        Ok(Self(Form::Read(Box::new(read))))
    }
}

/// The sums of the criteria on one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Axis {
    /// The weighted score.
    pub score: Score,
    /// The score at worst and at best.
    pub interval: (Score, Score),
    /// The share of weight that was verified.
    pub coverage: Score,
}

/// The outcome of one criterion.
#[derive(Clone, Copy, Debug)]
pub struct CriterionRun<'a>(One<'a>);

#[derive(Clone, Copy, Debug)]
enum One<'a> {
    Made(&'a candor_engine::CriterionRun),
    Read(&'a CriterionRead),
}

impl<'a> CriterionRun<'a> {
    /// The id of this run: `cr_…`.
    #[must_use]
    pub fn id(&self) -> &'a str {
        match self.0 {
            One::Made(one) => &one.id,
            One::Read(one) => &one.run.id,
        }
    }

    /// The id of the criterion.
    #[must_use]
    pub fn criterion_id(&self) -> &'a str {
        match self.0 {
            One::Made(one) => &one.criterion_id,
            One::Read(one) => &one.run.criterion_id,
        }
    }

    /// The label of the criterion; its id if it does not have a label.
    #[must_use]
    pub fn label(&self) -> &'a str {
        match self.0 {
            One::Made(one) => &one.label,
            One::Read(one) => &one.run.label,
        }
    }

    /// The axis of the criterion, if it has one.
    #[must_use]
    pub fn axis(&self) -> Option<&'a str> {
        match self.0 {
            One::Made(one) => one.axis.as_deref(),
            One::Read(one) => one.run.axis.as_deref(),
        }
    }

    /// Returns `true` if the verdict is `fail` unless this criterion passes.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        match self.0 {
            One::Made(one) => one.gate,
            One::Read(one) => one.run.gate,
        }
    }

    /// The outcome: passed, failed or unverifiable.
    #[must_use]
    pub fn status(&self) -> Status {
        match self.0 {
            One::Made(one) => one.status(),
            One::Read(one) => one.run.status,
        }
    }

    /// The score: 1 of a pass, else 0. With `partial_credit: true` in the task, the share.
    #[must_use]
    pub fn score(&self) -> Score {
        match self.0 {
            One::Made(one) => Score::from_fraction(&one.score().to_fraction()),
            One::Read(one) => one.score.clone(),
        }
    }

    /// The weighted share of results that passed, whatever the score is: 1 of a pass, 0 of what could not be verified.
    #[must_use]
    pub fn share(&self) -> Score {
        match self.0 {
            One::Made(one) => Score::from_fraction(&one.share().to_fraction()),
            One::Read(one) => one.share.clone(),
        }
    }

    /// Why it did not pass, for programs: `field_mismatch`, `no_source`, …. `None` on a pass.
    #[must_use]
    pub fn reason(&self) -> Option<&'a str> {
        match self.0 {
            One::Made(one) => one.reason(),
            One::Read(one) => one.run.reason.as_deref(),
        }
    }

    /// The finding for people, in one or two sentences: what was found, what was expected, and where.
    #[must_use]
    pub fn details(&self) -> &'a str {
        match self.0 {
            One::Made(one) => one.evidence.details(),
            One::Read(one) => &one.run.details,
        }
    }

    /// Everything that decided the outcome: results by field, candidates, sources. The keys are those of the check.
    #[must_use]
    pub fn evidence(&self) -> Value {
        match self.0 {
            One::Made(one) => {
                let by = Some((one.criterion_id.as_str(), one.verifier_id.as_str()));
                one.evidence.attributed(one.evidence_key, by)
            }
            One::Read(one) => Value::Object(one.run.evidence.clone()),
        }
    }

    /// When reading began.
    #[must_use]
    pub fn started_at(&self) -> SystemTime {
        match self.0 {
            One::Made(one) => one.started_at.into(),
            One::Read(one) => one.times.0,
        }
    }

    /// When judging ended.
    #[must_use]
    pub fn completed_at(&self) -> SystemTime {
        match self.0 {
            One::Made(one) => one.completed_at.into(),
            One::Read(one) => one.times.1,
        }
    }

    /// The criterion run as one JSON document, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self)
    }
}

impl Serialize for CriterionRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            One::Made(one) => one.serialize(serializer),
            One::Read(one) => one.document.serialize(serializer),
        }
    }
}

fn bounds(interval: &Interval) -> (Score, Score) {
    (Score::from_fraction(&interval.low), Score::from_fraction(&interval.high))
}

/// These records have string keys and finite numbers only, so that writing them cannot fail.
fn json(record: &impl Serialize) -> String {
    candor_json::to_string(record).unwrap_or_default()
}
