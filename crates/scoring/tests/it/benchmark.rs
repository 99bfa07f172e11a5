//! Benchmarks: means, intervals, pass^k.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where it breaks")]

use candor_json::json;
use candor_scoring::{
    BenchmarkResult, BenchmarkScorer, CriterionOutcome, Fraction, Score, Status, TaskResult, TaskScorer, Verdict,
    Weight,
};
use num_rational::BigRational;
use proptest::prelude::*;

use crate::support;
use support::{criteria, exact, result};

fn task(score: Score, axis: Option<&str>) -> TaskResult {
    let status = if score.is_one() { Status::Passed } else { Status::Failed };
    let mut task = TaskScorer::new();
    task.add(&CriterionOutcome::new("c", Weight::ONE, status, score).unwrap().on_axis(axis));
    task.finish()
}

fn whole(passed: bool) -> TaskResult {
    task(if passed { Score::ONE } else { Score::ZERO }, None)
}

fn open() -> TaskResult {
    let mut task = TaskScorer::new();
    task.add(&CriterionOutcome::unverifiable("c", Weight::ONE));
    task.finish()
}

fn benchmark<'a>(runs: impl IntoIterator<Item = (Option<&'a str>, TaskResult)>) -> BenchmarkResult {
    let mut scorer = BenchmarkScorer::new();
    runs.into_iter().for_each(|(id, run)| scorer.add(id, &run));
    scorer.finish()
}

#[test]
fn an_empty_benchmark_fails() {
    let empty = benchmark([]);
    assert_eq!(
        candor_json::to_value(&empty).unwrap(),
        json!({"verdict": "fail", "score": 0.0, "interval": [0.0, 0.0], "coverage": 1.0,
            "conclusive": true, "axes": {}, "tasks": 0, "task_runs": 0,
            "verdicts": {"pass": 0, "partial": 0, "fail": 0, "inconclusive": 0},
            "pass_rate": {"value": null, "confidence": null}, "confidence": null,
            "pass_hat_k": null, "notes": []})
    );
}

#[test]
fn the_mean_of_the_task_scores() {
    let run = |n, d, axis| (None, task(Score::of(n, d).unwrap(), axis));
    let found = benchmark([run(1, 1, Some("a")), run(2, 3, Some("b")), run(0, 1, Some("b"))]);
    assert_eq!(found.score, Fraction::of(5, 9).unwrap());
    assert_eq!(found.verdict, Verdict::Partial);
    let value = candor_json::to_value(&found).unwrap();
    assert_eq!(value["score"], json!(5.0 / 9.0));
    assert_eq!(value["verdicts"], json!({"pass": 1, "partial": 1, "fail": 1, "inconclusive": 0}));
    assert_eq!(value["pass_rate"]["value"], json!(1.0 / 3.0));
    assert_eq!(
        value["axes"]["b"],
        json!({"score": 1.0 / 3.0, "interval": [1.0 / 3.0, 1.0 / 3.0], "coverage": 1.0, "task_runs": 2})
    );
    assert_eq!(value["confidence"]["method"], json!("bootstrap"));
    assert_eq!(value["confidence"]["resamples"], json!(2000));
}

#[test]
fn the_threshold_is_exact_here_too() {
    let scores = |last| [(14, 15), (5, 6), last].map(|(n, d)| (None, task(Score::of(n, d).unwrap(), None)));
    assert_eq!(benchmark(scores((14, 15))).verdict, Verdict::Pass);
    assert_eq!(benchmark(scores((932, 999))).verdict, Verdict::Partial);
}

#[test]
fn what_was_not_verified_opens_the_interval() {
    let nine = (0..9).map(|_| (None, whole(true)));
    let found = benchmark(nine.chain([(None, open())]));
    assert_eq!((found.verdict, found.conclusive), (Verdict::Pass, true));
    assert_eq!(found.interval.high, Fraction::ONE);
    assert_eq!(found.coverage, Fraction::of(9, 10).unwrap());
    assert_eq!(found.verdicts.inconclusive, 1);
    let eight = (0..8).map(|_| (None, whole(true)));
    let found = benchmark(eight.chain([(None, open()), (None, open())]));
    assert_eq!((found.verdict, found.conclusive), (Verdict::Partial, false));
}

#[test]
fn no_benchmark_passes_by_task_runs_that_a_gate_failed() {
    let gated = |gate: Option<bool>| {
        let mut task = TaskScorer::new();
        task.add(&CriterionOutcome::passed("c", Weight::ONE));
        let gate = match gate {
            Some(true) => CriterionOutcome::passed("g", Weight::ZERO),
            Some(false) => CriterionOutcome::new("g", Weight::ZERO, Status::Failed, Score::ZERO).unwrap(),
            None => CriterionOutcome::unverifiable("g", Weight::ZERO),
        };
        task.add(&gate.as_gate(true));
        task.finish()
    };
    for (passed, failed, open, verdict, conclusive) in [
        (0, 2, 0, Verdict::Fail, true),
        (1, 1, 0, Verdict::Partial, true),
        (9, 1, 0, Verdict::Pass, true),
        (1, 0, 1, Verdict::Partial, false),
        (9, 0, 1, Verdict::Pass, true),
        (0, 0, 4, Verdict::Fail, false),
        (0, 4, 4, Verdict::Fail, false),
        (0, 9, 1, Verdict::Fail, false),
    ] {
        let of = |count: usize, gate| std::iter::repeat_n((None, gated(gate)), count);
        let found = benchmark(of(passed, Some(true)).chain(of(failed, Some(false))).chain(of(open, None)));
        assert_eq!((found.verdict, found.conclusive), (verdict, conclusive), "{passed} {failed} {open}");
        assert_eq!((found.score, found.interval.high), (Fraction::ONE, Fraction::ONE));
    }
}

#[test]
fn wilson_as_published() {
    use candor_scoring::statistics::wilson;
    // R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    for (passed, trials, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
    {
        let found = wilson(f64::from(passed) / trials as f64, trials).unwrap();
        assert!((found.0 - low).abs() < 5e-5 && (found.1 - high).abs() < 5e-5, "{found:?}");
    }
    assert_eq!(wilson(1.0, 5).unwrap().1, 1.0);
    assert_eq!(wilson(0.0, 0), None);
}

#[test]
fn pass_hat_k_as_in_tau_bench() {
    let runs = |id: &'static str, passes: [bool; 4]| passes.map(|passed| (Some(id), whole(passed)));
    let found =
        benchmark(runs("a", [true, true, true, false]).into_iter().chain(runs("b", [true, true, false, false])));
    // C(3,k)/C(4,k): 3/4, 3/6, 1/4, 0. C(2,k)/C(4,k): 2/4, 1/6, 0, 0.
    let expected = [5.0 / 8.0, 1.0 / 3.0, 1.0 / 8.0, 0.0];
    let estimates = found.pass_hat_k.unwrap();
    assert_eq!(estimates.len(), 4);
    for (estimate, expected) in estimates.iter().zip(expected) {
        assert!((estimate - expected).abs() < 1e-15, "{estimates:?}");
    }
    assert_eq!((found.tasks, found.task_runs), (2, 8));
    assert!(found.notes.is_empty());

    let uneven = benchmark([(Some("a"), whole(true)), (Some("a"), whole(true)), (None, whole(false))]);
    assert_eq!(uneven.pass_hat_k, Some(vec![0.5]));
    assert!(uneven.notes[0].contains("between 1 and 2 times"));
    assert_eq!(benchmark([(Some("a"), whole(true)), (Some("b"), whole(true))]).pass_hat_k, None);
}

#[test]
fn runs_of_a_task_are_not_independent() {
    let alone = benchmark((0..40).map(|n| (None, whole(n % 2 == 0))));
    let ids = ["a", "b", "c", "d"];
    let repeated = benchmark((0..40).map(|n| (Some(ids[n % 4]), whole(n % 2 == 0))));
    assert_eq!(alone.score, repeated.score);
    let width = |found: &BenchmarkResult| {
        let (low, high) = found.confidence.unwrap().interval;
        high - low
    };
    assert!(width(&repeated) > 2.0 * width(&alone));
    let wilson = |found: &BenchmarkResult| found.pass_rate.confidence.unwrap().interval;
    assert_eq!(wilson(&repeated), candor_scoring::statistics::wilson(0.5, 4).unwrap());
    assert_eq!(wilson(&alone), candor_scoring::statistics::wilson(0.5, 40).unwrap());
}

#[test]
fn both_methods_agree_where_they_meet() {
    let of = |count: u64| benchmark((0..count).map(|n| (None, task(Score::of(n % 7, 7).unwrap(), None))));
    let (few, many) = (of(14_000).confidence.unwrap(), of(21_000).confidence.unwrap());
    assert_eq!(candor_json::to_value(few).unwrap()["method"], "bootstrap");
    assert_eq!(
        candor_json::to_value(many).unwrap(),
        json!({"interval": many.interval, "level": 0.95, "method": "normal"})
    );
    // The standard deviation of 0/7 … 6/7 is 2/7.
    for (found, count) in [(few, 14_000_f64), (many, 21_000_f64)] {
        let spread = 1.96 * (2.0 / 7.0) / count.sqrt();
        assert!((found.interval.0 - (3.0 / 7.0 - spread)).abs() < spread / 10.0);
        assert!((found.interval.1 - (3.0 / 7.0 + spread)).abs() < spread / 10.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(40)))]

    #[test]
    fn the_laws(
        tasks in prop::collection::vec((prop::option::of(0..4_u8), prop::collection::vec(criteria(), 0..5)), 0..12)
    ) {
        let ids = ["a", "b", "c", "d"];
        let runs: Vec<_> =
            tasks.iter().map(|(id, made)| (id.map(|id| ids[usize::from(id)]), result(made))).collect();
        let found = benchmark(runs.clone());
        let mut backwards = runs.clone();
        backwards.reverse();
        let again = benchmark(backwards);
        prop_assert_eq!((&found.score, &found.interval, &found.confidence, &found.pass_hat_k, &found.pass_rate),
            (&again.score, &again.interval, &again.confidence, &again.pass_hat_k, &again.pass_rate));
        for (axis, part) in found.axes.iter() {
            prop_assert_eq!(Some(part), again.axes.get(axis));
            prop_assert_eq!(part.task_runs as usize,
                runs.iter().filter(|(_, run)| run.axes.get(axis).is_some()).count());
        }
        prop_assert!(found.interval.contains(&found.score));
        prop_assert_eq!(found.verdicts.pass + found.verdicts.partial + found.verdicts.fail, runs.len() as u64);
        if !runs.is_empty() {
            // Each task enters with the value its JSON shows.
            let sum: BigRational = runs.iter().map(|(_, run)| exact(&Score::from(&run.score).to_fraction())).sum();
            prop_assert_eq!(exact(&found.score), sum / BigRational::from_integer(runs.len().into()));
        }
        prop_assert!(found.verdict <= Verdict::of(&found.score));
        prop_assert!(runs.iter().any(|(_, run)| run.verdict != Verdict::Fail) || found.verdict == Verdict::Fail);
        if let Some(confidence) = found.confidence {
            let (low, high) = confidence.interval;
            prop_assert!(0.0 <= low && low <= high && high <= 1.0);
        }
        for pair in found.pass_hat_k.iter().flatten().collect::<Vec<_>>().windows(2) {
            prop_assert!(pair[0] >= pair[1]);
        }
        let rate = found.pass_rate;
        if let (Some(value), Some(confidence)) = (rate.value, rate.confidence) {
            prop_assert!(confidence.interval.0 <= value.to_f64() && value.to_f64() <= confidence.interval.1);
        }
    }
}
