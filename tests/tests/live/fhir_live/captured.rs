//! Captures of a FHIR server: all its types or some, page by page, and what of it cannot be captured.

use std::fs;

use candor_json::{Value, json};
use candor_tests::grade::all_in;
use candor_tests::http::{Reply, Request, Server};
use candor_tests::peer::fhir_server;
use candor_tests::state::{captured, compared, faithful};
use tempfile::TempDir;

use crate::fhir_live::grade::{appointment, booked, on, page};
use crate::fhir_live::real::put;

fn sandbox(url: &str, more: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let description = format!("[fhir]\nurl = \"{url}\"\n{more}\n[limits]\ntimeout = \"30s\"\n");
    fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    folder
}

#[test]
fn an_independent_server_gives_the_same_verdicts_from_its_capture() {
    for number in 0..60 {
        assert!(put("captured", &appointment(&format!("a{number}"), "CT")) < 300);
    }
    assert!(put("captured", &appointment("mri", "MRI")) < 300);
    let url = format!("http://{}/captured", fhir_server());
    let server = sandbox(&url, "types = [\"Appointment\"]");
    let folder = faithful(server.path());
    let lines = fs::read_to_string(folder.path().join("fhir/Appointment.ndjson")).unwrap();
    assert_eq!(lines.lines().count(), 61);
    on(&url, booked()).is("passed", &[]);
    all_in(folder.path(), vec![booked()])[0].is("passed", &["of 61 Appointment"]);
    let mut changed = appointment("mri", "MRI");
    changed["status"] = json!("cancelled");
    assert!(put("captured", &changed) < 300);
    let told = compared(folder.path(), server.path()).told();
    assert!(told.contains("Appointment/mri: status changed from booked to cancelled"), "{told}");
    assert!(told.contains("0 added, 0 removed, 1 changed, of 61 records."), "{told}");
    // What was not asked for is not known, and no proof of anything.
    let task = json!({"assert": "fhir-resource-state", "resource_type": "Task", "search": {"_id": "1"}, "count": 0});
    all_in(folder.path(), vec![task])[0].is(
        "unverifiable source_unavailable",
        &["the capture holds only Appointment, so that nothing is known of Task"],
    );
}

fn capability(types: &[&str]) -> Value {
    let types: Vec<Value> = types.iter().map(|name| json!({"type": name})).collect();
    json!({"resourceType": "CapabilityStatement", "fhirVersion": "4.0.1", "rest": [{"mode": "server", "resource": types}]})
}

fn resource_type(request: &Request) -> String {
    request.path().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn all_types_of_the_statement_page_by_page() {
    let server = Server::start(|request| match resource_type(request).as_str() {
        "metadata" => Reply::fhir(200, capability(&["Appointment", "Task"])),
        "Task" => Reply::fhir(200, page(&[], &[])),
        _ if request.target.contains("page=2") => Reply::fhir(200, page(&[appointment("2", "CT")], &[])),
        _ => Reply::fhir(200, page(&[appointment("1", "MRI")], &[("next", "?page=2")])),
    });
    let folder = faithful(sandbox(&server.url, "").path());
    let read = |name: &str| fs::read_to_string(folder.path().join("fhir").join(name)).unwrap();
    assert_eq!((read("Appointment.ndjson").lines().count(), read("Task.ndjson").as_str()), (2, ""));
    let absent = json!({"assert": "fhir-resource-state", "resource_type": "Task", "search": {"_id": "1"}, "count": 0});
    all_in(folder.path(), vec![absent])[0].is("passed", &[]);
}

#[test]
fn a_type_that_is_refused_is_a_gap_for_its_criteria_alone() {
    let server = Server::start(|request| match resource_type(request).as_str() {
        "metadata" => Reply::fhir(200, capability(&["Appointment", "Task"])),
        "Task" => Reply::status(403),
        _ => Reply::fhir(200, page(&[appointment("1", "MRI")], &[])),
    });
    let (folder, captured) = captured(sandbox(&server.url, "").path());
    let part = &captured.parts["fhir"];
    assert_eq!(part.records["Appointment"], 1);
    assert_eq!(part.gaps.len(), 1);
    assert_eq!(part.gaps[0].place, "fhir/Task.ndjson");
    assert!(part.gaps[0].what.contains("403"), "{:?}", part.gaps);
    let task = json!({"assert": "fhir-resource-state", "resource_type": "Task", "search": {"_id": "1"}, "count": 0});
    let graded = all_in(folder.path(), vec![booked(), task]);
    graded[0].is("passed", &[]);
    graded[1].is("unverifiable source_unavailable", &["fhir/Task.ndjson was not captured", "403"]);
}

#[test]
fn a_server_that_says_nothing_leaves_a_part_of_which_nothing_is_known() {
    let server = Server::start(|_| Reply::status(500));
    let (folder, captured) = captured(sandbox(&server.url, "").path());
    assert!(captured.parts["fhir"].gaps[0].what.contains("name those to capture in [fhir]"), "{captured:?}");
    all_in(folder.path(), vec![booked()])[0].is("unverifiable source_unavailable", &["fhir/ was not captured"]);
    let secret = fs::read_to_string(folder.path().join("capture.json")).unwrap();
    assert!(secret.contains(&server.url), "{secret}");
}
