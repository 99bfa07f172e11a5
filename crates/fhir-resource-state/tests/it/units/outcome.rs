//! Issues of an OperationOutcome.

use candor_check::Obstacle;
use candor_json::{Value, json};

use crate::outcome::issues;

fn obstacle(issue: Value) -> Option<Obstacle> {
    issues(&json!({"resourceType": "OperationOutcome", "issue": [issue]}), &["patient", "status:not"])
        .first()
        .and_then(|issue| issue.obstacle)
}

#[test]
fn what_an_issue_does() {
    let of = |severity: &str, code: &str, text: &str| {
        obstacle(json!({"severity": severity, "code": code, "diagnostics": text}))
    };
    assert_eq!(of("error", "processing", "no index"), Some(Obstacle::SourceUnavailable));
    assert_eq!(of("fatal", "exception", ""), Some(Obstacle::SourceUnavailable));
    assert_eq!(of("error", "forbidden", ""), Some(Obstacle::SourceDenied));
    assert_eq!(of("warning", "suppressed", ""), Some(Obstacle::SourceDenied));
    assert_eq!(of("warning", "processing", "the parameter \"patient\" was ignored"), Some(Obstacle::Undecidable));
    assert_eq!(of("warning", "processing", "status is not known"), Some(Obstacle::Undecidable));
    assert_eq!(of("warning", "processing", "outpatients were slow"), None);
    assert_eq!(of("warning", "incomplete", ""), Some(Obstacle::Undecidable));
    assert_eq!(of("information", "informational", "searched by patient"), None);
    assert_eq!(of("information", "not-supported", "patient"), Some(Obstacle::Undecidable));
    let place = json!({"severity": "warning", "code": "invalid", "expression": ["http.patient"]});
    assert_eq!(obstacle(place), Some(Obstacle::Undecidable));
    assert_eq!(issues(&json!({}), &[]), []);
    assert_eq!(issues(&json!({"issue": "none"}), &[]), []);
}
