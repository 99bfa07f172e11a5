//! Criteria that version 0.1 decided otherwise.

use candor_check::review::Change;
use serde_json::Value;

use super::{Finding, codes};
use crate::document::steps_of;
use crate::plan::Plan;

/// The members of an assertion that hold a list of what is asserted.
const LISTS: [&str; 5] = ["fields", "assertions", "contains", "not_contains", "segments"];
/// The members that are one result beside those of the lists.
const CONSTRAINTS: [&str; 8] =
    ["count", "structure", "ack", "answer", "validate", "min_bytes", "max_bytes", "modified_after"];

/// What version 0.1 decided otherwise, by criterion in the order of the file: notes of the code `decided_otherwise`, each
/// with what to write to keep the old meaning.
#[must_use]
pub fn changes(plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, planned) in plan.criteria.iter().enumerate() {
        let Ok((check, _)) = &planned.check else { continue };
        let criterion = &planned.criterion;
        let mut note = |steps: &[&str], message: &str| {
            let message = format!("criterion `{}`: {message}", criterion.id);
            findings.push(Finding::new(codes::DECIDED_OTHERWISE, plan.task.error_in(index, steps, message)));
        };
        if !criterion.gate && !plan.task.writes(index, "partial_credit") && results(&criterion.assertion) > 1 {
            note(
                &[],
                "where some of it fails, the score is 0; version 0.1 gave the share that passed: `partial_credit: true`",
            );
        }
        for Change { place, message } in check.changes() {
            let steps = steps_of(&place);
            let steps: Vec<&str> = ["assertion"].into_iter().chain(steps.iter().map(String::as_str)).collect();
            note(&steps, &message);
        }
    }
    findings
}

/// How many results an assertion has at least.
fn results(assertion: &Value) -> usize {
    let listed = LISTS.iter().filter_map(|list| assertion.get(list)?.as_array()).map(Vec::len).sum::<usize>();
    listed + CONSTRAINTS.iter().filter(|member| assertion.get(member).is_some()).count()
}
