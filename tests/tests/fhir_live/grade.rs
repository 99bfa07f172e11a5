//! One assertion on one server, through the engine.

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

/// Grades an assertion on the sandbox that `description` (the content of `sandbox.toml`) describes.
pub(crate) fn described(description: &str, assertion: Value) -> Graded {
    let folder = tempfile::tempdir().unwrap();
    within(folder.path(), description, assertion)
}

/// The same in a folder that holds what the description names.
pub(crate) fn within(folder: &Path, description: &str, assertion: Value) -> Graded {
    std::fs::write(folder.join("sandbox.toml"), description).unwrap();
    let task = json!({"id": "t", "criteria": [{"id": "c", "label": "c", "assertion": assertion}]});
    let document = Document::parse(Path::new("task.json"), task.to_string().as_bytes()).unwrap();
    let task = Task::from_document(document).map_err(|errors| format!("{errors:?}")).unwrap();
    let engine = Engine::new(candor_checks::ALL.iter().copied(), "test");
    let plan = engine.plan(Arc::new(task));
    let sandbox = Sandbox::open(folder).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = runtime.block_on(engine.run(&plan, &sandbox));
    Graded(serde_json::to_value(&run).unwrap()["criterion_runs"][0].clone())
}

/// Grades on a server, with time enough for a machine that is busy.
pub(crate) fn on(url: &str, assertion: Value) -> Graded {
    on_within("30s", url, assertion)
}

/// Grades on a server, in so much time at most.
pub(crate) fn on_within(timeout: &str, url: &str, assertion: Value) -> Graded {
    described(&format!("[fhir]\nurl = \"{url}\"\n[limits]\ntimeout = \"{timeout}\"\n"), assertion)
}

/// The assertion of these tests: a booked appointment of a patient, with a doctor.
pub(crate) fn booked() -> Value {
    json!({
        "assert": "fhir-resource-state", "resource_type": "Appointment",
        "search": {"patient": "Patient/john-smith", "status": "booked"},
        "fields": [{"path": "description", "expected": "MRI"}]
    })
}

/// An appointment as a server holds it.
pub(crate) fn appointment(id: &str, description: &str) -> Value {
    json!({
        "resourceType": "Appointment", "id": id, "meta": {"versionId": "1"}, "status": "booked",
        "description": description,
        "participant": [{"actor": {"reference": "Patient/john-smith"}, "status": "accepted"}]
    })
}

/// A page of a searchset.
pub(crate) fn page(resources: &[Value], links: &[(&str, &str)]) -> Value {
    let entries = resources.iter().map(|resource| {
        json!({
            "fullUrl": format!("https://ehr.example/r4/{}/{}", resource["resourceType"].as_str().unwrap(),
                resource["id"].as_str().unwrap_or("none")),
            "resource": resource, "search": {"mode": "match"}
        })
    });
    let links = links.iter().map(|(relation, url)| json!({"relation": relation, "url": url}));
    json!({
        "resourceType": "Bundle", "type": "searchset",
        "link": links.collect::<Vec<_>>(), "entry": entries.collect::<Vec<_>>()
    })
}
