//! Verdicts, and the interval a score can lie in.

use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize, Serializer};

use crate::Fraction;

/// The verdict on a task or a benchmark, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The score is 0, there was nothing to score, or a gate did not pass.
    Fail,
    /// The score is above 0, and the rule for a pass is not met.
    Partial,
    /// The rule for a pass is met: of a task that gives none, and of a benchmark, a score of 9/10 or more.
    Pass,
}

impl Verdict {
    /// The verdict that a score alone earns at the threshold 9/10, compared exactly. [`PassRule`](crate::PassRule) has the
    /// others.
    ///
    /// ```
    /// use candor_scoring::{Fraction, Verdict};
    /// assert_eq!(Verdict::of(&Fraction::of(9, 10).unwrap()), Verdict::Pass);
    /// assert_eq!(Verdict::of(&Fraction::of(8999, 10_000).unwrap()), Verdict::Partial);
    /// assert_eq!(Verdict::of(&Fraction::ZERO), Verdict::Fail);
    /// ```
    pub fn of(score: &Fraction) -> Verdict {
        if *score >= Fraction::PASS_THRESHOLD {
            Verdict::Pass
        } else if *score > Fraction::ZERO {
            Verdict::Partial
        } else {
            Verdict::Fail
        }
    }

    /// The word for it in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Fail => "fail",
            Verdict::Partial => "partial",
            Verdict::Pass => "pass",
        }
    }
}

/// The score with everything unverifiable counted as 0, and as 1. JSON: `[low, high]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Everything unverifiable counted as 0.
    pub low: Fraction,
    /// Everything unverifiable counted as 1.
    pub high: Fraction,
}

impl Interval {
    /// `[0, 0]`: nothing had any weight.
    pub const ZERO: Interval = Interval { low: Fraction::ZERO, high: Fraction::ZERO };

    /// True if a score lies within, its ends included.
    pub fn contains(&self, score: &Fraction) -> bool {
        self.low <= *score && *score <= self.high
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut pair = serializer.serialize_tuple(2)?;
        pair.serialize_element(&self.low)?;
        pair.serialize_element(&self.high)?;
        pair.end()
    }
}
