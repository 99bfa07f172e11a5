//! The path of a new task, as `candor init` shows it.

use std::process::Command;

use candor_json::Value;

#[test]
fn a_path_is_typed_as_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    for (path, shown) in [("a/b-1", "a/b-1"), ("my tasks", "'my tasks'"), ("it's", "'it'\\''s'")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
        let output = command.args(["init", path, "--format", "json"]).current_dir(folder.path()).output().unwrap();
        let written: Value = candor_json::from_slice(&output.stdout).unwrap();
        assert_eq!(written["folder"], shown);
    }
}
