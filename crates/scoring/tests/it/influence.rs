//! The influence of criteria on the verdict, against the scorer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use candor_scoring::{
    CriterionOutcome, Influence, PassRule, Score, Stake, Status, TaskScorer, Verdict, Weight, influences,
};
use proptest::prelude::*;

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
    assert_eq!(of(&[made("1", false, true), made("0", true, true), made("0", false, true)]), [Decides, Decides, None]);
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
    prop::sample::select(vec!["0.9", "0.9", "all", "1", "0.5", "0.05", "0.333"]).prop_map(|rule| rule.parse().unwrap())
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.weight, if self.gate { "g" } else { "" }, if self.partial_credit { "p" } else { "" })
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
