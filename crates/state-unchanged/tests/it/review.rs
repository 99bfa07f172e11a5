//! Weaknesses that the settings alone show.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_check::review::Review;
use candor_json::{Value, json};
use candor_state_unchanged::CHECK;

/// An assertion with these members.
fn assertion(mut members: Value) -> Value {
    members.as_object_mut().unwrap().insert("assert".to_owned(), json!("state-unchanged"));
    members
}

fn review(members: Value) -> Review {
    CHECK.bind(assertion(members)).unwrap().review()
}

fn reviewed(members: Value) -> Vec<String> {
    let review = review(members);
    assert!(review.passes_on_nothing);
    review.weaknesses.into_iter().map(|weakness| weakness.message).collect()
}

#[test]
fn new_records_are_seen_where_no_exception_allows_any_number() {
    let sees = |members: Value| review(members).unchanged.unwrap().sees_new("fhir", "MedicationRequest");
    for seen in [
        json!({}),
        json!({"parts": ["fhir"]}),
        json!({"except": ["fhir:Task/*", "fhir:MedicationRequest/m1", "fhir:MedicationRequest/*.status"]}),
        json!({"except": [{"added": "fhir:MedicationRequest", "max": 1}, {"added": "portal"}]}),
    ] {
        assert!(sees(seen.clone()), "{seen}");
    }
    for unseen in [
        json!({"parts": ["portal"]}),
        json!({"except": ["fhir:MedicationRequest/*"]}),
        json!({"except": ["fhir:MedicationRequest/**"]}),
        json!({"except": [{"added": "fhir:MedicationRequest"}]}),
        json!({"except": [{"added": "fhir:MedicationRequest/*"}]}),
        json!({"except": [{"added": "fhir"}]}),
    ] {
        assert!(!sees(unseen.clone()), "{unseen}");
    }
}

#[test]
fn what_compares_nothing_is_named() {
    assert!(reviewed(json!({})).is_empty());
    assert!(reviewed(json!({"parts": ["fhir"], "except": ["fhir:Task/*"]})).is_empty());
    let nothing = CHECK.bind(assertion(json!({"parts": []}))).err().unwrap();
    assert!(nothing.to_string().contains("nothing is compared"), "{nothing}");
    let stray = reviewed(json!({"parts": ["fhir"], "except": ["portal:orders/*"]}));
    assert!(stray[0].contains("about the part `portal`, which `parts` leaves out"), "{stray:?}");
}
