//! `TestReport` of FHIR R4: a test for each criterion.

use candor_check::Status;
use candor_json::{Map, Number, Value, json};
use candor_scoring::Verdict;

use super::string;
use crate::model::{BenchmarkRun, CriterionRun, TaskRun};

/// The resource's name for the machine that tested.
const ENGINE: &str = "urn:uuid:6f0f0f44-6ae0-5b4c-9d0e-2f3b0c7d6a11";

pub(crate) fn test_report(run: &TaskRun) -> Value {
    let mut report = Map::new();
    let mut put = |name: &str, value: Value| drop(report.insert(name.to_owned(), value));
    put("resourceType", json!("TestReport"));
    if let Some(id) = run.id.as_deref().and_then(string) {
        put("identifier", json!({"value": id}));
    }
    if let Some(name) = string(run.title()) {
        put("name", json!(name));
    }
    put("status", json!("completed"));
    put(
        "testScript",
        json!({"display": string(run.shown_id().unwrap_or("task")).unwrap_or_else(|| "task".to_owned())}),
    );
    // A verdict that may change is not yet a result.
    let result = match (run.outcome.conclusive, run.outcome.verdict) {
        (false, _) => "pending",
        (true, Verdict::Pass) => "pass",
        (true, _) => "fail",
    };
    put("result", json!(result));
    put("score", percentage(run.outcome.score));
    let criteria = run.criteria();
    if let Some(verifier) = criteria.first().and_then(|criterion| string(&criterion.verifier_id)) {
        put("tester", json!(verifier));
    }
    if let Some(issued) = criteria.iter().filter_map(|criterion| criterion.completed_at.as_deref()).max()
        && issued.parse::<jiff::Timestamp>().is_ok()
    {
        put("issued", json!(issued));
    }
    put("participant", json!([{"type": "test-engine", "uri": ENGINE, "display": "Candor"}]));
    // Of a score without its criteria, those that failed in a pass are known.
    let failures = run.outcome.failures.iter().filter(|_| criteria.is_empty() && !run.scored);
    let failed = failures.flat_map(|failures| &failures.ids).filter_map(|id| string(id));
    let failed = failed.map(|id| json!({"name": id, "action": [{"assert": {"result": "fail"}}]}));
    let tests: Vec<Value> = criteria.iter().map(test).chain(failed).collect();
    if !tests.is_empty() {
        put("test", Value::Array(tests));
    }
    Value::Object(report)
}

/// A score of 0 to 1 in percent, a decimal of four places at most.
fn percentage(score: f64) -> Value {
    let text = format!("{:.4}", (score * 100.0).clamp(0.0, 100.0));
    let short = text.trim_end_matches('0').trim_end_matches('.');
    short.parse::<Number>().map_or(Value::Null, Value::Number)
}

fn test(criterion: &CriterionRun) -> Value {
    let result = match criterion.status {
        Status::Passed => "pass",
        Status::Failed => "fail",
        Status::Unverifiable => "error",
    };
    let mut assertion = Map::new();
    assertion.insert("result".to_owned(), json!(result));
    let message = match &criterion.reason {
        Some(reason) => format!("{reason}: {}", criterion.details),
        None => criterion.details.clone(),
    };
    // The element is Markdown: nothing in it may become markup.
    if let Some(message) = string(&message) {
        assertion.insert("message".to_owned(), json!(crate::escape::markdown(&message)));
    }
    let mut test = Map::new();
    if let Some(name) = string(&criterion.criterion_id) {
        test.insert("name".to_owned(), json!(name));
    }
    if let Some(label) = string(&criterion.label) {
        test.insert("description".to_owned(), json!(label));
    }
    test.insert("action".to_owned(), json!([{"assert": assertion}]));
    Value::Object(test)
}

/// A `Bundle` with a report for each task run.
pub(crate) fn test_reports(run: &BenchmarkRun) -> Value {
    let mut bundle = json!({"resourceType": "Bundle", "type": "collection"});
    let entries: Vec<Value> = run.runs().iter().map(|run| json!({"resource": test_report(run)})).collect();
    if let Some(members) = bundle.as_object_mut() {
        if let Some(id) = run.id.as_deref().and_then(string) {
            members.insert("identifier".to_owned(), json!({"value": id}));
        }
        if !entries.is_empty() {
            members.insert("entry".to_owned(), Value::Array(entries));
        }
    }
    bundle
}
