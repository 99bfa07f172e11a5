//! Dates that are compared as text.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_check::review::WeaknessKind;
use candor_hl7_structural::CHECK;
use candor_json::{Value, json};

fn dates_as_text(field: Value) -> Vec<String> {
    let criterion = CHECK.bind(json!({"assert": "hl7-structural", "fields": [field]})).unwrap();
    let weaknesses = criterion.review().weaknesses.into_iter();
    weaknesses.filter(|weakness| weakness.kind == WeaknessKind::DateAsText).map(|weakness| weakness.place).collect()
}

#[test]
fn a_date_by_the_standard_that_is_compared_as_text_is_told() {
    for field in [
        json!({"path": "RXA.3", "expected": "2026-11-20"}),
        json!({"path": "PID.7.1", "expected": "19740512"}),
        json!({"path": "OBX[3=1].14", "op": "in", "expected": ["20261120", "20261121"]}),
    ] {
        assert_eq!(dates_as_text(field.clone()), ["fields[0].expected"], "{field}");
    }
    for field in [
        json!({"path": "RXA.3", "expected": "2026-11-20", "as": "date"}),
        json!({"path": "RXA.3", "expected": "20261120", "as": "string"}),
        json!({"path": "RXA.3", "op": "notEmpty"}),
        json!({"path": "PID.7", "expected": null}),
        json!({"path": "PID.3.1", "expected": "20261120"}),
        json!({"path": "OBX.5", "expected": "20261120"}),
    ] {
        assert!(dates_as_text(field.clone()).is_empty(), "{field}");
    }
}
