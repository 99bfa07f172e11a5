//! Retries that changed only what the reason named.

use candor_json::{Value, json};

use crate::naming::changed_only_what_failed;

fn run(values: &[(&str, &str, bool)]) -> Value {
    let results: Vec<Value> =
        values.iter().map(|(path, actual, passed)| json!({"path": path, "actual": actual, "passed": passed})).collect();
    json!({"criterion_runs": [{"criterion_id": "c", "evidence": {"fieldResults": results}}]})
}

#[test]
fn only_the_named_field_changed() {
    let before = run(&[("status", "draft", false), ("member", "W1", true)]);
    assert!(changed_only_what_failed(&before, &run(&[("status", "sent", true), ("member", "W1", true)])));
    assert!(!changed_only_what_failed(&before, &run(&[("status", "sent", true), ("member", "W2", true)])));
    assert!(!changed_only_what_failed(&before, &before));
    assert!(!changed_only_what_failed(&before, &json!({"criterion_runs": []})));
}
