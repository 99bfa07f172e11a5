//! Assertions on one sandbox, through the engine.

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

    /// Fails unless it ended so, saying all of `details`.
    #[track_caller]
    pub(crate) fn is(&self, outcome: &str, details: &[&str]) {
        assert_eq!(self.outcome(), outcome, "{:#}", self.0);
        for text in details {
            assert!(self.details().contains(text), "no {text:?} in: {}", self.details());
        }
    }
}

/// Grades assertions, side by side, on the sandbox in a folder.
pub(crate) fn all(folder: &Path, assertions: &[Value]) -> Vec<Graded> {
    let criteria = assertions.iter().enumerate();
    let criteria = criteria.map(|(at, one)| json!({"id": format!("c{at}"), "label": "c", "assertion": one}));
    let task = json!({"id": "t", "criteria": criteria.collect::<Vec<_>>()});
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let task = Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "test");
    let plan = engine.plan(Arc::new(task));
    let sandbox = Sandbox::open(folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&plan, &sandbox));
    let run = serde_json::to_value(&run).unwrap();
    run["criterion_runs"].as_array().unwrap().iter().cloned().map(Graded).collect()
}

/// Grades one assertion on what a `sandbox.toml` describes.
pub(crate) fn described(description: &str, assertion: Value) -> Graded {
    let folder = tempfile::tempdir().unwrap();
    within(folder.path(), description, assertion)
}

/// The same in a folder that holds what the description names.
pub(crate) fn within(folder: &Path, description: &str, assertion: Value) -> Graded {
    std::fs::write(folder.join("sandbox.toml"), description).unwrap();
    all(folder, &[assertion]).remove(0)
}

/// A description of a database at a URL, its password that of `reader`, with time enough for a machine that is busy.
pub(crate) fn at(url: &str) -> String {
    timed(url, "30s")
}

/// The same with so much time.
pub(crate) fn timed(url: &str, timeout: &str) -> String {
    let password = "${env:CARGO_PKG_NAME}";
    format!("[portal]\nurl = \"{url}\"\npassword = \"{password}\"\n[limits]\ntimeout = \"{timeout}\"\n")
}

/// An assertion on rows by a key.
pub(crate) fn row(resource: &str, key: &str, value: impl Into<Value>, assertions: Value) -> Value {
    json!({
        "assert": "portal-state-match", "correlate_by": {"resource": resource, "key": key, "value": value.into()},
        "assertions": assertions
    })
}
