//! Real commands over real workspaces, through the engine.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};
use candor_workspace_checks::ALL;

fn sandbox() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("workspace")).unwrap();
    root
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join("workspace").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A task run of one criterion, as it is written down.
fn run(root: &Path, assertion: Value, scored: bool) -> Value {
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "l", "assertion": assertion}]});
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let engine = Engine::new(ALL, "candor/test");
    let plan = engine.plan(Arc::new(Task::from_document(document).unwrap_or_else(|e| panic!("{e:?}"))));
    // No I/O: a check brings what it needs.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let mut run =
        runtime.block_on(engine.run(&plan, &Sandbox::open(root, &[candor_workspace_checks::WORKSPACE]).unwrap()));
    run.scored = scored;
    candor_json::to_value(&run).unwrap()
}

fn criterion(root: &Path, assertion: Value) -> Value {
    run(root, assertion, false)["criterion_runs"][0].clone()
}

#[test]
fn the_record_names_criterion_and_verifier_and_is_hidden_with_the_rest() {
    let root = sandbox();
    write(root.path(), "a.txt", "x");
    let assertion = json!({"assert": "file-exists", "path": "a.txt"});
    let found = criterion(root.path(), assertion.clone());
    let record = found["evidence"]["evidence"].as_object().unwrap();
    let names: Vec<&str> = record.keys().map(String::as_str).collect();
    assert_eq!(names, ["criterion", "verified", "evidence_type", "evidence_data", "timestamp", "verifier_id"]);
    assert_eq!(
        (&record["criterion"], &record["verified"], &record["verifier_id"]),
        (&json!("c"), &json!(true), &json!("candor/test"))
    );
    assert!(record["timestamp"].as_str().unwrap().ends_with('Z'));
    assert!(found["evidence"]["fieldResults"][0]["passed"].as_bool().unwrap());
    let hidden = run(root.path(), assertion, true).to_string();
    assert!(!hidden.contains("evidence_type") && !hidden.contains("a.txt"), "{hidden}");
}

#[test]
fn rust_compiles_or_does_not() {
    let root = sandbox();
    let assertion = json!({"assert": "code-compiles", "command": ["rustc", "--edition", "2024", "--emit", "metadata", "--crate-type", "lib", "src/lib.rs"]});
    write(root.path(), "src/lib.rs", "pub fn double(x: u32) -> u32 { x * 2 }\n");
    let good = criterion(root.path(), assertion.clone());
    assert_eq!(good["status"], "passed", "{good:#}");
    assert_eq!(fs::read_dir(root.path().join("workspace")).unwrap().count(), 1, "the workspace itself was written to");
    write(root.path(), "src/lib.rs", "pub fn double(x: u32) -> u32 { x * }\n");
    let bad = criterion(root.path(), assertion);
    assert_eq!((&bad["status"], &bad["reason"]), (&json!("failed"), &json!("field_mismatch")), "{bad:#}");
    assert!(bad["details"].as_str().unwrap().contains("src/lib.rs:1"), "{bad:#}");
}

#[test]
fn a_suite_of_rust_is_counted() {
    let root = sandbox();
    write(root.path(), "lib.rs", "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n");
    let command = "rustc --edition 2024 --test lib.rs -o suite && ./suite";
    let assertion = json!({"assert": "tests-pass", "command": ["sh", "-c", command], "min_tests": 1});
    let good = criterion(root.path(), assertion.clone());
    assert_eq!(
        (&good["status"], &good["evidence"]["evidence"]["evidence_data"]["tests"]["ran"]),
        (&json!("passed"), &json!(1)),
        "{good:#}"
    );
    write(root.path(), "lib.rs", "fn adds() { assert_eq!(1 + 1, 2); }\n");
    let none = criterion(root.path(), assertion.clone());
    assert_eq!((&none["status"], &none["reason"]), (&json!("failed"), &json!("count_mismatch")), "{none:#}");
    write(root.path(), "lib.rs", "#[test]\nfn adds() { assert_eq!(1 + 1, 3); }\n");
    assert_eq!(criterion(root.path(), assertion)["status"], "failed");
}

#[test]
fn a_program_of_the_workspace_is_run_in_the_copy() {
    let root = sandbox();
    write(root.path(), "bin/check", "#!/bin/sh\nread_only=$(cat data)\necho \"$PWD\" > data\nexit ${read_only}\n");
    fs::set_permissions(root.path().join("workspace/bin/check"), fs::Permissions::from_mode(0o755)).unwrap();
    let assertion = json!({"assert": "lint-passes", "command": ["bin/check"]});
    for (exit, status) in [("0", "passed"), ("4", "failed")] {
        write(root.path(), "data", exit);
        assert_eq!(criterion(root.path(), assertion.clone())["status"], status);
        assert_eq!(fs::read_to_string(root.path().join("workspace/data")).unwrap(), exit);
    }
}

#[test]
fn only_what_is_granted_is_given() {
    // Cargo sets this variable for the test itself.
    let root = sandbox();
    write(root.path(), "a", "");
    let assertion =
        json!({"assert": "tests-pass", "command": ["sh", "-c", "test \"$CARGO_PKG_NAME\" = candor-workspace-checks"]});
    assert_eq!(criterion(root.path(), assertion.clone())["status"], "failed");
    fs::write(root.path().join("sandbox.toml"), "[workspace]\nenv = [\"CARGO_PKG_NAME\"]\n").unwrap();
    assert_eq!(criterion(root.path(), assertion)["status"], "passed");
}

#[test]
fn an_output_that_was_cut_does_not_count_its_tests() {
    let root = sandbox();
    write(root.path(), "a", "");
    fs::write(root.path().join("sandbox.toml"), "[workspace]\nmax_output = \"200B\"\n").unwrap();
    let summary = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
    let script = format!("for i in 1 2 3 4 5 6; do echo '{summary}'; done");
    let assertion = json!({"assert": "tests-pass", "command": ["sh", "-c", script], "min_tests": 6});
    let found = criterion(root.path(), assertion);
    assert_eq!((&found["status"], &found["reason"]), (&json!("unverifiable"), &json!("limit_exceeded")), "{found:#}");
}

#[test]
fn what_is_stored_is_judged_the_same() {
    let root = sandbox();
    write(root.path(), "a.rs", "// TODO\n");
    let sandbox = Sandbox::open(root.path(), &[candor_workspace_checks::WORKSPACE]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for assertion in [
        json!({"assert": "no-placeholders"}),
        json!({"assert": "code-compiles", "command": ["false"]}),
        json!({"assert": "content-contains", "path": "a.rs", "text": "TODO"}),
        json!({"assert": "endpoint-responds", "url": "/none"}),
    ] {
        let check = ALL.iter().find(|check| check.meta().assert == assertion["assert"]).unwrap();
        let bound = check.bind(assertion).unwrap();
        let seen = runtime.block_on(bound.observe(&sandbox)).unwrap();
        let key = check.meta().evidence_key;
        let first = bound.judge(&seen).attributed(key, Some(("c", "v")));
        // The clock has gone on; the evidence is of the look.
        std::thread::sleep(std::time::Duration::from_millis(5));
        let again = bound.restore(candor_json::from_str(&seen.to_value().to_string()).unwrap()).unwrap();
        assert_eq!(bound.judge(&again).attributed(key, Some(("c", "v"))), first);
    }
}
