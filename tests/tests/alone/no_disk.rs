//! Grading in memory touches no disk: the same results in a process that can write nowhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use candor::{Engine, Sandbox, Task, Verdict};
use candor_json::json;

/// Set in the process that can write nowhere.
const CONFINED: &str = "CANDOR_TEST_NO_DISK";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples/prior-auth")
}

/// The bundled example in memory, with a SQLite database in addition to the rows of the portal.
fn sandbox() -> Sandbox {
    let database = rusqlite::Connection::open_in_memory().unwrap();
    database
        .execute_batch("CREATE TABLE audit (id INTEGER, state TEXT); INSERT INTO audit VALUES (7, 'kept')")
        .unwrap();
    let bytes = database.serialize("main").unwrap().to_vec();
    let mut sandbox = Sandbox::builder().build().unwrap().with_file("portal/audit.db", bytes);
    let root = example().join("done-right");
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            sandbox = sandbox.with_file(&name, fs::read(&path).unwrap());
        }
    }
    sandbox
}

/// Grades in a process of its own where that is not this one already.
#[test]
fn grading_in_memory_touches_no_disk() {
    if std::env::var_os(CONFINED).is_none() {
        // No user can make a file in /proc, not even root.
        let nowhere = "/proc/self/nowhere";
        let mut confined = Command::new(std::env::current_exe().unwrap());
        confined
            .args(["--exact", "no_disk::grading_in_memory_touches_no_disk", "--nocapture"])
            .current_dir("/proc/self");
        let output = confined.env(CONFINED, "1").env("TMPDIR", nowhere).env("HOME", nowhere).output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && shown.contains("1 passed"),
            "{shown}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    assert!(tempfile::tempdir().is_err(), "this process can write to TMPDIR");
    assert!(fs::write("here", "").is_err(), "this process can write to its working folder");
    let engine = Engine::standard();
    let sandbox = sandbox();
    let run = candor::blocking::run(&engine, &Task::read(example().join("task.yaml")).unwrap(), &sandbox).unwrap();
    assert_eq!((run.verdict(), run.criterion_runs().count()), (Verdict::Pass, 13));
    let rows = json!({"id": "audit", "criteria": [{"id": "row", "label": "The row was kept", "assertion": {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "audit", "key": "id", "value": 7},
        "assertions": [{"path": "state", "expected": "kept"}],
    }}]});
    let run = candor::blocking::run(&engine, &Task::from_value(rows).unwrap(), &sandbox).unwrap();
    let row = run.criterion_run("row").unwrap();
    assert_eq!(run.verdict(), Verdict::Pass, "{}", row.details());
}
