//! Grading of single assertions on one bucket.

use candor_json::{Value, json};
use candor_tests::grade;
pub(crate) use candor_tests::grade::Graded;

/// Grades an assertion on the sandbox that `description` (the content of `sandbox.toml`) describes.
pub(crate) fn described(description: &str, assertion: &Value) -> Graded {
    grade::described(description, assertion.clone())
}

/// The same through the command line, with these variables of the environment and no other ones of any cloud.
pub(crate) fn told(description: &str, assertion: &Value, variables: &[(&str, &str)]) -> (Graded, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "c", "assertion": assertion}]});
    std::fs::write(folder.path().join("task.json"), task.to_string()).unwrap();
    let mut command = std::process::Command::new(candor_tests::candor());
    command.args(["check", "task.json", "--sandbox", ".", "--format", "json"]).current_dir(folder.path());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["AWS_", "AZURE_", "GOOGLE_", "GCE_"].iter().any(|start| text.starts_with(start)) {
            command.env_remove(&name);
        }
    }
    let output = command.env("HOME", folder.path()).envs(variables.iter().copied()).output().unwrap();
    let all = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let run: Value = candor_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {all}"));
    (Graded(run["criterion_runs"][0].clone()), all)
}
