//! The view of a run with a hidden rubric, for the holder of the run's token, of an agent's token or of a share link.

use candor_json::{Map, Value, json};

use crate::store::Run;
use crate::viewer::Viewer;

/// The only members of a record of a scored run that tell nothing of the rubric. A list of what may be seen, so that a new
/// member is hidden until somebody decides that it is not.
const SHOWN: &[&str] = &[
    "task_run_id",
    "task_id",
    "benchmark_run_id",
    "benchmark_id",
    "name",
    "prompt",
    "phase",
    "scored",
    "started_at",
    "deadline",
    "completed_at",
    "verdict",
    "reason",
    "score",
    "interval",
    "coverage",
    "conclusive",
    "axes",
    "start_url",
    "complete_url",
    "sandbox",
];

pub(crate) fn sees_rubric(viewer: &Viewer, run: &Run) -> bool {
    viewer.is_operator() || !run.scored
}

/// A record as somebody sees it: whole, or without everything that tells of the rubric. The criterion runs of a task run are
/// `[]` then.
pub(crate) fn shown(viewer: &Viewer, run: &Run, record: Value) -> Value {
    let Value::Object(members) = record else { return record };
    if sees_rubric(viewer, run) {
        return Value::Object(members);
    }
    let is_task_run = members.contains_key("criterion_runs");
    let is_wrong = members.contains_key("invalid_criteria");
    let kept = members.into_iter().filter(|(name, _)| SHOWN.contains(&name.as_str()));
    let mut kept: Map<String, Value> = kept.collect();
    kept.insert("scored".to_owned(), json!(true));
    if is_wrong {
        kept.insert("task_file_wrong".to_owned(), json!(true));
    }
    if is_task_run {
        kept.insert("criterion_runs".to_owned(), json!([]));
    }
    Value::Object(kept)
}
