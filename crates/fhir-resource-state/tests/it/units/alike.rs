//! Forms of resources that say the same.

use candor_check::difference::leaves;
use candor_json::{Value, json};

use crate::alike::{align, relative};

fn differ(before: &Value, after: &Value) -> bool {
    let (mut before, mut after) = (leaves(before), leaves(after));
    align(&mut before, &mut after);
    before.sort_by(|a, b| a.0.cmp(&b.0));
    after.sort_by(|a, b| a.0.cmp(&b.0));
    before != after
}

#[test]
fn what_is_equal_has_one_form() {
    let (a, b) = (json!({"system": "s", "code": "1"}), json!({"system": "t", "code": "2", "userSelected": true}));
    for (before, after) in [
        (json!({"at": "2026-11-20T10:00:00Z"}), json!({"at": "2026-11-20T10:00:00+00:00"})),
        (json!({"at": "2026-11-20T10:00:00Z"}), json!({"at": "2026-11-20T05:00:00.000-05:00"})),
        (json!({"code": {"coding": [a, b]}}), json!({"code": {"coding": [b, a]}})),
        (json!({"coding": [a, b, a]}), json!({"coding": [b, a, a]})),
        (json!({"text": {"status": "generated", "div": "x"}}), json!({"meta": {"source": "#1"}})),
    ] {
        assert!(!differ(&before, &after) && !differ(&after, &before), "{before} {after}");
    }
    for (before, after) in [
        (json!({"at": "2026-11-20T10:00:00Z"}), json!({"at": "2026-11-20T10:00:01Z"})),
        (json!({"at": "2026-11-20T10:00:00Z"}), json!({"at": "2026-11-20T10:00:00"})),
        (json!({"at": "2026-11-20T10:00:00Z"}), json!({"at": "2026-11-20"})),
        (json!({"coding": [a, b]}), json!({"coding": [a]})),
        (json!({"coding": [a, b]}), json!({"coding": [b, b]})),
        (json!({"given": ["a", "b"]}), json!({"given": ["b", "a"]})),
        (json!({"text": {"status": "additional", "div": "x"}}), json!({"text": {"status": "additional", "div": "y"}})),
        (json!({"meta": {"security": [{"code": "R"}]}}), json!({})),
    ] {
        assert!(differ(&before, &after) && differ(&after, &before), "{before} {after}");
    }
}

#[test]
fn references_to_the_own_server_are_paths() {
    let mut resource = json!({
        "subject": {"reference": "https://a.example/fhir/Patient/1"},
        "performer": [{"reference": "https://b.example/fhir/Patient/1"}],
        "url": "https://a.example/fhir/x",
    });
    relative(&mut resource, "https://a.example/fhir");
    let expected = json!({
        "subject": {"reference": "Patient/1"},
        "performer": [{"reference": "https://b.example/fhir/Patient/1"}],
        "url": "https://a.example/fhir/x",
    });
    assert_eq!(resource, expected);
}
