//! The examples of orders: right work passes in every form, and wrong work does not, for the documented reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use candor_check::{Sandbox, Status};
use candor_engine::{Engine, Task};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples")
}

fn example() -> PathBuf {
    examples().join("medication-order")
}

/// The first criterion that does not pass over one of the sandboxes of a folder, with its reason; and the details of all.
fn outcome(task: &Task, folder: &Path, sandbox: &str) -> (Option<(String, String)>, String) {
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "candor/test");
    let opened = |name: &str| Sandbox::open(&folder.join(name), candor_checks::PARTS).unwrap();
    let sandbox = opened(sandbox).with_baseline(opened("before"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&engine.plan(task.clone().into()), &sandbox));
    let red = run.criterion_runs.iter().find(|one| one.status() != Status::Passed);
    let reason = |one: &candor_engine::CriterionRun| one.reason().unwrap_or_default().to_owned();
    let details: Vec<&str> = run.criterion_runs.iter().map(|one| one.evidence.details()).collect();
    (red.map(|one| (one.criterion_id.clone(), reason(one))), details.join("\n"))
}

/// The rows of a README's tables: a sandbox with the last two cells of its row, which are criterion and reason.
fn documented(text: &str) -> BTreeMap<String, (String, String)> {
    let rows = text.lines().filter(|line| line.starts_with("| `done-")).map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect();
        let cell = |from_the_end: usize| cells[cells.len() - from_the_end].trim_end_matches(" |").trim_matches('`');
        (cells[0].to_owned(), (cell(2).to_owned(), cell(1).to_owned()))
    });
    rows.collect()
}

/// Holds every sandbox of a folder against the rows of its table; gives the numbers of right and wrong ones.
fn held(folder: &Path, rows: &BTreeMap<String, (String, String)>) -> (usize, usize) {
    let task = Task::read(&folder.join("task.yaml")).unwrap();
    let mut seen = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if !name.starts_with("done-") {
            continue;
        }
        let (red, details) = outcome(&task, folder, &name);
        if name.starts_with("done-right") {
            seen.0 += 1;
            assert_eq!(red, None, "{name}: {details}");
            assert!(name == "done-right" || rows.contains_key(&name), "{name} is not in the README");
        } else {
            seen.1 += 1;
            assert_eq!(red.as_ref(), rows.get(&name), "{name}: {details}");
            assert!(red.is_some(), "{name}");
        }
    }
    seen
}

#[test]
fn right_work_passes_in_every_form_and_wrong_work_fails_for_the_documented_reason() {
    let text = fs::read_to_string(example().join("README.md")).unwrap();
    assert_eq!(held(&example(), &documented(&text)), (13, 43));
}

#[test]
fn three_orders_are_what_a_newcomer_copies_from() {
    let text = fs::read_to_string(examples().join("orders/README.md")).unwrap();
    let mut seen = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap().to_lowercase();
        let folder = examples().join("orders").join(&title);
        let lines = fs::read_to_string(folder.join("task.yaml")).unwrap().lines().count();
        assert!(lines <= 32, "{title}: {lines} lines");
        seen.push((title, held(&folder, &documented(section))));
    }
    let of = |name: &str, right, wrong| (name.to_owned(), (right, wrong));
    assert_eq!(seen, [of("antiviral", 7, 17), of("imaging", 5, 14), of("anticoagulant", 6, 17)]);
}

/// With `allow_modifiers`: what is left of the task when nothing is safe by default.
#[test]
fn the_fields_alone_do_not_see_what_the_defaults_see() {
    let text = fs::read_to_string(example().join("task.yaml")).unwrap();
    let changed = text.replace("      count: 1\n", "      count: 1\n      allow_modifiers: true\n");
    assert_ne!(text, changed);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("task.yaml");
    fs::write(&path, changed).unwrap();
    let task = Task::read(&path).unwrap();
    for name in ["do-not-perform", "modifier-extension", "reported"] {
        let (red, details) = outcome(&task, &example(), &format!("done-wrong-{name}"));
        assert_eq!(red, None, "{name}: {details}");
    }
}

#[test]
fn the_steps_of_the_page_on_trust_leave_what_it_lists() {
    let page = fs::read_to_string(example().join("../../../docs/trusting-a-green.md")).unwrap();
    let steps = page.split("\n## Make it red yourself\n").next().unwrap();
    let mut names: Vec<String> = fs::read_dir(example())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("done-"))
        .collect();
    names.sort();
    let mut left = Vec::new();
    for step in steps.split("```yaml\n").skip(1) {
        let (written, text) = step.split_once("```\n").unwrap();
        let listed = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start)).unwrap();
            line.split(", ").map(|name| name.trim_matches('`').to_owned()).filter(|name| name != "none").collect()
        };
        let (green, red): (Vec<String>, Vec<String>) = (listed("Still green: "), listed("Fails though right: "));
        let criteria = match written.starts_with("criteria:") {
            true => written.to_owned(),
            false => {
                let indented: String = written.lines().map(|line| format!("      {line}\n")).collect();
                format!("criteria:\n  - id: c\n    label: c\n    assertion:\n{indented}")
            }
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("task.yaml");
        fs::write(&path, format!("id: t\npass: all\n{criteria}")).unwrap();
        let task = Task::read(&path).unwrap();
        let (mut lives, mut rejected) = (Vec::new(), Vec::new());
        for name in &names {
            let passes = outcome(&task, &example(), name).0.is_none();
            match name.strip_prefix("done-wrong-") {
                Some(wrong) if passes => lives.push(wrong.to_owned()),
                None if !passes => rejected.push(name.trim_start_matches("done-right-").to_owned()),
                _ => {}
            }
        }
        left.push((lives.len(), rejected.len()));
        assert_eq!((lives, rejected), (green, red), "{written}");
        if written.starts_with("criteria:") {
            let example = fs::read_to_string(example().join("task.yaml")).unwrap();
            assert!(example.ends_with(written), "the last step is the task");
        }
    }
    assert_eq!(left, [(33, 2), (23, 5), (16, 5), (15, 5), (14, 5), (9, 0), (0, 0)]);
}
