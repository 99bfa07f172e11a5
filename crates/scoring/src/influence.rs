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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::criterion::{CriterionOutcome, Status};
    use crate::score::Score;
    use crate::task::TaskScorer;
    use crate::verdict::Verdict;

    struct Made {
        weight: Weight,
        gate: bool,
        partial_credit: bool,
    }

    fn made(weight: &str, gate: bool, partial_credit: bool) -> Made {
        Made { weight: weight.parse().unwrap(), gate, partial_credit }
    }

    fn of(all: &[Made]) -> Vec<Influence> {
        under(all, &PassRule::default())
    }

    fn under(all: &[Made], pass: &PassRule) -> Vec<Influence> {
        fn stake(made: &Made) -> Stake<'_> {
            Stake { weight: &made.weight, gate: made.gate, partial_credit: made.partial_credit }
        }
        influences(&all.iter().map(stake).collect::<Vec<_>>(), pass)
    }

    /// The verdict where each criterion scores so many quarters.
    fn verdict(all: &[Made], pass: &PassRule, quarters: &[u64]) -> Verdict {
        let mut scorer = TaskScorer::new().passing(pass.clone());
        for (made, quarters) in all.iter().zip(quarters) {
            let status = if *quarters == 4 { Status::Passed } else { Status::Failed };
            let score = Score::of(*quarters, 4).unwrap();
            let outcome = CriterionOutcome::new("c", made.weight.clone(), status, score).unwrap();
            scorer.add(&outcome.as_gate(made.gate));
        }
        scorer.finish().verdict
    }

    /// Every way the criteria can come out, one of them taken out.
    fn ways(all: &[Made], in_part: bool, without: usize) -> Vec<Vec<u64>> {
        let scores = |made: &Made| if in_part && made.partial_credit { vec![0, 1, 2, 4] } else { vec![0, 4] };
        all.iter().enumerate().fold(vec![Vec::new()], |ways, (index, made)| {
            let own = if index == without { vec![0] } else { scores(made) };
            ways.iter().flat_map(|way| own.iter().map(move |one| [way.as_slice(), &[*one]].concat())).collect()
        })
    }

    fn flipped(all: &[Made], pass: &PassRule, way: &[u64], index: usize) -> (Verdict, Verdict) {
        let mut with = way.to_vec();
        with[index] = 4;
        (verdict(all, pass, way), verdict(all, pass, &with))
    }

    #[test]
    fn what_hangs_on_a_weight() {
        use Influence::{Decides, None, NotAlone, NotOnPass};
        let equal = |n| (0..n).map(|_| made("1", false, true)).collect::<Vec<_>>();
        assert_eq!(of(&equal(9)), [Decides; 9]);
        assert_eq!(of(&equal(10)), [NotAlone; 10]);
        assert_eq!(of(&[made("0", false, true), made("0", true, true)]), [None; 2]);
        assert_eq!(
            of(&[made("1", false, true), made("0", true, true), made("0", false, true)]),
            [Decides, Decides, None]
        );
        // A gate of nine tenths passes by itself; of a little less it does not.
        assert_eq!(of(&[made("9", true, true), made("1", false, true)]), [Decides, None]);
        assert_eq!(of(&[made("8.9", true, true), made("1.1", false, true)]), [Decides, Decides]);
        assert_eq!(
            of(&[made("85", true, true), made("11", false, false), made("4", false, false)]),
            [Decides, Decides, None]
        );
        assert_eq!(of(&[made("85", true, true), made("11", false, true), made("4", false, false)])[2], NotOnPass);
    }

    #[test]
    fn what_hangs_on_a_weight_under_another_rule() {
        use Influence::{Decides, None, NotAlone, NotOnPass};
        let equal = |n| (0..n).map(|_| made("1", false, false)).collect::<Vec<_>>();
        let half: PassRule = "0.5".parse().unwrap();
        for all in [PassRule::ALL, "1".parse().unwrap()] {
            assert_eq!(under(&equal(20), &all), [Decides; 20]);
            let small = [made("1", true, false), made("0.001", false, false), made("0", false, false)];
            assert_eq!(under(&small, &all), [Decides, Decides, None]);
        }
        assert_eq!(under(&equal(1), &half), [Decides]);
        assert_eq!(under(&equal(2), &half), [NotAlone; 2]);
        assert_eq!(under(&[made("2", false, false), made("1", false, false)], &half), [Decides, NotOnPass]);
        assert_eq!(under(&[made("2", true, false), made("1", false, false)], &half), [Decides, None]);
    }

    #[test]
    fn many_criteria_take_no_longer_than_the_budget() {
        let all: Vec<Made> = (0..400).map(|n| made(&format!("{}", 1_000_000 + n * n), false, true)).collect();
        assert_eq!(of(&all), vec![Influence::NotAlone; 400]);
    }

    fn criteria() -> impl Strategy<Value = Vec<Made>> {
        let weight = prop::sample::select(vec!["0", "0.05", "0.1", "0.4", "1", "1", "2", "3.5", "10", "20"]);
        let one = (weight, prop::bool::weighted(0.2), any::<bool>());
        prop::collection::vec(one.prop_map(|(weight, gate, in_part)| made(weight, gate, in_part)), 1..6)
    }

    fn rules() -> impl Strategy<Value = PassRule> {
        prop::sample::select(vec!["0.9", "0.9", "all", "1", "0.5", "0.05", "0.333"])
            .prop_map(|rule| rule.parse().unwrap())
    }

    impl std::fmt::Debug for Made {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(
                f,
                "{}{}{}",
                self.weight,
                if self.gate { "g" } else { "" },
                if self.partial_credit { "p" } else { "" }
            )
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(200)))]

        /// Against the scorer itself, over every outcome in which a criterion is met or not: that is exact.
        #[test]
        fn influence_is_what_flipping_shows(all in criteria(), rule in rules()) {
            for (index, influence) in under(&all, &rule).into_iter().enumerate() {
                let flips: Vec<_> = ways(&all, false, index).iter().map(|way| flipped(&all, &rule, way, index)).collect();
                let pass = flips.iter().any(|(without, with)| (*without == Verdict::Pass) != (*with == Verdict::Pass));
                let alone: Vec<u64> = (0..all.len()).map(|other| if other == index { 0 } else { 4 }).collect();
                let unnoticed = verdict(&all, &rule, &alone) == Verdict::Pass;
                let nothing = all.iter().all(|made| made.weight.is_zero());
                prop_assert_eq!(influence >= Influence::NotAlone, pass && !nothing, "{:?} {}", all, index);
                prop_assert_eq!(influence == Influence::Decides, !unnoticed && pass, "{:?} {}", all, index);
            }
        }

        /// A criterion without influence does not change the verdict on scores in part either. Influence shows in whole
        /// scores, or in a window between the quarters.
        #[test]
        fn what_has_no_influence_has_none_on_scores_in_part(all in criteria(), rule in rules()) {
            for (index, influence) in under(&all, &rule).into_iter().enumerate() {
                let changes = || ways(&all, true, index).iter().any(|way| {
                    let (without, with) = flipped(&all, &rule, way, index);
                    without != with
                });
                if influence == Influence::None {
                    prop_assert!(!changes(), "{:?} {}", all, index);
                } else if all.iter().all(|made| !made.partial_credit) {
                    prop_assert!(changes(), "{:?} {}", all, index);
                }
            }
        }
    }
}
