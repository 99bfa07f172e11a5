//! One assertion on one bucket, through the engine.

use std::path::Path;
use std::sync::Arc;

use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task};
use serde_json::{Value, json};

/// What came of an assertion: its criterion run.
pub(crate) struct Graded(pub(crate) Value);

impl Graded {
    /// Status and reason in one: `passed`, `failed no_candidate`, `unverifiable timeout`.
    pub(crate) fn outcome(&self) -> String {
        let status = self.0["status"].as_str().unwrap();
        self.0["reason"].as_str().map_or(status.to_owned(), |reason| format!("{status} {reason}"))
    }

    pub(crate) fn details(&self) -> &str {
        self.0["details"].as_str().unwrap()
    }

    pub(crate) fn evidence(&self) -> &Value {
        &self.0["evidence"]
    }

    /// Fails unless it ended so, saying all of `details`.
    #[track_caller]
    pub(crate) fn is(&self, outcome: &str, details: &[&str]) {
        assert_eq!(self.outcome(), outcome, "{:#}", self.0);
        for text in details {
            assert!(self.details().contains(text), "no {text:?} in: {}", self.details());
        }
    }
}

/// Grades an assertion on the sandbox of a folder.
pub(crate) fn within(folder: &Path, assertion: &Value) -> Graded {
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "c", "assertion": assertion}]});
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let task = Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "test");
    let plan = engine.plan(Arc::new(task));
    let sandbox = Sandbox::open(folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&plan, &sandbox));
    // Threads that still wait for a server are not waited for.
    runtime.shutdown_background();
    Graded(serde_json::to_value(&run).unwrap()["criterion_runs"][0].clone())
}

/// Grades an assertion on the sandbox that `description` (the content of `sandbox.toml`) describes.
pub(crate) fn described(description: &str, assertion: &Value) -> Graded {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    within(folder.path(), assertion)
}

/// The same through the command line, with variables of the environment and none of any cloud's beside them.
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
    let run: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {all}"));
    (Graded(run["criterion_runs"][0].clone()), all)
}
