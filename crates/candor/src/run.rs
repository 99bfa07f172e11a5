//! Results: the run of a task and of each of its criteria.

use std::time::SystemTime;

use candor_check::Status;
use candor_report::{Format, Style};
use candor_scoring::{Interval, Verdict};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::score::Score;

/// Text without colours, as wide as a page.
pub(crate) const PLAIN: Style = Style { color: false, width: 100 };

/// The outcome of one task: a verdict, a score, and the evidence of every criterion.
///
/// `Serialize` writes the JSON shape of the command line's `--format json`; [`Run::to_json`] is the same as text.
#[derive(Clone, Debug)]
pub struct Run(pub(crate) candor_engine::TaskRun);

impl Run {
    /// The id of this run: `tr_…`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The id of the task.
    #[must_use]
    pub fn task_id(&self) -> &str {
        &self.0.task_id
    }

    /// The verdict on the work. Ask [`Run::is_conclusive`], too, before acting on a verdict that is not a pass.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.0.result.verdict
    }

    /// The weighted score. Criteria that could not be verified count as 0.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::from_fraction(&self.0.result.score)
    }

    /// The ids of the criteria that failed, if the verdict is a pass all the same. Empty for every other verdict.
    #[must_use]
    pub fn passed_with_failures(&self) -> &[String] {
        self.0.result.passed_with_failures.as_ref().map_or(&[], |failures| &failures.ids)
    }

    /// The score at worst and at best: if no criterion that could not be verified holds, and if all of them do.
    #[must_use]
    pub fn interval(&self) -> (Score, Score) {
        bounds(&self.0.result.interval)
    }

    /// The share of weight that was verified.
    #[must_use]
    pub fn coverage(&self) -> Score {
        Score::from_fraction(&self.0.result.coverage)
    }

    /// Returns `true` if the verdict is the same however the criteria that could not be verified turn out.
    #[must_use]
    pub fn is_conclusive(&self) -> bool {
        self.0.result.conclusive
    }

    /// The scores by axis, in the order in which the task first names them.
    pub fn axes(&self) -> impl Iterator<Item = (&str, Axis)> {
        self.0.result.axes.iter().map(|(name, axis)| {
            let (score, interval) = (Score::from_fraction(&axis.score), bounds(&axis.interval));
            (name, Axis { score, interval, coverage: Score::from_fraction(&axis.coverage) })
        })
    }

    /// The outcome of each criterion, in the order of the task.
    pub fn criterion_runs(&self) -> impl ExactSizeIterator<Item = CriterionRun<'_>> {
        self.0.criterion_runs.iter().map(CriterionRun)
    }

    /// The outcome of the criterion with this id.
    #[must_use]
    pub fn criterion_run(&self, criterion_id: &str) -> Option<CriterionRun<'_>> {
        self.criterion_runs().find(|run| run.criterion_id() == criterion_id)
    }

    /// The whole run as one JSON document: what `candor check --format json` writes, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(&self.0)
    }

    /// The whole run as `candor check --format …` writes it.
    #[must_use]
    pub fn render(&self, format: Format) -> Vec<u8> {
        candor_report::task_run(&self.0, format, PLAIN)
    }

    /// The same result as whoever may not see the rubric gets it: without criterion runs.
    #[must_use]
    pub fn scored(mut self) -> Self {
        self.0.scored = true;
        self
    }

    /// Returns `true` if a check broke, which is a defect of Candor: its criterion is unverifiable.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.0.criterion_runs.iter().any(|criterion| criterion.broke)
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
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
pub struct CriterionRun<'a>(&'a candor_engine::CriterionRun);

impl<'a> CriterionRun<'a> {
    /// The id of this run: `cr_…`.
    #[must_use]
    pub fn id(&self) -> &'a str {
        &self.0.id
    }

    /// The id of the criterion.
    #[must_use]
    pub fn criterion_id(&self) -> &'a str {
        &self.0.criterion_id
    }

    /// The label of the criterion; its id if it has none.
    #[must_use]
    pub fn label(&self) -> &'a str {
        &self.0.label
    }

    /// The axis of the criterion, if it has one.
    #[must_use]
    pub fn axis(&self) -> Option<&'a str> {
        self.0.axis.as_deref()
    }

    /// Returns `true` if the verdict is `fail` unless this criterion passes.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.0.gate
    }

    /// The outcome: passed, failed or unverifiable.
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// The score: 1 of a pass, else 0. With `partial_credit: true` in the task, the share.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::from_fraction(&self.0.score().to_fraction())
    }

    /// The weighted share of results that passed, whatever the score is: 1 of a pass, 0 of what could not be verified.
    #[must_use]
    pub fn share(&self) -> Score {
        Score::from_fraction(&self.0.share().to_fraction())
    }

    /// Why it did not pass, for programs: `field_mismatch`, `no_source`, …. `None` on a pass.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.0.reason()
    }

    /// The finding for people, in one or two sentences: what was found, what was expected, and where.
    #[must_use]
    pub fn details(&self) -> &'a str {
        self.0.evidence.details()
    }

    /// Everything that decided the outcome: results by field, candidates, sources. The keys are those of the check.
    #[must_use]
    pub fn evidence(&self) -> Value {
        let by = Some((self.0.criterion_id.as_str(), self.0.verifier_id.as_str()));
        self.0.evidence.attributed(self.0.evidence_key, by)
    }

    /// When reading began.
    #[must_use]
    pub fn started_at(&self) -> SystemTime {
        self.0.started_at.into()
    }

    /// When judging ended.
    #[must_use]
    pub fn completed_at(&self) -> SystemTime {
        self.0.completed_at.into()
    }

    /// The criterion run as one JSON document, on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        json(self.0)
    }
}

impl Serialize for CriterionRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn bounds(interval: &Interval) -> (Score, Score) {
    (Score::from_fraction(&interval.low), Score::from_fraction(&interval.high))
}

/// These records have string keys and finite numbers only, so that writing them cannot fail.
fn json(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_default()
}
