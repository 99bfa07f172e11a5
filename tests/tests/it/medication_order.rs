//! The example of a magnesium order: a criterion, right work in several forms, and fourteen kinds
//! of wrong work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use candor_check::{Sandbox, Status};
use candor_engine::{Engine, Task};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/medication-order")
}

/// The criterion's status and reason over one of the sandboxes.
fn outcome(task: &Task, sandbox: &str) -> (Status, Option<String>, String) {
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test");
    let sandbox = Sandbox::open(&example().join(sandbox), candor_checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&engine.plan(task.clone().into()), &sandbox));
    let criterion = &run.criterion_runs[0];
    let text = criterion.evidence.details().to_owned();
    (criterion.evidence.status(), criterion.reason().map(str::to_owned), text)
}

fn task() -> Task {
    Task::read(&example().join("task.yaml")).unwrap()
}

/// The task with `allow_modifiers`: what is left of it when nothing is safe by default.
fn task_of_the_fields_alone() -> Task {
    let text = fs::read_to_string(example().join("task.yaml")).unwrap();
    let changed = text.replace("      match: exactly_one\n", "      allow_modifiers: true\n");
    assert_ne!(text, changed);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("task.yaml");
    fs::write(&path, changed).unwrap();
    Task::read(&path).unwrap()
}

/// The rows of the README's tables: a sandbox with the last cell of its row.
fn documented() -> BTreeMap<String, String> {
    let text = fs::read_to_string(example().join("README.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `done-")).map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        let name = format!("done-{}", cells[0].trim_end_matches('`'));
        (name, cells.last().unwrap().trim_matches('`').to_owned())
    });
    rows.collect()
}

#[test]
fn right_work_passes_in_every_form_and_wrong_work_fails_for_the_documented_reason() {
    let task = task();
    let documented = documented();
    let mut seen = (0, 0);
    for entry in fs::read_dir(example()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.starts_with("done-right") {
            seen.0 += 1;
            let (status, _, details) = outcome(&task, &name);
            assert_eq!(status, Status::Passed, "{name}: {details}");
            assert!(name == "done-right" || documented.contains_key(&name), "{name} is not in the README");
        } else if name.starts_with("done-wrong") {
            seen.1 += 1;
            let (status, reason, details) = outcome(&task, &name);
            assert_eq!((status, reason.as_ref()), (Status::Failed, documented.get(&name)), "{name}: {details}");
        }
    }
    assert_eq!(seen, (5, 14));
}

#[test]
fn the_fields_alone_do_not_see_what_the_defaults_see() {
    let task = task_of_the_fields_alone();
    let left = documented().into_iter().filter(|(_, reason)| reason == "unsafe_match" || reason == "ambiguous_match");
    let mut tried = 0;
    for (name, _) in left {
        let (status, _, details) = outcome(&task, &name);
        assert_eq!(status, Status::Passed, "{name}: {details}");
        tried += 1;
    }
    assert_eq!(tried, 3);
}

#[test]
fn the_steps_of_the_page_on_trust_leave_green_what_it_lists() {
    let page = fs::read_to_string(example().join("../../../docs/trust.md")).unwrap();
    let sandboxes = documented();
    let mut left = Vec::new();
    for step in page.split("```yaml\n").skip(1) {
        let (assertion, text) = step.split_once("```\n").unwrap();
        let listed = text.lines().find_map(|line| line.strip_prefix("Still green: ")).unwrap();
        let listed: Vec<String> = listed.split(", ").map(|name| name.trim_matches('`').to_owned()).collect();
        let indented: String = assertion.lines().map(|line| format!("      {line}\n")).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task.yaml");
        fs::write(&path, format!("id: t\ncriteria:\n  - id: c\n    label: c\n    assertion:\n{indented}")).unwrap();
        let task = Task::read(&path).unwrap();
        let mut green = Vec::new();
        for name in sandboxes.keys() {
            let (status, _, details) = outcome(&task, name);
            match name.strip_prefix("done-wrong-") {
                Some(wrong) if status == Status::Passed => green.push(wrong.to_owned()),
                Some(_) => assert_eq!(status, Status::Failed, "{name}: {details}"),
                None => assert_eq!(status, Status::Passed, "{name}: {details}"),
            }
        }
        left.push(green.len());
        assert_eq!(if green.is_empty() { vec!["none".to_owned()] } else { green }, listed, "{assertion}");
    }
    assert_eq!(left, [8, 5, 2, 1, 0]);
}
