//! Influence of a task's criteria on its verdict.

use candor_check::review::Review;
use candor_json::Value;
use candor_scoring::{CriterionOutcome, Influence, Score, Stake, Status, TaskScorer, Verdict, Weight, influences};

use super::{Finding, codes};
use crate::plan::Plan;

pub(super) fn of_task(plan: &Plan, reviews: &[Option<Review>]) -> Vec<Finding> {
    let task = &plan.task;
    let found = |code, message: &str| vec![Finding::new(code, task.error(message))];
    if plan.criteria.is_empty() {
        return found(codes::NO_CRITERIA, "the task has no criteria, so its verdict is always `fail`");
    }
    if plan.criteria.iter().all(|planned| planned.criterion.weight.is_zero()) {
        return found(codes::NO_WEIGHT, "every criterion has weight 0, so the score is always 0");
    }
    if passes_on_nothing(plan, reviews) {
        let message = "the task passes where nothing was done: its criteria forbid and require nothing; add one that asserts what must be there";
        return found(codes::NOTHING_REQUIRED, message);
    }
    Vec::new()
}

/// True if the task passes when every source is there and empty. A criterion whose outcome is not known then counts as
/// failed.
fn passes_on_nothing(plan: &Plan, reviews: &[Option<Review>]) -> bool {
    let mut scorer = TaskScorer::new().passing(plan.task.pass.clone());
    for (planned, review) in plan.criteria.iter().zip(reviews) {
        let criterion = &planned.criterion;
        let passes = review.as_ref().is_some_and(|review| review.passes_on_nothing);
        let (status, score) = if passes { (Status::Passed, Score::ONE) } else { (Status::Failed, Score::ZERO) };
        if let Ok(outcome) = CriterionOutcome::new(&criterion.id, criterion.weight.clone(), status, score) {
            scorer.add(&outcome.as_gate(criterion.gate));
        }
    }
    scorer.finish().verdict == Verdict::Pass
}

pub(super) fn of_criteria(plan: &Plan) -> Vec<Option<Finding>> {
    let stakes: Vec<Stake<'_>> = plan
        .criteria
        .iter()
        .map(|planned| {
            let criterion = &planned.criterion;
            Stake { weight: &criterion.weight, gate: criterion.gate, partial_credit: criterion.partial_credit }
        })
        .collect();
    // Another finding, about the task, says that all weights are 0.
    let weighed = stakes.iter().any(|stake| !stake.weight.is_zero());
    let finding = |(index, influence): (usize, Influence)| {
        let criterion = &plan.criteria.get(index)?.criterion;
        let id = &criterion.id;
        let (code, message) = match influence {
            Influence::None if criterion.weight.is_zero() => (
                codes::DEAD_CRITERION,
                format!("criterion `{id}` has weight 0 and is not a gate: no verdict depends on it"),
            ),
            Influence::None => (
                codes::DEAD_CRITERION,
                format!(
                    "no verdict depends on criterion `{id}`: the gates alone decide; give it more weight, or `gate: true`"
                ),
            ),
            Influence::NotOnPass => (
                codes::NEVER_DECIDES,
                format!(
                    "criterion `{id}` never decides whether the task passes, whichever of the others are met; give it more weight, or `gate: true`"
                ),
            ),
            // Whoever writes a threshold means it.
            Influence::NotAlone if !plan.task.pass.is_default() => return None,
            Influence::NotAlone => (
                codes::FAILS_UNNOTICED,
                format!(
                    "where criterion `{id}` alone fails the task passes: the others reach the threshold {}; `pass: all` in the task, or `gate: true`, keeps it from that",
                    plan.task.pass
                ),
            ),
            Influence::Decides => return None,
        };
        Some(Finding::new(code, plan.task.error_in(index, &["weight"], message)))
    };
    influences(&stakes, &plan.task.pass).into_iter().enumerate().map(|pair| finding(pair).filter(|_| weighed)).collect()
}

/// The members that are lists of results, by which a criterion has a score in part.
const LISTS: [&str; 5] = ["fields", "assertions", "segments", "contains", "not_contains"];

/// The number of results that have a weight, and the score where the one of the least weight fails. `None` below two.
fn all_but_one(assertion: &Value) -> Option<(usize, Score)> {
    let entries = LISTS.iter().filter_map(|list| assertion.get(*list)?.as_array()).flatten();
    let weights = entries.map(|entry| match entry.get("weight") {
        Some(own) => own.to_string().parse().ok(),
        None => Some(Weight::ONE),
    });
    let mut weights: Vec<Weight> = weights.collect::<Option<_>>()?;
    weights.retain(|weight| !weight.is_zero());
    weights.sort_by_cached_key(|weight| weight.to_string().parse::<f64>().unwrap_or(f64::MAX).to_bits());
    let (least, others) = weights.split_first().filter(|(_, others)| !others.is_empty())?;
    let mut scorer = TaskScorer::new();
    scorer.add(&CriterionOutcome::new("", least.clone(), Status::Failed, Score::ZERO).ok()?);
    others.iter().for_each(|weight| scorer.add(&CriterionOutcome::passed("", weight.clone())));
    Some((weights.len(), Score::from(&scorer.finish().score)))
}

/// Criteria with a score in part, of which one result may fail and the task passes.
pub(super) fn of_fields(plan: &Plan) -> Vec<Finding> {
    let finding = |index: usize| {
        let criterion = &plan.criteria.get(index)?.criterion;
        if criterion.gate || !criterion.partial_credit || criterion.weight.is_zero() {
            return None;
        }
        let (results, score) = all_but_one(&criterion.assertion)?;
        let mut scorer = TaskScorer::new().passing(plan.task.pass.clone());
        for (at, planned) in plan.criteria.iter().enumerate() {
            let one = at == index;
            let (status, score) = if one { (Status::Failed, score.clone()) } else { (Status::Passed, Score::ONE) };
            let of = &planned.criterion;
            scorer.add(&CriterionOutcome::new(&of.id, of.weight.clone(), status, score).ok()?.as_gate(of.gate));
        }
        let message = format!(
            "criterion `{}`: where one of its {results} results alone fails the task passes; leave out `partial_credit`, or write `pass: all` in the task",
            criterion.id
        );
        let error = plan.task.error_in(index, &["partial_credit"], message);
        (scorer.finish().verdict == Verdict::Pass).then(|| Finding::new(codes::FIELD_FAILS_UNNOTICED, error))
    };
    (0..plan.criteria.len()).filter_map(finding).collect()
}
