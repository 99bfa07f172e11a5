//! JSON and NDJSON: exactly the contract's shapes.

use candor_engine::TaskRun;
use candor_json::Value;
use serde::Serialize;

use crate::escape::plain_json;

/// A JSON document, indented, with a line feed at its end. Characters that steer a terminal are escaped in it
/// ([`crate::plain_json`]).
#[must_use]
pub fn document(value: &impl Serialize) -> Vec<u8> {
    // These types serialize into memory without fail; should one ever not, an empty result is not JSON and is noticed.
    let mut out = candor_json::to_vec_pretty(value).unwrap_or_default();
    out.push(b'\n');
    plain_json(out)
}

/// Writes a document on one line, with the same escapes.
#[must_use]
pub fn line(value: &impl Serialize) -> Vec<u8> {
    let mut out = candor_json::to_vec(value).unwrap_or_default();
    out.push(b'\n');
    plain_json(out)
}

/// Every criterion run on a line of its own, those of a task together. Next to the contract's members each has its
/// `task_id`, by which `candor score` knows several runs of one task, and the id of the benchmark. A task run of a hidden
/// rubric is one line.
pub(crate) fn criterion_runs<'a>(runs: impl IntoIterator<Item = &'a TaskRun>, benchmark_id: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    for run in runs {
        if run.scored {
            out.extend(line(run));
        }
        for criterion in run.shown_runs() {
            let value = candor_json::to_value(criterion).unwrap_or_default();
            out.extend(criterion_line(value, Some(&run.task_id), benchmark_id));
        }
    }
    out
}

fn criterion_line(mut criterion: Value, task_id: Option<&str>, benchmark_id: Option<&str>) -> Vec<u8> {
    if let Some(members) = criterion.as_object_mut() {
        let ids = [("task_id", task_id), ("benchmark_id", benchmark_id)];
        members.extend(ids.into_iter().filter_map(|(name, id)| Some((name.to_owned(), id?.into()))));
    }
    line(&criterion)
}

/// A stored document a line: of a task run and a benchmark run a criterion run a line, of a loop an attempt, else one line.
pub(crate) fn stored_lines(document: &Value) -> Vec<u8> {
    lines_of(document, id(document, "benchmark_id"))
}

fn id<'v>(document: &'v Value, name: &str) -> Option<&'v str> {
    document.get(name).and_then(Value::as_str)
}

fn lines_of(document: &Value, benchmark_id: Option<&str>) -> Vec<u8> {
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    if let Some(runs) = list("task_runs") {
        return runs.iter().flat_map(|run| lines_of(run, benchmark_id)).collect();
    }
    if let Some(attempts) = list("attempts") {
        let mut end = document.clone();
        end.as_object_mut().and_then(|end| end.remove("attempts"));
        return attempts.iter().chain([&end]).flat_map(line).collect();
    }
    match list("criterion_runs") {
        Some(runs) if !runs.is_empty() => {
            let task_id = id(document, "task_id");
            runs.iter().flat_map(|run| criterion_line(run.clone(), task_id, benchmark_id)).collect()
        }
        _ => line(document),
    }
}
