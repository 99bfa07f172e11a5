//! `OperationOutcome` of FHIR R4: an issue for each criterion.

use candor_check::Status;
use candor_json::{Map, Value, json};

use super::string;
use crate::model::{CriterionRun, TaskRun};
use crate::numbers;

/// The code of an issue, by the reason of a criterion.
const CODES: &[(&str, &str)] = &[
    ("field_mismatch", "value"),
    ("no_candidate", "not-found"),
    ("count_mismatch", "business-rule"),
    ("ambiguous_match", "multiple-matches"),
    ("forbidden_found", "business-rule"),
    ("phrase_missing", "required"),
    ("order_violation", "business-rule"),
    ("structure_violation", "structure"),
    ("malformed", "structure"),
    ("unsafe_match", "business-rule"),
    ("unsupported_assertion", "not-supported"),
    ("invalid_assertion", "invalid"),
    ("no_source", "not-found"),
    ("source_unavailable", "transient"),
    ("source_denied", "forbidden"),
    ("source_malformed", "structure"),
    ("timeout", "timeout"),
    ("limit_exceeded", "too-costly"),
    ("no_judge", "incomplete"),
    ("undecidable", "incomplete"),
];

pub(crate) fn operation_outcome(runs: &[&TaskRun]) -> Value {
    let mut issues = Vec::new();
    for run in runs {
        let prefix = if runs.len() > 1 { run.shown_id() } else { None };
        if run.criteria().is_empty() {
            let (verdict, score) = (numbers::headline(&run.outcome), numbers::decimal(run.outcome.score));
            let details = named(prefix, run.title());
            let failures = run.outcome.failures.as_ref().filter(|_| !run.scored);
            let failures = failures.map(|failures| format!(", {}", numbers::failures(failures, str::to_owned)));
            let diagnostics = format!("{verdict}{}; score {score}", failures.unwrap_or_default());
            issues.push(issue(run.status(), None, &details, &diagnostics));
        }
        for criterion in run.criteria() {
            issues.push(of(criterion, prefix));
        }
    }
    if issues.is_empty() {
        issues.push(issue(Status::Failed, None, "No task was run.", ""));
    }
    json!({"resourceType": "OperationOutcome", "issue": issues})
}

fn named(prefix: Option<&str>, label: &str) -> String {
    prefix.map_or_else(|| label.to_owned(), |task| format!("{task}: {label}"))
}

fn of(criterion: &CriterionRun, prefix: Option<&str>) -> Value {
    let reason = criterion.reason.as_deref();
    let diagnostics = match reason {
        Some(reason) => format!("{}: {reason}: {}", criterion.criterion_id, criterion.details),
        None => format!("{}: {}", criterion.criterion_id, criterion.details),
    };
    issue(criterion.status, reason, &named(prefix, &criterion.label), &diagnostics)
}

fn issue(status: Status, reason: Option<&str>, details: &str, diagnostics: &str) -> Value {
    let severity = match status {
        Status::Passed => "information",
        Status::Failed => "error",
        Status::Unverifiable => "warning",
    };
    let known = reason.and_then(|reason| CODES.iter().find(|(name, _)| *name == reason));
    let code = match (status, known) {
        (Status::Passed, _) => "informational",
        (_, Some((_, code))) => code,
        _ => "processing",
    };
    let mut issue = Map::new();
    issue.insert("severity".to_owned(), json!(severity));
    issue.insert("code".to_owned(), json!(code));
    if let Some(text) = string(details) {
        issue.insert("details".to_owned(), json!({"text": text}));
    }
    if let Some(text) = string(diagnostics) {
        issue.insert("diagnostics".to_owned(), json!(text));
    }
    Value::Object(issue)
}
