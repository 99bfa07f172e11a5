//! The influence of a criterion on the verdict, from the weights alone.
//!
//! The verdict is `pass` if no more weight than the slack `S` is missing, `fail` at 0 or if a gate is not passed, else
//! `partial`. With `W` the sum of all weights, `S` is `W/10` at the threshold 9/10, and 0 if all must pass. With `w`
//! the criterion's weight:
//!
//! - Flipping a gate flips the verdict between `fail` and another wherever everything else is passed, for then the score is
//!   above 0.
//! - A criterion of weight 0 that is not a gate is in neither the score nor the gates.
//! - For any other, let `t` be the missing weight of the others. With the criterion the score is `1 - t/W`, without it
//!   `1 - t/W - w/W`. It decides between `pass` and not exactly if `S - w < t <= S`. Gates that miss are `fail` either
//!   way, so `t` is made only of the others that are not gates.
//! - Between `fail` and `partial` it decides where every other score is 0. That needs that no gate has a weight: a gate that
//!   is passed has one above 0.

use std::collections::BTreeSet;

use crate::exact::Natural;
use crate::pass::PassRule;
use crate::weight::Weight;

/// The part of a criterion that decides its influence.
#[derive(Debug, Clone, Copy)]
pub struct Stake<'a> {
    /// Its weight.
    pub weight: &'a Weight,
    /// True if it is a gate.
    pub gate: bool,
    /// True if partial work earns a partial score.
    pub partial_credit: bool,
}

/// The verdicts that a criterion can change. Each variant has more influence than the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Influence {
    /// No verdict, whatever the others score.
    None,
    /// Never `pass`, whichever of the others are met; only the choice between `fail` and `partial`.
    NotOnPass,
    /// `pass`, together with others: if it alone fails, the task still passes.
    NotAlone,
    /// If it fails, the task does not pass.
    Decides,
}

/// The most sums that Candor computes for all criteria of a task. If a criterion needs more sums, it is taken
/// to decide together with others, which is the weaker claim about a task.
const MAX_SUMS: usize = 1 << 18;

/// The influence of each criterion, in order, if a task passes by this rule. If the weights sum to 0, no criterion has
/// any.
///
/// ```
/// use candor_scoring::{Influence, PassRule, Stake, Weight, influences};
/// let weights: Vec<Weight> = ["1", "1", "0.001", "0"].iter().map(|w| w.parse().unwrap()).collect();
/// let stakes: Vec<Stake> = weights.iter().map(|weight| Stake { weight, gate: false, partial_credit: true }).collect();
/// let by_score = influences(&stakes, &PassRule::default());
/// assert_eq!(by_score, [Influence::Decides, Influence::Decides, Influence::NotOnPass, Influence::None]);
/// let all = influences(&stakes, &PassRule::ALL);
/// assert_eq!(all, [Influence::Decides, Influence::Decides, Influence::Decides, Influence::None]);
/// ```
#[must_use]
pub fn influences(stakes: &[Stake<'_>], pass: &PassRule) -> Vec<Influence> {
    let scale = stakes.iter().map(|stake| stake.weight.0.scale).max().unwrap_or_default();
    let digits = |weight: &Weight| weight.0.mantissa.scaled(scale.saturating_sub(weight.0.scale));
    let weights: Vec<Natural> = stakes.iter().map(|stake| digits(stake.weight)).collect();
    let slack = pass.slack(&sum(weights.iter()));
    // In parts of the last digit, so that the slack is a whole number.
    let weights: Vec<Natural> = weights.iter().map(|weight| weight.scaled(pass.scale())).collect();
    let all = Field {
        whole: sum(weights.iter()),
        slack,
        gates: sum(weights.iter().zip(stakes).filter(|(_, stake)| stake.gate).map(|(weight, _)| weight)),
        weights,
        stakes,
    };
    let mut budget = MAX_SUMS;
    (0..stakes.len()).map(|index| all.influence(index, &mut budget)).collect()
}

fn sum<'a>(weights: impl Iterator<Item = &'a Natural>) -> Natural {
    weights.fold(Natural::ZERO, |sum, weight| sum.add(weight))
}

struct Field<'a> {
    weights: Vec<Natural>,
    stakes: &'a [Stake<'a>],
    whole: Natural,
    /// The most weight that may be missing of a pass.
    slack: Natural,
    gates: Natural,
}

impl Field<'_> {
    fn influence(&self, index: usize, budget: &mut usize) -> Influence {
        let (Some(weight), Some(stake)) = (self.weights.get(index), self.stakes.get(index)) else {
            return Influence::None;
        };
        if self.whole.is_zero() || weight.is_zero() && !stake.gate {
            return Influence::None;
        }
        if stake.gate || *weight > self.slack {
            return Influence::Decides;
        }
        // What the gates leave to all others: where all of it may be missing, the gates alone pass.
        let rest = self.whole.checked_sub(&self.gates).unwrap_or(Natural::ZERO);
        if !self.gates.is_zero() && rest <= self.slack {
            return Influence::None;
        }
        if self.decides_with_others(index, weight, budget) {
            return Influence::NotAlone;
        }
        // With a gate that has weight no score is 0 where the gates are passed; with others that score in part, what is
        // missing may be anything.
        let in_part = |(other, stake): (usize, &Stake<'_>)| other != index && !stake.gate && stake.partial_credit;
        match self.gates.is_zero() || self.stakes.iter().enumerate().any(in_part) {
            true => Influence::NotOnPass,
            false => Influence::None,
        }
    }

    /// True if some of the others together weigh more than `slack - weight` and no more than `slack`.
    fn decides_with_others(&self, index: usize, weight: &Natural, budget: &mut usize) -> bool {
        let slack = &self.slack;
        // No weight is below 0. A weight equal to the slack decides alone except at `t = 0`: with nothing else missing,
        // the task passes without it.
        let above = slack.checked_sub(weight).unwrap_or(Natural::ZERO);
        let others = self.weights.iter().zip(self.stakes).enumerate();
        let others = others.filter(|(other, (_, stake))| *other != index && !stake.gate).map(|(_, (weight, _))| weight);
        let mut light: Vec<&Natural> = others.filter(|other| !other.is_zero() && *other <= slack).collect();
        if sum(light.iter().copied()) <= above {
            return false;
        }
        // Steps of no more than the window's width do not jump over it.
        if sum(light.iter().copied().filter(|other| *other <= weight)) > above {
            return true;
        }
        light.sort_unstable_by(|a, b| b.cmp(a));
        let mut sums = BTreeSet::from([Natural::ZERO]);
        for other in light {
            let reached: Vec<Natural> = sums.iter().map(|sum| sum.add(other)).filter(|sum| sum <= slack).collect();
            if reached.iter().any(|sum| *sum > above) {
                return true;
            }
            match budget.checked_sub(reached.len()) {
                Some(left) => *budget = left,
                None => return true,
            }
            sums.extend(reached);
        }
        false
    }
}
