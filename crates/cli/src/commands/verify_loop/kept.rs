//! The evidence bundle of a loop: every look at the work.

use std::sync::{Mutex, PoisonError};

use candor::check::Sandbox;
use candor::inner::bundle::{Recorded, of_loop};
use candor::inner::engine::{Engine, Task, TaskRun};
use candor::verification::LoopRecord;
use candor_json::{Value, json};

use crate::commands::bundle::ToWrite;

/// The members of a loop's record that say how it ended.
const MEMBERS: [&str; 5] = ["loop_id", "outcome", "status", "first_score", "last_score"];

pub(super) fn write(
    to_write: &ToWrite,
    engine: &Engine,
    (task, sandbox): (&Task, &Sandbox),
    looks: &Mutex<Vec<TaskRun>>,
    record: &LoopRecord,
) -> Result<(), String> {
    let looks = looks.lock().unwrap_or_else(PoisonError::into_inner);
    let recorded: Vec<Recorded<'_>> = looks.iter().map(|run| Recorded { task, run, sandbox }).collect();
    let whole = json!(record);
    let mut members: candor_json::Map<String, Value> =
        MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), whole.get(*name)?.clone()))).collect();
    members.insert("attempts".to_owned(), json!(record.attempts.len()));
    let delegate = whole.get("delegate_id").and_then(Value::as_str);
    to_write.write(delegate, |terms| of_loop(engine, members, &recorded, terms))
}
