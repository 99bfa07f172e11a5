//! The search as it is sent, and every page of the answer.

use std::io::Write as _;

use candor_json::{Value, json};
use candor_tests::http::{Reply, Server};

use crate::fhir_live::grade::{appointment, booked, described, on, page};

const QUERY: &str = "patient=Patient/john-smith&status=booked";

#[test]
fn a_search_is_sent_as_it_stands_and_its_answer_judged() {
    let server = Server::start(|_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])));
    let graded = on(&format!("{}/r4", server.url), booked());
    graded.is("passed", &["1 of 1 Appointment resource", &server.url]);
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", &*format!("/r4/Appointment?{QUERY}")));
    assert_eq!(request.header("cache-control"), "no-cache");
    assert_eq!(request.header("prefer"), "handling=strict");
    assert!(request.header("accept").starts_with("application/fhir+json"));
    assert_eq!(request.header("authorization"), "");
    let source = &graded.0["evidence"]["sources"][0];
    assert_eq!(source["locator"], format!("{}/r4/Appointment?{QUERY}", server.url));
    let answer = page(&[appointment("a1", "MRI")], &[]).to_string();
    let span = source["span"].as_array().unwrap();
    let at = |index: usize| usize::try_from(span[index].as_u64().unwrap()).unwrap();
    assert_eq!(candor_json::from_str::<Value>(&answer[at(0)..at(1)]).unwrap(), appointment("a1", "MRI"));
}

#[test]
fn what_is_not_as_asserted_fails_and_names_the_resource() {
    let server = Server::start(|_| Reply::fhir(200, page(&[appointment("a1", "CT")], &[])));
    on(&server.url, booked())
        .is("failed field_mismatch", &["description is \"CT\", expected \"MRI\"", "Appointment/a1"]);
}

#[test]
fn nothing_found_is_a_failure_that_names_the_nearest() {
    let server = Server::start(|request| {
        let mut cancelled = appointment("a1", "MRI");
        cancelled["status"] = json!("cancelled");
        let found = if request.target.contains('?') { vec![] } else { vec![cancelled] };
        Reply::fhir(200, page(&found, &[]))
    });
    let graded = on(&server.url, booked());
    graded.is("failed no_candidate", &["status=", "Appointment/a1", "\"cancelled\"", &server.url]);
    assert_eq!(graded.0["evidence"]["candidates"]["nearest"]["label"], "Appointment/a1");
}

#[test]
fn a_server_that_only_answers_searches_may_find_nothing_too() {
    let server = Server::start(|request| match request.target.contains('?') {
        true => Reply::fhir(200, page(&[], &[])),
        false => Reply::status(403),
    });
    on(&server.url, booked()).is("failed no_candidate", &["the server found none"]);
}

#[test]
fn every_page_is_read() {
    let server = Server::start(|request| {
        let page = match request.target.as_str() {
            "/r4/Appointment?after=a1" => page(&[], &[("next", "?after=a2")]),
            "/r4/Appointment?after=a2" => {
                page(&[appointment("a2", "MRI"), appointment("a1", "CT")], &[("next", "/r4/x?3")])
            }
            "/r4/x?3" => page(&[appointment("a3", "CT")], &[]),
            _ => page(&[appointment("a1", "CT")], &[("next", "Appointment?after=a1")]),
        };
        Reply::fhir(200, page)
    });
    let mut assertion = booked();
    assertion["count"] = json!(3);
    on(&format!("{}/r4", server.url), assertion).is("passed", &[]);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_version_that_came_up_between_two_pages_is_the_one_that_counts() {
    let server = Server::start(|request| {
        let mut changed = appointment("a1", "MRI");
        changed["meta"]["versionId"] = json!("2");
        Reply::fhir(
            200,
            match request.target.contains("page=2") {
                true => page(&[changed], &[]),
                false => page(&[appointment("a1", "CT")], &[("next", "?page=2")]),
            },
        )
    });
    let mut assertion = booked();
    assertion["count"] = json!(1);
    on(&server.url, assertion).is("passed", &["Appointment/a1 is the latest of 2 versions."]);
}

#[test]
fn what_goes_with_a_match_is_no_candidate() {
    let server = Server::start(|_| {
        let mut answer = page(&[appointment("a1", "MRI")], &[]);
        let mut other = appointment("a2", "CT");
        other["status"] = json!("cancelled");
        let entries = answer["entry"].as_array_mut().unwrap();
        entries.push(json!({"resource": other, "search": {"mode": "include"}}));
        entries
            .push(json!({"resource": {"resourceType": "Patient", "id": "john-smith"}, "search": {"mode": "include"}}));
        let issue = json!([{"severity": "information", "code": "informational", "diagnostics": "1 ms"}]);
        entries.push(
            json!({"resource": {"resourceType": "OperationOutcome", "issue": issue}, "search": {"mode": "outcome"}}),
        );
        answer["total"] = json!(1);
        Reply::fhir(200, answer)
    });
    let mut assertion = booked();
    assertion["match"] = json!("all");
    assertion["count"] = json!(1);
    on(&server.url, assertion).is("passed", &[]);
}

#[test]
fn a_long_search_is_posted() {
    let server = Server::start(|request| match request.path() {
        "/Appointment/_search" => {
            Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("self", "https://x/Appointment/_search")]))
        }
        _ => Reply::status(500),
    });
    let mut assertion = booked();
    let many: Vec<String> = (0..200).map(|number| format!("Patient/p{number}")).collect();
    assertion["search"]["patient"] = json!(format!("{},Patient/john-smith", many.join(",")));
    on(&server.url, assertion).is("passed", &[]);
    let request = &server.requests()[0];
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/Appointment/_search"));
    assert_eq!(request.header("content-type"), "application/x-www-form-urlencoded");
    let body = String::from_utf8(request.body.clone()).unwrap();
    assert!(body.starts_with("patient=Patient/p0,Patient/p1,") && body.ends_with("john-smith&status=booked"), "{body}");
}

#[test]
fn a_server_that_finds_the_url_too_long_gets_a_form() {
    let server = Server::start(|request| match request.method.as_str() {
        "POST" => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
        _ => Reply::status(414),
    });
    on(&server.url, booked()).is("passed", &[]);
}

#[test]
fn order_is_the_servers() {
    let server = Server::start(|_| Reply::fhir(200, page(&[appointment("b", "MRI"), appointment("a", "CT")], &[])));
    let mut assertion = booked();
    assertion["search"]["_sort"] = json!("-date");
    assertion["search"]["_count"] = json!("0");
    assertion["match"] = json!("first");
    on(&server.url, assertion).is("passed", &[]);
    assert_eq!(server.requests()[0].target, format!("/Appointment?{QUERY}&_sort=-date"));
}

#[test]
fn a_compressed_answer_is_read() {
    let bytes = gzip(br#"{"resourceType":"Bundle","type":"searchset"}"#);
    let server =
        Server::start(move |_| Reply { body: bytes.clone(), ..Reply::fhir(200, "") }.with("Content-Encoding", "gzip"));
    on(&server.url, booked()).is("failed no_candidate", &[]);
    assert!(server.requests()[0].header("accept-encoding").contains("gzip"));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_small_answer_that_unpacks_to_a_large_one_is_a_large_one() {
    let bytes = gzip(&vec![b' '; 16 << 20]);
    assert!(bytes.len() < 100_000);
    let server =
        Server::start(move |_| Reply { body: bytes.clone(), ..Reply::fhir(200, "") }.with("Content-Encoding", "gzip"));
    let description = format!("[fhir]\nurl = \"{}\"\n[limits]\nmax_bytes = \"1MiB\"\n", server.url);
    described(&description, booked()).is("unverifiable limit_exceeded", &["max_bytes"]);
}

#[test]
fn a_wrong_content_type_does_not_hide_fhir() {
    let server =
        Server::start(|_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])).with("Content-Type", "text/plain"));
    on(&server.url, booked()).is("passed", &[]);
}

#[test]
fn references_are_on_the_servers_own_base() {
    let server = Server::start(|_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])));
    let mut assertion = booked();
    assertion["fields"] = json!([{
        "path": "participant.actor.reference", "using": ["reference"],
        "expected": "https://ehr.example/r4/Patient/john-smith"
    }]);
    on(&server.url, assertion).is("passed", &[]);
}

#[test]
fn paging_that_cannot_be_understood_is_no_answer() {
    let spoilt: [fn(&mut Value); 6] = [
        |page| page["link"] = json!({"relation": "next", "url": "?page=2"}),
        |page| page["link"] = json!([{"relation": ["next"], "url": "?page=2"}]),
        |page| page["total"] = json!("7"),
        |page| page["type"] = json!(42),
        |page| page["type"] = json!("collection"),
        |page| drop(page.as_object_mut().unwrap().remove("type")),
    ];
    for spoil in spoilt {
        let mut answer = page(&[appointment("a1", "MRI")], &[]);
        spoil(&mut answer);
        let server = Server::start(move |_| Reply::fhir(200, answer.clone()));
        on(&server.url, booked()).is("unverifiable source_malformed", &[]);
    }
}
