//! The parts of a criterion run that scoring needs.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Score, Weight};

/// How a criterion run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The ground truth holds what was asserted.
    Passed,
    /// The ground truth was read and does not hold what was asserted.
    Failed,
    /// The ground truth could not be read or decided.
    Unverifiable,
}

/// A criterion run whose status and score are of one mind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionOutcome<'a> {
    criterion_id: &'a str,
    axis: Option<&'a str>,
    weight: Weight,
    gate: bool,
    status: Status,
    score: Score,
}

/// A status and a score that cannot both be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inconsistent {
    /// The status of the criterion run.
    pub status: Status,
    /// Its score.
    pub score: Score,
}

impl fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (status, needs) = match self.status {
            Status::Passed => ("passed", "a passed criterion has score 1"),
            // Never made: a failed criterion may have any score.
            Status::Failed => ("failed", "a failed criterion has a score from 0 to 1"),
            Status::Unverifiable => ("unverifiable", "an unverifiable criterion has score 0"),
        };
        write!(f, "status {status} with score {}: {needs}", self.score)
    }
}

impl std::error::Error for Inconsistent {}

impl<'a> CriterionOutcome<'a> {
    /// An outcome without axis that is not a gate.
    ///
    /// # Errors
    /// `passed` with a score below 1, or `unverifiable` with a score above 0. Such a record is never scored: its status
    /// or its score may be wrong. `failed` with the score 1 is the result of a failed field of weight 0.
    pub fn new(criterion_id: &'a str, weight: Weight, status: Status, score: Score) -> Result<Self, Inconsistent> {
        let consistent = match status {
            Status::Passed => score.is_one(),
            Status::Failed => true,
            Status::Unverifiable => score.is_zero(),
        };
        if !consistent {
            return Err(Inconsistent { status, score });
        }
        Ok(CriterionOutcome { criterion_id, axis: None, weight, gate: false, status, score })
    }

    /// A passed criterion.
    pub fn passed(criterion_id: &'a str, weight: Weight) -> Self {
        let (status, score) = (Status::Passed, Score::ONE);
        CriterionOutcome { criterion_id, axis: None, weight, gate: false, status, score }
    }

    /// An unverifiable criterion.
    pub fn unverifiable(criterion_id: &'a str, weight: Weight) -> Self {
        let (status, score) = (Status::Unverifiable, Score::ZERO);
        CriterionOutcome { criterion_id, axis: None, weight, gate: false, status, score }
    }

    /// The same on an axis; `None` is the bucket [`DEFAULT_AXIS`](crate::DEFAULT_AXIS).
    #[must_use]
    pub fn on_axis(mut self, axis: Option<&'a str>) -> Self {
        self.axis = axis;
        self
    }

    /// The same as a gate, or not.
    #[must_use]
    pub fn as_gate(mut self, gate: bool) -> Self {
        self.gate = gate;
        self
    }

    /// The criterion's id.
    pub fn criterion_id(&self) -> &'a str {
        self.criterion_id
    }

    /// The axis, if the criterion has one.
    pub fn axis(&self) -> Option<&'a str> {
        self.axis
    }

    /// The weight.
    pub fn weight(&self) -> &Weight {
        &self.weight
    }

    /// True if the verdict is `fail` unless this criterion passes.
    pub fn is_gate(&self) -> bool {
        self.gate
    }

    /// How the run ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The score.
    pub fn score(&self) -> &Score {
        &self.score
    }
}
