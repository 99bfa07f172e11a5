//! Resources that are there in several states which nothing tells apart: the outcome counts where it is the same whichever
//! state each of them has.

use std::collections::BTreeMap;

use candor_check::field::{FieldReason, FieldResult};
use candor_check::records::{Candidate, Judgement, Judging, Observation, conclude};
use candor_check::{Evidence, Status};
use candor_json::Value;

use crate::seen::Content;

/// So many combinations of states are tried; where there are more, nothing is decided.
const MOST: usize = 64;

/// The states of one resource: the candidates that are one of them, and `None` for those that the search leaves out.
struct States<'s> {
    of: &'s str,
    any: Vec<Option<usize>>,
}

pub(crate) fn conclude_all(
    judging: &Judging<'_>,
    seen: &Observation<Content>,
    judge: impl Fn(&Candidate<Content>) -> Judgement,
) -> Evidence {
    let judge = |candidate: &Candidate<Content>| {
        let mut judgement = judge(candidate);
        if candidate.content.is_subset() {
            judgement.fields.iter_mut().filter(|field| rests_on_absence(field)).for_each(leave_open);
        }
        judgement
    };
    let mut open = open(seen);
    if open.is_empty() {
        return conclude(judging, seen, judge);
    }
    // States that are judged alike are one.
    let satisfies = |at: &Option<usize>| {
        at.and_then(|at| seen.candidates.get(at)).map(|one| {
            let judgement = judge(one);
            let passed = judgement.fields.iter().all(|field| field.passed);
            let undecided = judgement.fields.iter().any(|field| !field.passed && field.is_undecidable());
            let contradicts = judgement.fields.iter().any(|field| field.contradiction.is_some());
            (passed, undecided, contradicts || judgement.unsafe_match.is_some(), judgement.is_ignored)
        })
    };
    for states in &mut open {
        let mut known = Vec::new();
        states.any.retain(|at| {
            let outcome = satisfies(at);
            let new = !known.contains(&outcome);
            known.push(outcome);
            new
        });
    }
    let combinations = open.iter().fold(1_usize, |all, states| all.saturating_mul(states.any.len()));
    let hangs_on: Vec<&str> = open.iter().filter(|states| states.any.len() > 1).map(|states| states.of).collect();
    let judged = |number: usize| conclude(judging, &with_states(seen, &open, number), judge);
    let first = judged(0);
    let other = if combinations > MOST {
        Some(judged(combinations - 1))
    } else {
        (1..combinations).map(judged).find(|evidence| evidence.status() != first.status())
    };
    let Some(other) = other else { return first };
    let failing = if first.status() == Status::Passed { other } else { first };
    let name = hangs_on.first().copied().unwrap_or_default();
    let others = if hangs_on.len() > 1 { " and others" } else { "" };
    let details = format!(
        "The outcome is not the same for every state of {name}{others}, and nothing tells which state is the latest. One of them: {}",
        failing.details()
    );
    failing.undecided(details)
}

/// True if nothing was there, or if an expression may have made its result of nothing.
fn rests_on_absence(field: &FieldResult) -> bool {
    match &field.actual {
        Value::Null => true,
        Value::Bool(_) => field.path.contains('('),
        Value::Number(number) => number.as_u64() == Some(0) && ["(", ".$"].iter().any(|part| field.path.contains(part)),
        Value::Array(items) => items.is_empty(),
        Value::String(_) | Value::Object(_) => false,
    }
}

fn leave_open(field: &mut FieldResult) {
    field.passed = false;
    field.rules.clear();
    field.reason = Some(FieldReason::Undecidable);
}

/// The resources with several states among the candidates, in order of their names.
fn open(seen: &Observation<Content>) -> Vec<States<'_>> {
    let mut states: BTreeMap<&str, (usize, Vec<Option<usize>>)> = BTreeMap::new();
    for (at, candidate) in seen.candidates.iter().enumerate() {
        if let Some(state) = &candidate.content.state {
            let (number, found) = states.entry(&state.of).or_default();
            *number = state.number;
            found.push(Some(at));
        }
    }
    let all = states.into_iter().map(|(of, (number, mut any))| {
        if any.len() < number {
            any.push(None);
        }
        States { of, any }
    });
    all.collect()
}

/// The observation, if every resource were in one state: `number` counts the combinations.
fn with_states(seen: &Observation<Content>, open: &[States<'_>], mut number: usize) -> Observation<Content> {
    let mut kept: Vec<bool> = seen.candidates.iter().map(|candidate| candidate.content.state.is_none()).collect();
    for states in open {
        let chosen = states.any.get(number % states.any.len().max(1)).copied().flatten();
        number /= states.any.len().max(1);
        if let Some(kept) = chosen.and_then(|at| kept.get_mut(at)) {
            *kept = true;
        }
    }
    let mut kept = kept.into_iter();
    let candidates = seen.candidates.iter().filter(|_| kept.next().unwrap_or_default()).cloned().collect();
    Observation {
        candidates,
        considered: seen.considered,
        near: seen.near.clone(),
        unreadable: seen.unreadable.clone(),
        notes: seen.notes.clone(),
        server: seen.server.clone(),
        environment: seen.environment,
    }
}
