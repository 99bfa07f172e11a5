//! The server's answer against our own search over the same resources.

use candor_tests::http::{Reply, Server};
use serde_json::{Value, json};

use crate::grade::{Graded, appointment, booked, on, page};

/// An appointment of somebody else, which the server finds all the same.
fn of_another() -> Value {
    let mut other = appointment("a9", "MRI");
    other["participant"][0]["actor"]["reference"] = json!("Patient/mary-jones");
    other
}

fn found(resources: Vec<Value>, assertion: Value) -> Graded {
    let server = Server::start(move |_| Reply::fhir(200, page(&resources, &[])));
    on(&server.url, assertion)
}

#[test]
fn a_resource_that_does_not_meet_the_search_earns_nothing() {
    found(vec![of_another()], booked())
        .is("unverifiable undecidable", &["finds Appointment/a9", "patient=Patient/john-smith", "Patient/mary-jones"]);
    // Whether there is one more, nobody knows.
    let mut counted = booked();
    counted["count"] = json!(1);
    found(vec![appointment("a1", "MRI"), of_another()], counted).is("unverifiable undecidable", &["Appointment/a9"]);
    let mut none = booked();
    none["count"] = json!(0);
    found(vec![of_another()], none).is("unverifiable undecidable", &[]);
}

#[test]
fn what_does_not_hang_on_it_is_concluded_as_ever() {
    found(vec![of_another(), appointment("a1", "MRI")], booked()).is("passed", &[]);
    let mut too_many = booked();
    too_many["count"] = json!(1);
    let three = vec![of_another(), appointment("a1", "MRI"), appointment("a2", "MRI")];
    found(three, too_many).is("failed count_mismatch", &[]);
}

#[test]
fn a_resource_that_the_search_overlooked_is_no_absence() {
    let server = Server::start(|request| {
        let all = if request.target.contains('?') { vec![] } else { vec![appointment("a1", "MRI")] };
        Reply::fhir(200, page(&all, &[]))
    });
    on(&server.url, booked())
        .is("unverifiable undecidable", &["Appointment/a1 meets the search", "an index may be behind"]);
}

#[test]
fn elements_that_r5_has_moved_are_the_servers_business() {
    let request = json!({
        "resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
        "medication": {"concept": {"coding": [{"system": "http://rxnorm.example", "code": "1"}]}}
    });
    let assertion = json!({
        "assert": "fhir-resource-state", "resource_type": "MedicationRequest", "search": {"code": "http://rxnorm.example|1"},
        "fields": [{"path": "medication.concept.coding.code", "expected": "1"}]
    });
    let speaking = |version: &'static str| {
        let request = request.clone();
        let server = Server::start(move |asked| match asked.path() {
            "/metadata" => Reply::fhir(200, json!({"resourceType": "CapabilityStatement", "fhirVersion": version})),
            _ => Reply::fhir(200, page(std::slice::from_ref(&request), &[])),
        });
        on(&server.url, assertion.clone())
    };
    speaking("5.0.0").is("passed", &["a later version than R4B"]);
    speaking("4.0.1").is("unverifiable undecidable", &["there is nothing there"]);
}

#[test]
fn an_expression_follows_references_on_the_server() {
    let asking = |reply: fn() -> Reply| {
        let server = Server::start(move |request| match request.path() {
            "/Patient/john-smith" => reply(),
            _ => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
        });
        let mut assertion = booked();
        assertion["fields"] = json!([{
            "fhirpath": "participant.actor.resolve().ofType(Patient).birthDate", "expected": "1980-05-04"
        }]);
        let graded = on(&server.url, assertion);
        (graded, server.requests().len())
    };
    let (graded, requests) =
        asking(|| Reply::fhir(200, json!({"resourceType": "Patient", "id": "john-smith", "birthDate": "1980-05-04"})));
    graded.is("passed", &[]);
    assert_eq!(requests, 2);
    asking(|| Reply::fhir(200, json!({"resourceType": "Patient", "id": "john-smith", "birthDate": "1999-01-01"})))
        .0
        .is("failed field_mismatch", &["1999-01-01"]);
    asking(|| {
        Reply::fhir(
            404,
            json!({"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-found"}]}),
        )
    })
    .0
    .is("failed field_mismatch", &[]);
    asking(|| Reply::status(403)).0.is("unverifiable undecidable", &[]);
}
