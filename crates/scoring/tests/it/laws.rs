//! The laws of scoring a task, for any criteria.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it breaks")]

use crate::support;

use std::io::BufReader;

use candor_json::json;
use candor_scoring::stored::{Limits, StoredOutcome, StoredRuns};
use candor_scoring::{Fraction, Score, Status, Verdict};
use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;
use support::{Made, criteria, exact, mean, result, result_by, rules, scores, verdict, verdict_by};

fn tasks() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec(criteria(), 0..12)
}

/// A task and one of its criteria.
fn chosen() -> impl Strategy<Value = (Vec<Made>, usize)> {
    prop::collection::vec(criteria(), 1..12)
        .prop_flat_map(|task| (0..task.len()).prop_map(move |index| (task.clone(), index)))
}

fn replaced(task: &[Made], index: usize, status: Status) -> Vec<Made> {
    let mut task = task.to_vec();
    task[index] = task[index].with_status(status);
    task
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(100)))]

    #[test]
    fn is_what_the_contract_writes(task in tasks()) {
        let found = result(&task);
        let (low, coverage) = mean(task.iter(), &BigRational::zero());
        let (high, _) = mean(task.iter(), &BigRational::one());
        prop_assert_eq!(exact(&found.score), low.clone());
        prop_assert_eq!(exact(&found.interval.low), low);
        let weightless = task.iter().all(|made| made.mantissa == 0);
        prop_assert_eq!(
            exact(&found.interval.high),
            if weightless { BigRational::zero() } else { high }
        );
        prop_assert_eq!(exact(&found.coverage), coverage);
        prop_assert_eq!(found.verdict.as_str(), verdict(&task, false));
        prop_assert_eq!(found.conclusive, verdict(&task, false) == verdict(&task, true));
        for (axis, part) in found.axes.iter() {
            let of_axis = || task.iter().filter(|made| made.axis.unwrap_or("__default__") == axis);
            prop_assert!(of_axis().next().is_some());
            let (low, coverage) = mean(of_axis(), &BigRational::zero());
            prop_assert_eq!(exact(&part.score), low);
            prop_assert_eq!(exact(&part.coverage), coverage);
        }
        let named: std::collections::HashSet<_> =
            task.iter().map(|made| made.axis.unwrap_or("__default__")).collect();
        prop_assert_eq!(found.axes.len(), named.len());
    }

    #[test]
    fn a_pass_is_what_the_task_asks((task, rule) in (tasks(), rules())) {
        let found = result_by(&task, &rule);
        prop_assert_eq!(found.verdict.as_str(), verdict_by(&task, false, &rule), "{}", rule);
        prop_assert_eq!(found.conclusive, verdict_by(&task, false, &rule) == verdict_by(&task, true, &rule), "{}", rule);
        let plain = result(&task);
        prop_assert_eq!((&found.score, &found.interval, &found.axes), (&plain.score, &plain.interval, &plain.axes));
        let failed: Vec<String> = task.iter().enumerate()
            .filter(|(_, made)| made.status == Status::Failed).map(|(number, _)| number.to_string()).collect();
        let named = (found.verdict == Verdict::Pass && !failed.is_empty()).then_some(failed);
        prop_assert_eq!(found.passed_with_failures.map(|failures| failures.ids), named);
    }

    #[test]
    fn a_rule_reads_back(rule in rules()) {
        prop_assert_eq!(rule.to_string().parse(), Ok(rule.clone()));
        let json = candor_json::to_string(&rule).unwrap();
        prop_assert_eq!(json.trim_matches('"').parse(), Ok(rule));
    }

    #[test]
    fn any_text_gives_a_rule_or_an_error(text in "[-0-9.eE+al]{0,24}") {
        if let Ok(rule) = text.parse::<candor_scoring::PassRule>() {
            prop_assert_eq!(rule.verdict(&Fraction::ONE, true), Verdict::Pass);
            prop_assert_eq!(rule.verdict(&Fraction::ZERO, true), Verdict::Fail);
        }
    }

    #[test]
    fn stays_within_bounds(task in tasks()) {
        let found = result(&task);
        for score in [&found.score, &found.interval.high, &found.coverage] {
            prop_assert!(*score >= Fraction::ZERO && *score <= Fraction::ONE);
            prop_assert!((0.0..=1.0).contains(&score.to_f64()));
        }
        prop_assert!(found.interval.contains(&found.score));
    }

    #[test]
    fn does_not_depend_on_order(
        (task, shuffled) in tasks().prop_flat_map(|t| (Just(t.clone()), Just(t).prop_shuffle()))
    ) {
        let (one, other) = (result(&task), result(&shuffled));
        prop_assert_eq!((&one.score, &one.interval, one.verdict, one.conclusive),
            (&other.score, &other.interval, other.verdict, other.conclusive));
        for (axis, part) in one.axes.iter() {
            prop_assert_eq!(Some(part), other.axes.get(axis));
        }
    }

    #[test]
    fn a_pass_in_place_of_a_failure_never_lowers((task, index) in chosen()) {
        let before = result(&replaced(&task, index, Status::Failed));
        let after = result(&replaced(&task, index, Status::Passed));
        prop_assert!(after.score >= before.score);
        prop_assert!(after.verdict >= before.verdict);
        prop_assert!(after.interval.high >= before.interval.high);
    }

    #[test]
    fn what_cannot_be_verified_never_earns_a_pass((task, index) in chosen()) {
        let before = result(&task);
        let after = result(&replaced(&task, index, Status::Unverifiable));
        prop_assert!(after.verdict <= before.verdict);
        prop_assert!(after.coverage <= before.coverage);
        if before.verdict != Verdict::Pass {
            prop_assert!(after.verdict != Verdict::Pass);
        }
    }

    #[test]
    fn deciding_the_undecided_stays_in_the_interval((task, index) in chosen(), passes: bool) {
        let before = result(&replaced(&task, index, Status::Unverifiable));
        let decided = if passes { Status::Passed } else { Status::Failed };
        let after = result(&replaced(&task, index, decided));
        prop_assert!(before.interval.contains(&after.score) || after.score == Fraction::ZERO);
        if before.conclusive {
            prop_assert_eq!(after.verdict, before.verdict);
        }
    }

    #[test]
    fn a_failed_gate_fails_and_nothing_else_changes((task, index) in chosen()) {
        let mut open = replaced(&task, index, Status::Failed);
        open[index].gate = false;
        let mut gated = open.clone();
        gated[index].gate = true;
        let (open, gated) = (result(&open), result(&gated));
        prop_assert_eq!(gated.verdict, Verdict::Fail);
        prop_assert!(gated.conclusive);
        prop_assert_eq!((gated.score, gated.interval, gated.axes),
            (open.score, open.interval, open.axes));
    }

    #[test]
    fn stored_and_read_back_is_the_same((task, rule) in (prop::collection::vec(criteria(), 1..12), rules())) {
        let mut lines = String::new();
        for (number, made) in task.iter().enumerate() {
            let outcome = made.outcome();
            let line = json!({
                "id": format!("cr_{number}"), "task_run_id": "tr_1", "task_id": "t",
                "criterion_id": number.to_string(), "label": "x", "axis": made.axis,
                "weight": outcome.weight(), "status": made.status,
                "passed": made.status == Status::Passed, "score": outcome.score(),
                "evidence": {"fieldResults": [{"path": "a", "actual": [[{}]]}]}, "gate": made.gate,
                "task_pass": rule, "share": outcome.score(),
            });
            lines += &format!("{line}\n");
        }
        let mut runs = StoredRuns::new(Limits::default());
        runs.read("x", BufReader::with_capacity(7, lines.as_bytes()), |_| {}).unwrap();
        let StoredOutcome::Task(run) = runs.finish(|_| {}).outcome else { panic!("one run") };
        prop_assert_eq!(run.result, result_by(&task, &rule));
    }

    #[test]
    fn a_written_score_reads_back(score in scores()) {
        let text = candor_json::to_string(&score).unwrap();
        prop_assert_eq!(text.parse::<Score>().unwrap(), score.clone());
        let side = |value: f64| (value > 0.0, value >= 0.9, value >= 1.0);
        let exact = exact(&score.to_fraction());
        prop_assert_eq!(
            side(score.to_f64()),
            (exact > BigRational::zero(), exact >= BigRational::new(9.into(), 10.into()),
             exact >= BigRational::one())
        );
    }

    #[test]
    fn a_written_number_is_the_nearest_float(numerator: u64, denominator in 1_u64..) {
        let (n, d) = (numerator.min(denominator), numerator.max(denominator));
        let fraction = Fraction::of(n, d).unwrap();
        let float = fraction.to_f64();
        let distance = |value: f64| {
            let difference = BigRational::from_float(value).unwrap() - exact(&fraction);
            if difference < BigRational::zero() { -difference } else { difference }
        };
        let (down, up) = (distance(float.next_down()), distance(float.next_up()));
        let kept_aside = float == 0.9_f64.next_down() || float == 1_f64.next_down();
        prop_assert!(kept_aside || distance(float) <= down.min(up));
    }

    #[test]
    fn any_score_text_gives_a_score_or_an_error(text in "[-0-9.eE+]{0,24}") {
        if let Ok(score) = text.parse::<Score>() {
            let float: f64 = text.parse().unwrap();
            prop_assert!((score.to_f64() - float).abs() <= 1e-15);
        }
    }
}
