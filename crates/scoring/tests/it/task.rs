//! Task results in the shape and by the words of the contract.
#![allow(clippy::unwrap_used, reason = "a test stops where it breaks")]

use candor_json::json;
use candor_scoring::{CriterionOutcome, DEFAULT_AXIS, Score, Status, TaskResult, TaskScorer, Verdict, Weight};

fn weight(text: &str) -> Weight {
    text.parse().unwrap()
}

fn passed(text: &str) -> CriterionOutcome<'static> {
    CriterionOutcome::passed("p", weight(text))
}

fn failed(text: &str) -> CriterionOutcome<'static> {
    CriterionOutcome::new("f", weight(text), Status::Failed, Score::ZERO).unwrap()
}

fn open(text: &str) -> CriterionOutcome<'static> {
    CriterionOutcome::unverifiable("u", weight(text))
}

fn task(outcomes: &[CriterionOutcome<'_>]) -> TaskResult {
    let mut scorer = TaskScorer::new();
    outcomes.iter().for_each(|outcome| scorer.add(outcome));
    scorer.finish()
}

#[test]
fn the_example_of_the_contract() {
    let result = task(&[passed("2").on_axis(Some("correctness")), failed("1").on_axis(Some("safety"))]);
    let text = candor_json::to_string(&result).unwrap();
    let axis = r#""interval":[1.0,1.0],"coverage":1.0}"#;
    assert_eq!(
        text,
        format!(
            "{}{}{}",
            r#"{"verdict":"partial","score":0.6666666666666666,"interval":[0.6666666666666666,0.6666666666666666],"coverage":1.0,"conclusive":true,"axes":{"correctness":{"score":1.0,"weight":2,"#,
            axis,
            r#","safety":{"score":0.0,"weight":1,"interval":[0.0,0.0],"coverage":1.0}}}"#
        )
    );
}

#[test]
fn a_task_may_ask_for_all_or_for_another_threshold() {
    let by = |rule: &str, outcomes: &[CriterionOutcome<'_>]| {
        let mut scorer = TaskScorer::new().passing(rule.parse().unwrap());
        outcomes.iter().for_each(|outcome| scorer.add(outcome));
        let result = scorer.finish();
        (result.verdict, result.conclusive)
    };
    let tiny = [passed("999"), failed("1")];
    assert_eq!(by("all", &tiny), (Verdict::Partial, true));
    assert_eq!(by("0.999", &tiny), (Verdict::Pass, true));
    assert_eq!(by("0.9990000000000000001", &tiny), (Verdict::Partial, true));
    assert_eq!(by("1", &tiny), (Verdict::Partial, true));
    // A criterion of weight 0 is not asked for; a gate is, whatever its weight.
    assert_eq!(by("all", &[passed("1"), failed("0")]), (Verdict::Pass, true));
    assert_eq!(by("all", &[passed("1"), failed("0").as_gate(true)]), (Verdict::Fail, true));
    // Not passed at the low end, passed at the high end.
    assert_eq!(by("all", &[passed("1"), open("0.001")]), (Verdict::Partial, false));
    assert_eq!(by("all", &[passed("1"), open("0")]), (Verdict::Pass, true));
    assert_eq!(by("all", &[passed("1"), open("1"), failed("1")]), (Verdict::Partial, true));
    assert_eq!(by("all", &[open("1")]), (Verdict::Fail, false));
    // Nothing was earned.
    assert_eq!(by("all", &[]), (Verdict::Fail, true));
    assert_eq!(by("all", &[passed("0")]), (Verdict::Fail, true));
    assert_eq!(by("all", &[failed("1")]), (Verdict::Fail, true));
    // A field of weight 0 failed: the share is 1, and the criterion has not passed.
    let whole = CriterionOutcome::new("f", weight("1"), Status::Failed, Score::ONE).unwrap();
    assert_eq!(by("all", &[passed("1"), whole.clone()]), (Verdict::Partial, true));
    assert_eq!(by("1", &[passed("1"), whole]), (Verdict::Pass, true));
}

#[test]
fn a_pass_in_which_a_criterion_failed_names_it() {
    let ninth = task(&[passed("9"), failed("1")]);
    let text = candor_json::to_string(&ninth).unwrap();
    assert!(text.starts_with(r#"{"verdict":"pass","passed_with_failures":["f"],"score":0.9"#), "{text}");
    for other in [task(&[passed("8"), failed("1")]), task(&[passed("1")]), task(&[passed("9"), open("1")])] {
        assert_eq!(other.passed_with_failures, None);
        assert!(!candor_json::to_string(&other).unwrap().contains("passed_with"));
    }
}

#[test]
fn the_threshold_is_compared_exactly() {
    for (weights, verdict) in [
        (["0.7", "0.2", "0.1"], Verdict::Pass),
        (["0.3", "0.6", "0.1"], Verdict::Pass),
        (["0.7", "0.19999999999999999999999", "0.1"], Verdict::Partial),
        (["8.1e-20", "0.9e-20", "1e-20"], Verdict::Pass),
        (["8.1e-320", "0.9e-320", "1e-320"], Verdict::Pass),
        (["1e300", "0", "1e299"], Verdict::Pass),
        (["0", "0", "1"], Verdict::Fail),
        (["1e-300", "0", "1e300"], Verdict::Partial),
    ] {
        let [a, b, c] = weights;
        let result = task(&[passed(a), passed(b), failed(c)]);
        assert_eq!(result.verdict, verdict, "{weights:?}");
        assert_eq!(result.score.to_f64() >= 0.9, verdict == Verdict::Pass, "{weights:?}");
        assert_eq!(result.score.to_f64() > 0.0, verdict != Verdict::Fail, "{weights:?}");
    }
    let nine_of_ten: Vec<_> = (0..10).map(|n| if n < 9 { passed("1") } else { failed("1") }).collect();
    assert_eq!(task(&nine_of_ten).verdict, Verdict::Pass);
}

#[test]
fn partial_scores_add_up_exactly() {
    let part = |n, d| CriterionOutcome::new("c", Weight::ONE, Status::Failed, Score::of(n, d).unwrap()).unwrap();
    // 14/15 + 5/6 + 14/15 = 2.7
    let result = task(&[part(14, 15), part(5, 6), part(14, 15)]);
    assert_eq!(result.verdict, Verdict::Pass);
    assert_eq!(candor_json::to_value(&result.score).unwrap(), json!(0.9));
    let result = task(&[part(14, 15), part(832, 999), part(14, 15)]);
    assert_eq!(result.verdict, Verdict::Partial);
}

#[test]
fn nothing_to_score_fails() {
    let result = task(&[]);
    assert_eq!(
        candor_json::to_value(&result).unwrap(),
        json!({"verdict": "fail", "score": 0.0, "interval": [0.0, 0.0], "coverage": 1.0,
            "conclusive": true, "axes": {}})
    );
}

#[test]
fn weights_that_sum_to_nothing() {
    let result = task(&[passed("0"), open("0")]);
    assert_eq!(
        candor_json::to_value(&result).unwrap(),
        json!({"verdict": "fail", "score": 0.0, "interval": [0.0, 0.0], "coverage": 1.0,
            "conclusive": true, "axes": {DEFAULT_AXIS: {"score": 0.0, "weight": 0,
            "interval": [0.0, 0.0], "coverage": 1.0}}})
    );
}

#[test]
fn every_axis_is_there_in_order() {
    let mut scorer = TaskScorer::with_axes(["safety", "speed", "correctness"]);
    scorer.add(&passed("1").on_axis(Some("correctness")));
    scorer.add(&failed("1").on_axis(Some("tone")));
    scorer.add(&open("1"));
    let axes = scorer.finish().axes;
    let names: Vec<&str> = axes.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["safety", "speed", "correctness", "tone", DEFAULT_AXIS]);
    assert_eq!(
        candor_json::to_value(axes.get(DEFAULT_AXIS).unwrap()).unwrap(),
        json!({"score": 0.0, "weight": 1, "interval": [0.0, 1.0], "coverage": 0.0})
    );
    assert!(axes.get("nothing").is_none());
}

#[test]
fn gates_at_both_ends() {
    let gate = |outcome: CriterionOutcome<'static>| outcome.as_gate(true);
    for (outcomes, verdict, conclusive) in [
        (vec![passed("9"), gate(passed("1"))], Verdict::Pass, true),
        (vec![passed("9"), gate(failed("1"))], Verdict::Fail, true),
        (vec![passed("9"), gate(failed("0"))], Verdict::Fail, true),
        (vec![passed("9"), gate(open("1"))], Verdict::Fail, false),
        (vec![passed("9"), gate(open("0"))], Verdict::Fail, false),
        (vec![failed("9"), gate(open("0"))], Verdict::Fail, true),
        (vec![open("9"), gate(failed("1"))], Verdict::Fail, true),
        (vec![open("9"), gate(passed("1"))], Verdict::Partial, false),
        (vec![passed("9"), open("1"), gate(passed("0"))], Verdict::Pass, true),
        (vec![passed("8"), open("2")], Verdict::Partial, false),
        (vec![passed("5"), open("1"), failed("4")], Verdict::Partial, true),
        (vec![open("1"), failed("9")], Verdict::Fail, false),
    ] {
        let result = task(&outcomes);
        assert_eq!((result.verdict, result.conclusive), (verdict, conclusive), "{outcomes:?}");
    }
    let ungated = task(&[passed("9"), failed("1")]);
    let gated = task(&[passed("9"), gate(failed("1"))]);
    assert_eq!(gated.score, ungated.score);
}

#[test]
fn status_and_score_must_agree() {
    let half = Score::of(1, 2).unwrap();
    for (status, score) in [
        (Status::Passed, half.clone()),
        (Status::Passed, Score::ZERO),
        (Status::Unverifiable, half.clone()),
        (Status::Unverifiable, Score::ONE),
    ] {
        let error = CriterionOutcome::new("c", Weight::ONE, status, score.clone()).unwrap_err();
        assert_eq!((error.status, error.score.clone()), (status, score));
        assert!(error.to_string().contains("with score"));
    }
    for score in [Score::ZERO, half, Score::ONE] {
        assert!(CriterionOutcome::new("c", Weight::ONE, Status::Failed, score).is_ok());
    }
}

#[test]
fn many_criteria_are_cheap() {
    let count = candor_test_size::pick(200_000, 1_000_000);
    let outcomes: Vec<_> = (1..=1000_u64)
        .map(|d| {
            let score = Score::of(d / 2, d).unwrap();
            CriterionOutcome::new("c", weight("0.25"), Status::Failed, score).unwrap()
        })
        .collect();
    // In time that is not linear they take hours; the bench measures.
    let mut scorer = TaskScorer::new();
    for outcome in outcomes.iter().cycle().take(count) {
        scorer.add(outcome);
    }
    let result = scorer.finish();
    assert_eq!(result.verdict, Verdict::Partial);
}
