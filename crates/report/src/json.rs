//! JSON and NDJSON: exactly the contract's shapes.

use candor_engine::TaskRun;
use serde::Serialize;

/// One document, indented, with a line feed at its end.
pub(crate) fn document(value: &impl Serialize) -> Vec<u8> {
    // These types serialize into memory without fail; should one ever not, an empty result is no JSON and is noticed.
    let mut out = serde_json::to_vec_pretty(value).unwrap_or_default();
    out.push(b'\n');
    out
}

/// One document on one line.
pub(crate) fn line(value: &impl Serialize) -> Vec<u8> {
    let mut out = serde_json::to_vec(value).unwrap_or_default();
    out.push(b'\n');
    out
}

/// Every criterion run on a line of its own, those of a task together. Beside the contract's members each has its
/// `task_id`, by which `candor score` knows several runs of one task. A task run of a hidden rubric is one line.
pub(crate) fn criterion_runs<'a>(runs: impl IntoIterator<Item = &'a TaskRun>) -> Vec<u8> {
    let mut out = Vec::new();
    for run in runs {
        if run.scored {
            out.extend(line(run));
        }
        for criterion in run.shown_runs() {
            let mut value = serde_json::to_value(criterion).unwrap_or_default();
            if let Some(members) = value.as_object_mut() {
                members.insert("task_id".to_owned(), run.task_id.clone().into());
            }
            out.extend(line(&value));
        }
    }
    out
}
