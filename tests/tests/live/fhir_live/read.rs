//! Reading a resource by its id.

use candor_json::{Value, json};
use candor_tests::http::{Reply, Server};

use crate::fhir_live::grade::{appointment, on};

fn reading(id: &str) -> Value {
    json!({
        "assert": "fhir-resource-state", "resource_type": "Appointment", "read": {"id": id},
        "fields": [{"path": "description", "expected": "MRI"}]
    })
}

fn absent(status: u16, code: &str) -> Reply {
    let issue = json!([{"severity": "error", "code": code, "diagnostics": "not here"}]);
    Reply::fhir(status, json!({"resourceType": "OperationOutcome", "issue": issue}))
}

#[test]
fn it_is_there_or_it_is_not() {
    let server = Server::start(|request| match request.path() {
        "/Appointment/a1" => Reply::fhir(200, appointment("a1", "MRI")),
        "/Appointment/a2" => Reply::fhir(200, appointment("a2", "CT")),
        "/Appointment/gone" => absent(410, "deleted"),
        _ => absent(404, "not-found"),
    });
    on(&server.url, reading("a1")).is("passed", &["Appointment resource"]);
    on(&server.url, reading("a2")).is("failed field_mismatch", &["\"CT\""]);
    on(&server.url, reading("a3")).is("failed no_candidate", &["with the id a3", "there is no resource with this id"]);
    on(&server.url, reading("gone")).is("failed no_candidate", &["with the id gone", "it was deleted"]);
    let mut none = reading("gone");
    none["count"] = json!(0);
    none["fields"] = json!([]);
    on(&server.url, none).is("passed", &[]);
    assert_eq!(server.requests()[0].target, "/Appointment/a1");
}

#[test]
fn a_404_of_something_else_is_no_absence() {
    let gateway = Server::start(|_| Reply::fhir(404, "<html>no such application</html>"));
    on(&gateway.url, reading("a1")).is("unverifiable source_unavailable", &["404"]);
    let unserved = Server::start(|_| absent(404, "not-supported"));
    on(&unserved.url, reading("a1")).is("unverifiable source_unavailable", &["not here"]);
    // A server that does not say it in FHIR's codes is asked whether it serves the type at all.
    let serving = |name: &'static str| {
        Server::start(move |request| match request.path() {
            "/metadata" => Reply::fhir(
                200,
                json!({
                    "resourceType": "CapabilityStatement", "fhirVersion": "4.0.1",
                    "rest": [{"mode": "server", "resource": [{"type": name}]}]
                }),
            ),
            _ => absent(404, "processing"),
        })
    };
    on(&serving("Appointment").url, reading("a1")).is("failed no_candidate", &[]);
    on(&serving("Patient").url, reading("a1")).is("unverifiable source_unavailable", &[]);
}

#[test]
fn another_resource_is_none() {
    let server = Server::start(|_| Reply::fhir(200, appointment("a2", "MRI")));
    on(&server.url, reading("a1")).is("unverifiable source_malformed", &["another resource"]);
    let server = Server::start(|_| Reply::status(403));
    on(&server.url, reading("a1")).is("unverifiable source_denied", &[]);
}
