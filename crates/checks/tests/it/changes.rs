//! What each check says that version 0.1 decided otherwise: where a rule is new, and nowhere else.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_checks::ALL;
use serde_json::{Value, json};

/// The messages about an assertion.
fn changes(assertion: &Value) -> Vec<String> {
    let check = ALL.iter().find(|check| check.meta().assert == assertion["assert"]).unwrap();
    let bound = check.bind(assertion.clone()).unwrap_or_else(|error| panic!("{assertion}: {error}"));
    bound.changes().into_iter().map(|change| format!("{}: {}", change.place, change.message)).collect()
}

fn fhir(members: Value) -> Value {
    let mut assertion = json!({"assert": "fhir-resource-state", "resource_type": "Appointment"});
    assertion.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    assertion
}

#[test]
fn an_element_whose_value_is_named_means_what_it_did() {
    for named in [
        json!({"search": {"status": "booked"}}),
        json!({"fields": [{"path": "status", "expected": "booked"}]}),
        json!({"fields": [{"path": "status", "op": "in", "expected": ["booked", "cancelled"]}]}),
        json!({"fields": [{"fhirpath": "status = 'booked'", "expected": true}]}),
        json!({"allow_modifiers": true, "search": {"patient": "Patient/1"}}),
    ] {
        assert_eq!(changes(&fhir(named.clone())), Vec::<String>::new(), "{named}");
    }
    for mentioned in [
        json!({"search": {"patient": "Patient/1"}}),
        json!({"search": {"status:not": "noshow"}}),
        json!({"fields": [{"path": "status", "op": "notEmpty"}]}),
        json!({"fields": [{"fhirpath": "status.exists()", "expected": true}]}),
    ] {
        let said = changes(&fhir(mentioned.clone()));
        assert!(said.len() == 1 && said[0].contains("`status` is cancelled"), "{mentioned}: {said:?}");
    }
    let definition =
        json!({"assert": "fhir-resource-state", "resource_type": "Questionnaire", "search": {"title": "x"}});
    assert_eq!(changes(&definition), Vec::<String>::new());
}

#[test]
fn fields_that_compare_by_their_type_are_named() {
    let field = |field: Value| changes(&fhir(json!({"search": {"status": "booked"}, "fields": [field]})));
    assert!(field(json!({"path": "start", "expected": "2026-11-20"}))[0].contains("is a date"));
    assert!(
        field(json!({"path": "participant.actor.reference", "expected": "Patient/1"}))[0].contains("by its target")
    );
    assert!(field(json!({"path": "start", "as": "date", "expected": "2026-11-20"}))[0].contains("whole days"));
    for same in [
        json!({"path": "start", "as": "string", "expected": "2026-11-20"}),
        json!({"path": "description", "expected": "2026-11-20"}),
        json!({"path": "start", "op": "notEmpty"}),
    ] {
        assert_eq!(field(same.clone()), Vec::<String>::new(), "{same}");
    }
}

#[test]
fn messages_sets_rows_and_files_are_named_by_their_own_rules() {
    let hl7 = |message_type: &str, path: &str, matching: &str| {
        changes(&json!({
            "assert": "hl7-structural", "correlate_by": {"message_type": message_type}, "match": matching,
            "fields": [{"path": path, "expected": "x"}],
        }))
    };
    assert!(hl7("ORU^R01", "OBX.5", "any")[0].contains("OBX.11 is D or W or X"));
    assert!(hl7("ADT^A01", "PV1.2", "any").iter().any(|said| said.contains("ADT^A11")));
    assert!(hl7("ADT^A03", "PV1.2", "any").iter().all(|said| !said.contains("ADT^A11")));
    assert!(hl7("ORM^O01", "OBR.4", "any")[0].contains("ORC"));
    assert!(hl7("ACK", "MSA.1", "last")[0].contains("MSH-7"));
    for silent in [hl7("ADT^A01", "PV1.2", "all"), hl7("ACK", "MSA.1", "any"), hl7("ORU^R01", "OBX.11", "any")] {
        assert_eq!(silent, Vec::<String>::new());
    }
    let x12 = |members: Value| {
        let mut assertion = json!({"assert": "x12-response", "fields": [{"path": "ST.1", "expected": "x"}]});
        assertion.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        changes(&assertion)
    };
    assert_eq!(x12(json!({})).len(), 3);
    assert!(x12(json!({"transaction": "837"}))[0].contains("CLM05-3"));
    assert_eq!(x12(json!({"transaction": "271"})), Vec::<String>::new());
    assert_eq!(x12(json!({"transaction": "837", "allow_modifiers": true})), Vec::<String>::new());
    let portal = json!({"assert": "portal-state-match", "correlate_by": {"resource": "r"}, "assertions": []});
    assert!(changes(&portal)[0].contains("voided"));
    let files = json!({"assert": "sftp-file-present", "path": "*.csv", "match": "first", "format": "csv",
        "fields": [{"path": "a", "expected": "1"}]});
    assert_eq!(changes(&files).len(), 2);
}
