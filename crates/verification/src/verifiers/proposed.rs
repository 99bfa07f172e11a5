//! Criteria that a delegate proposes with its answer. They can only add: a gap that one of them finds is a gap, and one that
//! holds, or that is refused, changes nothing.

use std::path::{Component, Path};
use std::sync::Arc;

use candor_check::{Sandbox, Status};
use candor_engine::{Document, Engine, Task, invalid};
use candor_json::{Value, json};

use crate::verifier::{Finding, VerifierVerdict};

/// The checks that a delegate may propose: they run no command and ask no URL.
const KINDS: [&str; 5] =
    ["file-exists", "file-not-empty", "no-placeholders", "content-contains", "content-not-contains"];
/// The most proposals of one answer that are verified.
const MOST: usize = 20;
const BY: &str = "delegate";

/// Verifies each proposal over the delegate's workspace. A refused one is unverifiable.
pub(super) async fn findings(engine: &Engine, sandbox: &Sandbox, proposed: &[Value]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, assertion) in proposed.iter().take(MOST).enumerate() {
        let verdict = match planned(engine, index, assertion) {
            Ok(task) => judged(engine, sandbox, task).await,
            Err(reason) => VerifierVerdict::Unverifiable { reason },
        };
        findings.push(finding(label(index, assertion), verdict));
    }
    if proposed.len() > MOST {
        let reason = format!("{} more were not looked at: at most {MOST} can be proposed", proposed.len() - MOST);
        findings.push(finding("others".to_owned(), VerifierVerdict::Unverifiable { reason }));
    }
    findings
}

/// The findings for the proposals of a delegate without a workspace, where nothing can be looked at.
pub(super) fn without_workspace(proposed: &[Value]) -> Vec<Finding> {
    let reason = "the delegate has no workspace that could be looked into";
    let open = || VerifierVerdict::Unverifiable { reason: reason.to_owned() };
    proposed.iter().take(MOST).enumerate().map(|(index, one)| finding(label(index, one), open())).collect()
}

fn finding(label: String, verdict: VerifierVerdict) -> Finding {
    Finding { verifier: format!("proposed by the delegate: {label}"), verdict, proposed_by: Some(BY.to_owned()) }
}

/// `file-exists report.md`, or its number where it names neither.
fn label(index: usize, assertion: &Value) -> String {
    let text = |name: &str| assertion.get(name).and_then(Value::as_str);
    let named: Vec<&str> = [text("assert"), text("path")].into_iter().flatten().collect();
    match named.is_empty() {
        true => format!("criterion {}", index + 1),
        false => crate::plain(&named.join(" ")).chars().take(200).collect(),
    }
}

fn planned(engine: &Engine, index: usize, assertion: &Value) -> Result<Arc<Task>, String> {
    let kind = assertion.get("assert").and_then(Value::as_str).unwrap_or_default();
    if !KINDS.contains(&kind) {
        return Err(format!("a delegate may propose {} alone", KINDS.join(", ")));
    }
    let leaves = |path: &str| {
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        !Path::new(path).components().all(is_inside)
    };
    if assertion.get("path").and_then(Value::as_str).is_some_and(leaves) {
        return Err("its path leads out of the workspace".to_owned());
    }
    let id = format!("proposed-{}", index + 1);
    // `$` begins a placeholder, which is the author's of a task.
    let criterion = json!({"id": id, "label": id, "assertion": escaped(assertion)});
    let told = |errors: &[candor_engine::FileError]| {
        errors.first().map_or_else(|| "it cannot be read".to_owned(), |error| error.message.clone())
    };
    let value = json!({"id": "proposed", "criteria": [criterion]});
    let document = Document::from_value(value).map_err(|error| told(&[error]))?;
    let task = Arc::new(Task::from_document(document).map_err(|errors| told(&errors))?);
    match invalid(&engine.plan(Arc::clone(&task))).as_slice() {
        [] => Ok(task),
        errors => Err(told(errors)),
    }
}

/// The same with every `${` as a text that is meant literally.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => text.replace("${", "$${").into(),
        Value::Array(items) => items.iter().map(escaped).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), escaped(value))).collect(),
        other => other.clone(),
    }
}

async fn judged(engine: &Engine, sandbox: &Sandbox, task: Arc<Task>) -> VerifierVerdict {
    let run = engine.run(&engine.plan(task), sandbox).await;
    match run.criterion_runs.first() {
        Some(one) if one.status() == Status::Passed => VerifierVerdict::Passed,
        Some(one) if one.status() == Status::Failed => {
            VerifierVerdict::Failed { reason: one.evidence.details().to_owned() }
        }
        Some(one) => VerifierVerdict::Unverifiable { reason: one.evidence.details().to_owned() },
        None => VerifierVerdict::Unverifiable { reason: "nothing was looked at".to_owned() },
    }
}

pub(super) fn with_gaps(verdict: VerifierVerdict, findings: &[Finding]) -> VerifierVerdict {
    let gaps: Vec<String> = findings
        .iter()
        .filter_map(|finding| match &finding.verdict {
            VerifierVerdict::Failed { reason } => Some(format!("{}: {reason}", finding.verifier)),
            _ => None,
        })
        .collect();
    match (gaps.is_empty(), verdict) {
        (true, verdict) => verdict,
        (false, VerifierVerdict::Failed { reason }) => {
            VerifierVerdict::Failed { reason: [vec![reason], gaps].concat().join("\n") }
        }
        (false, _) => VerifierVerdict::Failed { reason: gaps.join("\n") },
    }
}
