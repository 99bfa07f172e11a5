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

/// Every criterion run on a line of its own, those of a task together.
pub(crate) fn criterion_runs<'a>(runs: impl IntoIterator<Item = &'a TaskRun>) -> Vec<u8> {
    runs.into_iter().flat_map(TaskRun::criterion_values).flat_map(|value| line(&value)).collect()
}
