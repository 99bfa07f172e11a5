//! Lint on tasks that are right, of which it says nothing, and on weak ones, of which it says what is weak.
//! `tests/lint/right.yaml` and `tests/lint/weak.yaml` hold them.

use std::path::Path;
use std::sync::Arc;

use candor_engine::{Document, Engine, Finding, Severity, Task, lint_with_notes};
use candor_json::{Value, json};

fn listed(name: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("lint").join(name);
    Document::read(&file).unwrap().value().as_array().unwrap().clone()
}

fn findings(task: &Value) -> Vec<Finding> {
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let task = Task::from_document(document).unwrap_or_else(|errors| panic!("{task}: {errors:?}"));
    lint_with_notes(&Engine::new(candor_checks::ALL.to_vec(), "candor/test").plan(Arc::new(task)))
}

#[test]
fn there_is_no_alarm_on_right_tasks() {
    let tasks = listed("right.yaml");
    assert!(tasks.len() >= 30, "{}", tasks.len());
    let alarms: Vec<String> = tasks
        .iter()
        .flat_map(|listed| {
            let found = findings(&listed["task"]).into_iter().filter(|finding| finding.severity != Severity::Note);
            found.map(|finding| format!("{}: {}: {}", listed["about"], finding.code, finding.error.message))
        })
        .collect();
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}

#[test]
fn what_is_weak_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for listed in listed("weak.yaml") {
        let criteria: Vec<Value> = listed["criteria"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(index, assertion)| {
                let mut criterion = json!({"id": format!("c{index}"), "assertion": assertion});
                for member in ["gate", "partial_credit"] {
                    if let Some(value) = listed.get(member) {
                        criterion[member] = value.clone();
                    }
                }
                if let Some(axis) = listed.get("axes").and_then(|axes| axes.get(index)) {
                    criterion["axis"] = axis.clone();
                }
                criterion
            })
            .collect();
        let mut task = listed.get("task").cloned().unwrap_or_else(|| json!({}));
        task["id"] = json!("weak");
        task["criteria"] = json!(criteria);
        let notes = listed.get("notes").is_some();
        let found: Vec<&str> = findings(&task)
            .iter()
            .filter(|finding| notes || finding.severity != Severity::Note)
            .map(|finding| finding.code)
            .collect();
        let times = listed.get("times").and_then(Value::as_u64).unwrap_or(1);
        let expected = vec![listed["code"].as_str().unwrap(); usize::try_from(times).unwrap()];
        if found != expected {
            wrong.push(format!("{}: found {found:?}, expected {expected:?}", listed["about"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
