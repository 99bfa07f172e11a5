//! Grading of single assertions on one sandbox, through the engine.

use std::path::Path;
use std::sync::Arc;

use candor_check::Sandbox;
use candor_engine::{Document, Engine, Task};
use candor_json::{Value, json};

/// The criterion run of an assertion.
#[derive(Clone, Debug)]
pub struct Graded(pub Value);

impl Graded {
    /// Status and reason in one: `passed`, `failed no_candidate`, `unverifiable timeout`.
    ///
    /// # Panics
    /// When the run has no status.
    #[must_use]
    pub fn outcome(&self) -> String {
        let status = self.0["status"].as_str().unwrap();
        self.0["reason"].as_str().map_or(status.to_owned(), |reason| format!("{status} {reason}"))
    }

    /// The details of the criterion run.
    ///
    /// # Panics
    /// When it has no details.
    #[must_use]
    pub fn details(&self) -> &str {
        self.0["details"].as_str().unwrap()
    }

    /// Its evidence.
    #[must_use]
    pub fn evidence(&self) -> &Value {
        &self.0["evidence"]
    }

    /// Fails unless it ended so, saying all of `details`.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn is(&self, outcome: &str, details: &[&str]) {
        assert_eq!(self.outcome(), outcome, "{:#}", self.0);
        for text in details {
            assert!(self.details().contains(text), "no {text:?} in: {}", self.details());
        }
    }
}

/// Grades an assertion on the sandbox that `description` (the content of `sandbox.toml`) describes.
///
/// # Panics
/// When the description is wrong.
#[must_use]
pub fn described(description: &str, assertion: Value) -> Graded {
    let folder = tempfile::tempdir().unwrap();
    within(folder.path(), description, assertion)
}

/// The same in a folder that holds what the description names.
///
/// # Panics
/// When the description is wrong.
#[must_use]
pub fn within(folder: &Path, description: &str, assertion: Value) -> Graded {
    let mut graded = all_within(folder, description, vec![assertion]);
    graded.swap_remove(0)
}

/// Several assertions as the criteria of one task.
///
/// # Panics
/// When the description is wrong.
#[must_use]
pub fn all_within(folder: &Path, description: &str, assertions: Vec<Value>) -> Vec<Graded> {
    std::fs::write(folder.join("sandbox.toml"), description).unwrap();
    all_in(folder, assertions)
}

/// The same in a sandbox whose `sandbox.toml` already exists, or that needs no such file.
///
/// # Panics
/// When it cannot be opened.
#[must_use]
pub fn all_in(folder: &Path, assertions: Vec<Value>) -> Vec<Graded> {
    let criterion = |(index, assertion): (usize, Value)| {
        let name = format!("c{index}");
        json!({"id": name, "label": name, "assertion": assertion})
    };
    let criteria: Vec<Value> = assertions.into_iter().enumerate().map(criterion).collect();
    let task = json!({"id": "t", "criteria": criteria});
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let task = Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "test");
    let plan = engine.plan(Arc::new(task));
    let sandbox = Sandbox::open(folder, candor_checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&plan, &sandbox));
    // As the command does: no caller needs what is still being read in the background.
    runtime.shutdown_background();
    let run = candor_json::to_value(&run).unwrap();
    run["criterion_runs"].as_array().unwrap().iter().cloned().map(Graded).collect()
}
