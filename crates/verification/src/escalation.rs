//! Builds the escalation: everything a person needs to take over a task, whatever was kept from the delegate.

use candor_check::Status;
use candor_json::Value;

use crate::record::{Attempt, EscalatedAttempt, Escalation, OpenCriterion};
use crate::verifier::VerifierVerdict;

/// How much of an answer a person reads before they open the attempt.
const CLAIM: usize = 2000;

pub(crate) fn escalation(task_id: &str, prompt: &str, attempts: &[Attempt], reason: Option<&str>) -> Escalation {
    let last = attempts.last();
    // The last attempt may have ended before its criteria were run.
    let run = attempts.iter().rev().find_map(|attempt| attempt.task_run.as_ref());
    let runs = run.and_then(|run| run.get("criterion_runs")).and_then(Value::as_array).into_iter().flatten();
    let findings = last.into_iter().flat_map(|attempt| &attempt.findings);
    let hooks = last.into_iter().flat_map(|attempt| &attempt.hooks);
    Escalation {
        task_id: task_id.to_owned(),
        prompt: prompt.to_owned(),
        reason: reason.map(str::to_owned),
        open_criteria: runs.filter_map(open_criterion).collect(),
        findings: findings.filter(|finding| finding.verdict != VerifierVerdict::Passed).cloned().collect(),
        blocked: hooks.filter(|hook| hook.reason.is_some()).cloned().collect(),
        attempts: attempts.iter().map(escalated).collect(),
    }
}

fn escalated(attempt: &Attempt) -> EscalatedAttempt {
    let response = &attempt.claim.response;
    let claim = match response.char_indices().nth(CLAIM) {
        Some((at, _)) => format!("{}… (cut)", response.get(..at).unwrap_or_default()),
        None => response.clone(),
    };
    EscalatedAttempt {
        attempt: attempt.attempt,
        reason: attempt.reason.clone(),
        delegate_error: attempt.delegate_error.clone(),
        claim,
        outputs: attempt.claim.outputs.clone(),
    }
}

/// A criterion run as it is stored, if it did not pass.
fn open_criterion(run: &Value) -> Option<OpenCriterion> {
    let text = |key: &str| run.get(key).and_then(Value::as_str).map(str::to_owned);
    let status = text("status").filter(|status| status != Status::Passed.name())?;
    Some(OpenCriterion {
        criterion_id: text("criterion_id")?,
        label: text("label").unwrap_or_default(),
        status,
        reason: text("reason"),
        evidence_gap: text("details").unwrap_or_default(),
    })
}
