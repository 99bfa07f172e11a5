//! Scores a task: the weighted mean of its criteria, over all and by axis.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::exact::{Decimal, DecimalSum, FractionSum};
use crate::{CriterionOutcome, Fraction, Interval, PassRule, Status, Verdict, Weight};

/// The axis of the criteria that name none.
pub const DEFAULT_AXIS: &str = "__default__";

/// The outcome of one task, in the shape and order of the task run's JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskResult {
    /// The verdict: by score, unless a gate did not pass.
    pub verdict: Verdict,
    /// The criteria that failed, if the verdict is `pass` all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed_with_failures: Option<Failures>,
    /// The task's rule for a `pass`.
    #[serde(skip_serializing_if = "PassRule::is_default")]
    pub pass: PassRule,
    /// The weighted mean of the criteria's scores.
    pub score: Fraction,
    /// The score with everything unverifiable counted as 0, and as 1.
    pub interval: Interval,
    /// The share of weight that could be verified.
    pub coverage: Fraction,
    /// True if the verdict is the same at both ends of the interval.
    pub conclusive: bool,
    /// The verdict at the high end: with everything unverifiable counted as passed.
    #[serde(skip)]
    pub at_best: Verdict,
    /// The same by axis, in the order in which the axes were named.
    pub axes: Axes<AxisResult>,
}

/// The criteria that failed in a task run. JSON: the list of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failures {
    /// How many criteria the task run has.
    pub criteria: u64,
    /// How many of them failed.
    pub failed: u64,
    /// The ids of those that failed, up to [`MAX_FAILED_BYTES`] of text.
    pub ids: Vec<String>,
}

/// The most text that is kept of the ids of failed criteria, so that a stored task run of any length can be scored.
pub const MAX_FAILED_BYTES: usize = 1 << 20;

impl Serialize for Failures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.ids.serialize(serializer)
    }
}

/// The outcome of one axis of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AxisResult {
    /// The weighted mean of the scores of the axis's criteria.
    pub score: Fraction,
    /// The sum of their weights.
    pub weight: Weight,
    /// The score with everything unverifiable counted as 0, and as 1.
    pub interval: Interval,
    /// The share of the axis's weight that could be verified.
    pub coverage: Fraction,
}

/// Results by axis, in order. JSON: an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axes<T>(pub(crate) Vec<(String, T)>);

impl<T> Axes<T> {
    /// The result of one axis.
    pub fn get(&self, axis: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, result)| result)
    }

    /// All axes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, result)| (name.as_str(), result))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no axes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Axes<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, result) in self.iter() {
            map.serialize_entry(name, result)?;
        }
        map.end()
    }
}

/// Adds up the criteria of one task. The order in which they are added does not matter, but for
/// the order of the axes.
#[derive(Debug, Clone, Default)]
pub struct TaskScorer {
    all: Sums,
    axes: NamedAxes<Sums>,
    pass: PassRule,
    gates: Open,
    weighted: Open,
    failures: Failed,
}

/// The criteria of a kind that did not pass: if any failed, and if any is unverifiable.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    failed: bool,
    unverifiable: bool,
}

impl Open {
    fn add(&mut self, status: Status) {
        self.failed |= status == Status::Failed;
        self.unverifiable |= status == Status::Unverifiable;
    }
}

#[derive(Debug, Clone, Default)]
struct Failed {
    criteria: u64,
    failed: u64,
    ids: Vec<String>,
    bytes: usize,
}

impl Failed {
    fn add(&mut self, outcome: &CriterionOutcome<'_>) {
        self.criteria += 1;
        if outcome.status() != Status::Failed {
            return;
        }
        self.failed += 1;
        let bytes = self.bytes.saturating_add(outcome.criterion_id().len());
        // Ids in order and without a gap: once one is left out, so are all after it.
        if bytes <= MAX_FAILED_BYTES && self.ids.len() as u64 == self.failed - 1 {
            self.ids.push(outcome.criterion_id().to_owned());
            self.bytes = bytes;
        }
    }
}

#[derive(Debug, Clone, Default)]
struct Sums {
    weight: DecimalSum,
    unverifiable: DecimalSum,
    scored: FractionSum,
}

impl Sums {
    fn add(&mut self, outcome: &CriterionOutcome<'_>) {
        let Decimal { mantissa, scale } = &outcome.weight().0;
        self.weight.add(mantissa, *scale);
        match outcome.status() {
            Status::Unverifiable => self.unverifiable.add(mantissa, *scale),
            _ if outcome.score().is_zero() => {}
            _ => {
                let (numerator, more, denominator) = outcome.score().terms();
                self.scored.add(&mantissa.mul(&numerator), scale + more, denominator);
            }
        }
    }

    fn finish(&self) -> AxisResult {
        let weight = self.weight.total();
        let open = self.unverifiable.total();
        // The quotients exist unless the weights sum to 0: then the score is 0 and nothing is open.
        let low = self.scored.divided_by(&weight).unwrap_or(Fraction::ZERO);
        let (high, coverage) = if open.mantissa.is_zero() {
            (low.clone(), Fraction::ONE)
        } else {
            let mut sum = FractionSum::default();
            sum.add(&open.mantissa, open.scale, 1);
            let unverified = sum.divided_by(&weight).unwrap_or(Fraction::ZERO);
            let mut at_best = self.scored.clone();
            at_best.add(&open.mantissa, open.scale, 1);
            let high = at_best.divided_by(&weight).unwrap_or(Fraction::ZERO);
            (high, unverified.complement())
        };
        AxisResult { score: low.clone(), weight: Weight(weight), interval: Interval { low, high }, coverage }
    }
}

impl TaskScorer {
    /// A task without criteria yet.
    pub fn new() -> Self {
        TaskScorer::default()
    }

    /// A task whose axes are these, in this order; axes named by criteria alone come behind them.
    /// An axis none of whose criteria were added has score 0 and weight 0.
    pub fn with_axes<'a>(axes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut scorer = TaskScorer::default();
        for axis in axes {
            scorer.axes.update(axis, |_| {});
        }
        scorer
    }

    /// The same task with another rule for a pass.
    #[must_use]
    pub fn passing(mut self, pass: PassRule) -> Self {
        self.pass = pass;
        self
    }

    /// Adds one criterion run.
    pub fn add(&mut self, outcome: &CriterionOutcome<'_>) {
        self.all.add(outcome);
        self.failures.add(outcome);
        self.axes.update(outcome.axis().unwrap_or(DEFAULT_AXIS), |sums| sums.add(outcome));
        if outcome.is_gate() {
            self.gates.add(outcome.status());
        }
        if !outcome.weight().is_zero() {
            self.weighted.add(outcome.status());
        }
    }

    /// How many axes there are so far.
    pub fn axis_count(&self) -> usize {
        self.axes.len()
    }

    /// The result. A task without criteria has score 0 and fails.
    pub fn finish(self) -> TaskResult {
        let AxisResult { score, interval, coverage, .. } = self.all.finish();
        let Open { failed, unverifiable } = self.weighted;
        let gated = |closed: bool, score: &Fraction, all_passed: bool| {
            if closed { Verdict::Fail } else { self.pass.verdict(score, all_passed) }
        };
        // What is unverifiable has not passed at the low end, and has passed at the high end.
        let verdict = gated(self.gates.failed || self.gates.unverifiable, &interval.low, !failed && !unverifiable);
        let at_best = gated(self.gates.failed, &interval.high, !failed);
        let Failed { criteria, failed, ids, .. } = self.failures;
        let with_failures = verdict == Verdict::Pass && failed > 0;
        TaskResult {
            verdict,
            passed_with_failures: with_failures.then_some(Failures { criteria, failed, ids }),
            pass: self.pass,
            score,
            interval,
            coverage,
            conclusive: verdict == at_best,
            at_best,
            axes: self.axes.map(|sums| sums.finish()),
        }
    }
}

/// Something for each axis, in the order in which the axes were first named.
#[derive(Debug, Clone)]
pub(crate) struct NamedAxes<T>(BTreeMap<String, (usize, T)>);

impl<T> Default for NamedAxes<T> {
    fn default() -> Self {
        NamedAxes(BTreeMap::new())
    }
}

impl<T: Default> NamedAxes<T> {
    /// Changes what is kept for an axis, which is new if it was not named before.
    pub(crate) fn update(&mut self, axis: &str, change: impl FnOnce(&mut T)) {
        if let Some((_, kept)) = self.0.get_mut(axis) {
            change(kept);
        } else {
            let mut kept = T::default();
            change(&mut kept);
            self.0.insert(axis.to_owned(), (self.0.len(), kept));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn map<R>(self, mut finish: impl FnMut(T) -> R) -> Axes<R> {
        let mut ordered: Vec<_> = self.0.into_iter().collect();
        ordered.sort_unstable_by_key(|(_, (order, _))| *order);
        Axes(ordered.into_iter().map(|(name, (_, kept))| (name, finish(kept))).collect())
    }
}
