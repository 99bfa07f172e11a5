//! Criterion outcomes to try, and a slow plain reference to compare with.
#![allow(clippy::unwrap_used, dead_code, reason = "helpers of tests; each test uses a part")]

use candor_scoring::{CriterionOutcome, Fraction, PassRule, Score, Status, TaskResult, TaskScorer, Weight};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) mantissa: u32,
    pub(crate) exponent: i32,
    pub(crate) status: Status,
    pub(crate) score: Score,
    pub(crate) gate: bool,
    pub(crate) axis: Option<&'static str>,
}

pub(crate) const AXES: [Option<&str>; 4] = [None, Some("a"), Some("b"), Some("__default__")];

impl Made {
    pub(crate) fn weight_text(&self) -> String {
        format!("{}e{}", self.mantissa, self.exponent)
    }

    pub(crate) fn weight(&self) -> Weight {
        self.weight_text().parse().unwrap()
    }

    pub(crate) fn outcome(&self) -> CriterionOutcome<'static> {
        self.named("c")
    }

    fn named<'a>(&self, id: &'a str) -> CriterionOutcome<'a> {
        CriterionOutcome::new(id, self.weight(), self.status, self.score.clone())
            .unwrap()
            .on_axis(self.axis)
            .as_gate(self.gate)
    }

    pub(crate) fn exact_weight(&self) -> BigRational {
        let power = BigInt::from(10).pow(self.exponent.unsigned_abs());
        let mantissa = BigRational::from(BigInt::from(self.mantissa));
        if self.exponent < 0 { mantissa / power } else { mantissa * power }
    }

    pub(crate) fn with_status(&self, status: Status) -> Made {
        let score = if status == Status::Passed { Score::ONE } else { Score::ZERO };
        Made { status, score, ..self.clone() }
    }
}

pub(crate) fn exact(fraction: &Fraction) -> BigRational {
    let term = |digits: String| digits.parse::<BigInt>().unwrap();
    BigRational::new(term(fraction.numerator()), term(fraction.denominator()))
}

pub(crate) fn scores() -> impl Strategy<Value = Score> {
    prop_oneof![
        (1_u64..=12).prop_flat_map(|d| (0..=d).prop_map(move |n| Score::of(n, d).unwrap())),
        (1_u64..=1000).prop_flat_map(|d| (0..=d).prop_map(move |n| Score::of(n, d).unwrap())),
        (1_u64..).prop_flat_map(|d| (0..=d).prop_map(move |n| Score::of(n, d).unwrap())),
        // Next to the thresholds, nearer than a float can show.
        (0_u64..20, Just(1_000_000_000_000_000_000_u64))
            .prop_map(|(n, d)| { Score::of(d / 10 * 9 - 10 + n, d).unwrap() }),
        (0_u64..3).prop_map(|n| Score::of(u64::MAX - n, u64::MAX).unwrap()),
    ]
}

pub(crate) fn criteria() -> impl Strategy<Value = Made> {
    let weights = prop_oneof![
        4 => (0_u32..12, -1_i32..1),
        2 => (0_u32.., -12_i32..3),
        1 => (0_u32..5, -300_i32..290),
    ];
    (weights, 0..8_u8, scores(), prop::bool::weighted(0.1), prop::sample::select(&AXES[..])).prop_map(
        |((mantissa, exponent), status, score, gate, axis)| {
            let (status, score) = match status {
                0..=3 => (Status::Passed, Score::ONE),
                4 => (Status::Unverifiable, Score::ZERO),
                _ => (Status::Failed, score),
            };
            Made { mantissa, exponent, status, score, gate, axis }
        },
    )
}

pub(crate) fn result(criteria: &[Made]) -> TaskResult {
    result_by(criteria, &PassRule::default())
}

/// The result by a rule for a pass; the criteria are named by their numbers.
pub(crate) fn result_by(criteria: &[Made], pass: &PassRule) -> TaskResult {
    let mut task = TaskScorer::new().passing(pass.clone());
    criteria.iter().enumerate().for_each(|(number, made)| task.add(&made.named(&number.to_string())));
    task.finish()
}

pub(crate) fn rules() -> impl Strategy<Value = PassRule> {
    let rule = |text: &str| text.parse().unwrap();
    prop_oneof![
        Just(PassRule::ALL),
        Just(PassRule::default()),
        (1_u32..=1000).prop_map(move |n| rule(&format!("{n}e-3"))),
        prop::sample::select(vec!["1", "1e-300", "0.99999999999999999999", "5e-1"]).prop_map(rule),
    ]
}

/// Sum of score times weight over sum of weights, as the contract writes it; with everything
/// unverifiable counted as `open`. The second value is the share of weight that was verified.
pub(crate) fn mean<'a>(criteria: impl Iterator<Item = &'a Made>, open: &BigRational) -> (BigRational, BigRational) {
    let (mut sum, mut weights, mut verified) = (BigRational::zero(), BigRational::zero(), BigRational::zero());
    for made in criteria {
        let weight = made.exact_weight();
        if made.status == Status::Unverifiable {
            sum += open * &weight;
        } else {
            sum += exact(&made.score.to_fraction()) * &weight;
            verified += &weight;
        }
        weights += weight;
    }
    if weights.is_zero() {
        return (BigRational::zero(), BigRational::one());
    }
    (sum / &weights, verified / weights)
}

/// The verdict in the words of the contract.
pub(crate) fn verdict(criteria: &[Made], open_passes: bool) -> &'static str {
    verdict_by(criteria, open_passes, &PassRule::default())
}

/// The same by a rule for a pass.
pub(crate) fn verdict_by(criteria: &[Made], open_passes: bool, pass: &PassRule) -> &'static str {
    let not_passed = |made: &Made| made.status == Status::Failed || made.status == Status::Unverifiable && !open_passes;
    let open = if open_passes { BigRational::one() } else { BigRational::zero() };
    let (score, _) = mean(criteria.iter(), &open);
    let closed = criteria.iter().any(|made| made.gate && not_passed(made));
    let reached = match pass.to_string().parse::<Score>() {
        Ok(threshold) => score >= exact(&threshold.to_fraction()),
        Err(_) => !criteria.iter().any(|made| made.mantissa > 0 && not_passed(made)),
    };
    if criteria.is_empty() || score.is_zero() || closed {
        "fail"
    } else if reached {
        "pass"
    } else {
        "partial"
    }
}
