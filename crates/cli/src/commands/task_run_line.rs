//! A loop's first answer as a task run on a line: what `candor bench` keeps of each task run, and `candor loop` in its record.

use std::path::Path;

use candor::inner::engine::{Engine, Task};
use candor::inner::scoring::stored::{Limits, StoredOutcome, StoredRuns};
use candor::verification::{Attempt, AttemptOutcome, LoopRecord};
use candor_json::{Map, Value, json};

use crate::output::write_file;

/// The line in the record of a loop.
const FILE: &str = "task_run.ndjson";
/// The most characters of what the delegate said.
const SAID: usize = 2000;

/// Writes the line into the record of a loop, if there is one.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn keep(folder: Option<&Path>, engine: &Engine, task: &Task, record: &LoopRecord) -> Result<(), String> {
    let Some(folder) = folder else { return Ok(()) };
    let line = Value::Object(of(engine, task, &task.id, record)?);
    write_file(&folder.join(FILE), &candor::inner::report::json::line(&line))
}

/// The members of the line: how the loop ended, then the task run of the first answer. A delegate that broke off, and a
/// verifier other than the criteria that disagrees with them, are one more criterion of it, so that every reader of the line
/// comes to the same verdict.
///
/// # Errors
/// When the task run cannot be scored, which is a defect of this program.
pub(crate) fn of(engine: &Engine, task: &Task, entry: &str, record: &LoopRecord) -> Result<Map<String, Value>, String> {
    let first = record.attempts.first();
    let seen = first.and_then(|attempt| attempt.task_run.clone());
    let why = || first.and_then(|attempt| attempt.reason.as_deref()).or(record.reason.as_deref()).unwrap_or_default();
    let run = seen.or_else(|| candor_json::to_value(engine.unverified(task, why())).ok());
    let Some(Value::Object(mut run)) = run else { return Err("the task run is not an object".to_owned()) };
    run.insert("task_id".to_owned(), entry.into());
    if let Some(more) = first.and_then(|attempt| beyond_criteria(task, attempt, &run)) {
        if let Some(Value::Array(runs)) = run.get_mut("criterion_runs") {
            runs.insert(0, more);
        }
        score_again(&mut run)?;
    }
    let said: Option<String> = first.map(|attempt| attempt.claim.response.chars().take(SAID).collect());
    let head = json!({
        "entry": entry,
        "epoch": 1,
        "delegate_id": record.parties.delegate_id().0,
        "outcome": record.outcome,
        "attempts": record.attempts.len(),
        "last_score": record.last_score,
        "delegate_error": first.and_then(|attempt| attempt.delegate_error.as_deref()),
        "said": said,
        "boundary": record.boundary,
    });
    let Value::Object(mut line) = head else { return Err("the line is not an object".to_owned()) };
    line.extend(run);
    Ok(line)
}

/// The verdict on an attempt as one more criterion, where the criteria of the task do not say it: a gate of weight 0; of a
/// task without criteria, its only one.
fn beyond_criteria(task: &Task, attempt: &Attempt, run: &Map<String, Value>) -> Option<Value> {
    let passed = run.get("verdict").and_then(Value::as_str) == Some("pass");
    let conclusive = run.get("conclusive").and_then(Value::as_bool) == Some(true);
    let reason = attempt.reason.as_deref().unwrap_or_default().replace('\n', " ");
    let (id, label) = match attempt.delegate_error {
        Some(_) => ("delegate", "The delegate comes to its end"),
        None => ("verifiers", "The work passes every verifier"),
    };
    let is_only = task.criteria.is_empty();
    let (status, why, details) = match (&attempt.delegate_error, attempt.outcome) {
        (Some(error), _) => ("failed", Some("field_mismatch"), format!("The delegate broke off: {error}")),
        (None, AttemptOutcome::Passed) if is_only => ("passed", None, "They passed it.".to_owned()),
        (None, AttemptOutcome::Failed) if is_only || passed || !conclusive => {
            ("failed", Some("field_mismatch"), reason.to_owned())
        }
        (None, AttemptOutcome::Unverifiable | AttemptOutcome::Broken) if is_only || conclusive => {
            ("unverifiable", Some("undecidable"), reason.to_owned())
        }
        _ => return None,
    };
    let mut id = id.to_owned();
    while task.criteria.iter().any(|criterion| criterion.id == id) {
        id.push('_');
    }
    let task_run_id = run.get("task_run_id").and_then(Value::as_str).unwrap_or_default();
    let score = if status == "passed" { 1.0 } else { 0.0 };
    Some(json!({
        "id": task_run_id.replacen("tr_", "cr_", 1),
        "task_run_id": task_run_id,
        "criterion_id": id,
        "label": label,
        "axis": task.criteria.first().and_then(|criterion| criterion.axis.as_deref()),
        "weight": u8::from(is_only),
        "gate": true,
        "status": status,
        "passed": status == "passed",
        "score": score,
        "share": score,
        "reason": why,
        "details": details,
        "evidence": {"fieldResults": []},
        "verifier_id": run.get("criterion_runs").and_then(|runs| runs.get(0)?.get("verifier_id")),
        "started_at": format!("{:.3}", attempt.started_at),
        "completed_at": format!("{:.3}", attempt.completed_at),
    }))
}

/// Scores a task run by its criterion runs, as `candor score` does.
fn score_again(run: &mut Map<String, Value>) -> Result<(), String> {
    let mut runs = StoredRuns::new(Limits { max_line_bytes: usize::MAX >> 1 });
    let line = Value::Object(run.clone()).to_string();
    runs.read("the task run", line.as_bytes(), |_| {}).map_err(|error| error.to_string())?;
    let StoredOutcome::Task(scored) = runs.finish(|_| {}).outcome else {
        return Err("the task run has no criteria".to_owned());
    };
    let Ok(Value::Object(result)) = candor_json::to_value(&scored.result) else {
        return Err("the score is not an object".to_owned());
    };
    run.shift_remove("passed_with_failures");
    run.extend(result);
    Ok(())
}
