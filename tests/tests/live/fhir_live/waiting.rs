//! `within`: looking again until it shows.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use candor_json::{Value, json};
use candor_tests::http::{Reply, Server, closed};

use crate::fhir_live::grade::{Graded, appointment, booked, on, page};

/// A server whose search answers `early` so often, then `late`.
fn lagging(early: u32, first: Vec<Value>, late: Vec<Value>) -> Server {
    let times = AtomicU32::new(0);
    Server::start(move |request| {
        // Only searches count; a look around does not.
        if !request.target.contains('?') {
            return Reply::fhir(200, page(&[], &[]));
        }
        let found = if times.fetch_add(1, Ordering::SeqCst) < early { &first } else { &late };
        Reply::fhir(200, page(found, &[]))
    })
}

fn polls(graded: &Graded) -> Vec<(String, u64)> {
    let polls = graded.0["evidence"]["polls"].as_array().unwrap();
    let outcome = |poll: &Value| poll["reason"].as_str().or(poll["status"].as_str()).unwrap().to_owned();
    polls.iter().map(|poll| (outcome(poll), poll["times"].as_u64().unwrap())).collect()
}

fn within(timeout: &str) -> Value {
    let mut assertion = booked();
    assertion["within"] = json!({"timeout": timeout, "every": "50ms"});
    assertion
}

/// An assertion that waits for longer than any test does.
fn within_an_hour() -> Value {
    let mut assertion = booked();
    assertion["within"] = json!({"timeout": "1h", "every": "1s"});
    assertion
}

#[test]
fn what_shows_in_time_passes_and_the_looks_are_evidence() {
    let server = lagging(3, vec![], vec![appointment("a1", "MRI")]);
    let graded = on(&server.url, within("8m"));
    graded.is("passed", &["Looked 4 times"]);
    assert_eq!(polls(&graded), [("no_candidate".to_owned(), 3), ("passed".to_owned(), 1)]);
}

#[test]
fn what_does_not_show_fails_when_the_time_is_over() {
    let looks = || {
        let server = lagging(u32::MAX, vec![appointment("a1", "CT")], vec![]);
        let start = Instant::now();
        let graded = on(&server.url, within("400ms"));
        assert!(start.elapsed() >= Duration::from_millis(400));
        graded.is("failed field_mismatch", &[]);
        let (outcome, times) = polls(&graded).swap_remove(0);
        assert_eq!(outcome, "field_mismatch");
        times
    };
    // A busy machine may look less often in that time.
    assert!((0..20).any(|_| looks() >= 3));
}

#[test]
fn without_it_there_is_one_look() {
    let server = lagging(1, vec![], vec![appointment("a1", "MRI")]);
    let graded = on(&server.url, booked());
    graded.is("failed no_candidate", &[]);
    assert!(graded.0["evidence"].get("polls").is_none());
}

#[test]
fn that_nothing_is_there_is_only_known_at_the_end() {
    let mut none = within("400ms");
    none["count"] = json!(0);
    none["fields"] = json!([]);
    // Of a server that changes after two searches. A busy machine may not come to a third one in time.
    let changing = |first: Vec<Value>, late: Vec<Value>| {
        let looked = (0..20).find_map(|_| {
            let server = lagging(2, first.clone(), late.clone());
            let graded = on(&server.url, none.clone());
            let searches = server.requests().iter().filter(|request| request.target.contains('?')).count();
            (searches > 2).then_some(graded)
        });
        looked.unwrap()
    };
    changing(vec![], vec![appointment("a1", "MRI")]).is("failed count_mismatch", &[]);
    changing(vec![appointment("a1", "MRI")], vec![]).is("passed", &[]);
    let never = lagging(u32::MAX, vec![], vec![]);
    let start = Instant::now();
    on(&never.url, none).is("passed", &[]);
    assert!(start.elapsed() >= Duration::from_millis(400));
}

#[test]
fn an_outage_at_the_end_is_no_failure_and_one_before_it_is_overcome() {
    let times = AtomicU32::new(0);
    let server = Server::start(move |_| match times.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::fhir(200, "{"),
        _ => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
    });
    on(&server.url, within("8m")).is("passed", &[]);
    on(&format!("http://{}", closed()), within("300ms")).is("unverifiable source_unavailable", &[]);
}

#[test]
fn a_refused_login_is_not_tried_again() {
    let server = Server::start(|_| Reply::status(401));
    on(&server.url, within_an_hour()).is("unverifiable source_denied", &[]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_folder_is_looked_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("fhir")).unwrap();
    let graded = crate::fhir_live::grade::within(folder.path(), "", within_an_hour());
    graded.is("failed no_candidate", &["in fhir/"]);
}
