//! A server that fails to answer, in whatever way, does not fail the agent: the criterion is unverifiable, and says why.

use candor_json::{Value, json};
use candor_tests::http::{Break, Reply, Server, closed};

use crate::fhir_live::grade::{Graded, appointment, booked, described, on, on_within, page};

fn answered(reply: Reply) -> Graded {
    let server = Server::start(move |_| reply.clone());
    on(&server.url, booked())
}

fn outcome(severity: &str, code: &str, text: &str) -> Value {
    let issue = json!([{"severity": severity, "code": code, "diagnostics": text}]);
    json!({"resourceType": "OperationOutcome", "issue": issue})
}

#[test]
fn refusals() {
    answered(Reply::status(401)).is("unverifiable source_denied", &["401 Unauthorized"]);
    answered(Reply::status(403)).is("unverifiable source_denied", &["403 Forbidden"]);
    let said = Reply::fhir(403, outcome("error", "forbidden", "no scope\r\nfor Appointment"));
    answered(said).is("unverifiable source_denied", &["no scope for Appointment"]);
}

#[test]
fn statuses_that_are_no_answer() {
    for status in [302, 400, 404, 410, 412, 422, 501] {
        answered(Reply::status(status)).is("unverifiable source_unavailable", &[&status.to_string(), "Appointment"]);
    }
    let redirect = Reply::status(307).with("Location", "https://elsewhere.example/r4");
    answered(redirect).is("unverifiable source_unavailable", &["https://elsewhere.example/r4", "not followed"]);
    let unknown = Reply::fhir(400, outcome("error", "not-supported", "Unknown search parameter patient"));
    answered(unknown).is("unverifiable source_unavailable", &["Unknown search parameter patient"]);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    for status in [429, 500, 503] {
        let server = Server::start(move |_| Reply::status(status).with("Retry-After", "0"));
        on(&server.url, booked()).is("unverifiable source_unavailable", &[&status.to_string()]);
        assert_eq!(server.requests().len(), 4, "{status}");
    }
    let times = std::sync::atomic::AtomicU32::new(0);
    let server = Server::start(move |_| match times.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Reply::status(503).with("Retry-After", "0"),
        1 => Reply::fhir(429, "").with("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"),
        _ => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
    });
    on(&server.url, booked()).is("passed", &[]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_wait_that_is_longer_than_the_limit_is_not_waited() {
    let server = Server::start(|_| Reply::status(429).with("Retry-After", "3600"));
    on(&server.url, booked()).is("unverifiable source_unavailable", &["429 Too Many Requests"]);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn what_is_no_fhir() {
    let html = Reply::fhir(200, "<!DOCTYPE html><html><body>Log in</body></html>").with("Content-Type", "text/html");
    answered(html).is("unverifiable source_malformed", &["HTML (text/html), not FHIR JSON"]);
    answered(Reply::fhir(200, "<Bundle xmlns=\"http://hl7.org/fhir\"/>")).is("unverifiable source_malformed", &["XML"]);
    answered(Reply::fhir(200, "")).is("unverifiable source_malformed", &["nothing at all"]);
    answered(Reply::fhir(200, "{\"resourceType\": \"Bundle\", ")).is("unverifiable source_malformed", &["no JSON"]);
    answered(Reply::fhir(200, "{\"resourceType\": \"Bundle\", \"type\": \"searchset\", \"type\": \"searchset\"}"))
        .is("unverifiable source_malformed", &["`type` twice"]);
    answered(Reply::fhir(200, json!({"resourceType": "Patient"}))).is("unverifiable source_malformed", &["no Bundle"]);
    answered(Reply::fhir(200, "[".repeat(100_000))).is("unverifiable source_malformed", &[]);
}

#[test]
fn connections_that_do_not_hold() {
    let whole = Reply::fhir(200, page(&[appointment("a1", "MRI")], &[]));
    for breaks in [Break::After(100), Break::After(0), Break::Silent] {
        answered(whole.clone().breaking(breaks)).is("unverifiable source_unavailable", &["broke off"]);
    }
    let stalling = Server::start(move |_| whole.clone().breaking(Break::Stall));
    on_within("2s", &stalling.url, booked()).is("unverifiable timeout", &["longer than 2 s"]);
}

#[test]
fn servers_that_are_not_there_are_told_apart() {
    on(&format!("http://{}", closed()), booked())
        .is("unverifiable source_unavailable", &["the connection was refused"]);
    on("http://no-such-host.invalid/r4", booked()).is("unverifiable source_unavailable", &["DNS"]);
    let plain = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in plain.incoming().flatten() {
            let _ = std::io::Read::read(&mut stream, &mut [0; 1000]);
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    on(&url, booked()).is("unverifiable source_unavailable", &["TLS"]);
}

#[test]
fn pages_that_lead_nowhere() {
    let itself =
        Server::start(|request| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("next", &request.target)])));
    on(&itself.url, booked()).is("unverifiable source_malformed", &["a loop"]);

    let ignored = Server::start(|request| {
        let number = request.target.rsplit_once("_offset=").map_or(0, |(_, number)| number.parse::<u32>().unwrap());
        Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("next", &format!("?_offset={}", number + 1))]))
    });
    on(&ignored.url, booked()).is("unverifiable source_malformed", &["the same resources again on page 2"]);

    let empty = Server::start(|request| {
        let number = request.target.rsplit_once('=').map_or(0, |(_, number)| number.parse::<u32>().unwrap_or(0));
        Reply::fhir(200, page(&[], &[("next", &format!("?page={}", number + 1))]))
    });
    on(&empty.url, booked()).is("unverifiable limit_exceeded", &["pages without a resource"]);
    assert!(empty.requests().len() < 70);
}

#[test]
fn a_next_page_elsewhere_is_not_followed() {
    let other = Server::start(|_| Reply::fhir(200, page(&[appointment("a2", "CT")], &[])));
    let link = format!("{}/Appointment?page=2", other.url);
    let server = Server::start(move |_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("next", &link)])));
    on(&server.url, booked()).is("unverifiable source_malformed", &["another server", &other.url]);
    assert!(other.requests().is_empty());
}

#[test]
fn fewer_than_there_are() {
    let server = Server::start(|_| {
        let mut answer = page(&[appointment("a1", "CT")], &[]);
        answer["total"] = json!(2);
        Reply::fhir(200, answer)
    });
    on(&server.url, booked()).is("unverifiable undecidable", &["finds 2 resources, gave out 1"]);
    let counted =
        Server::start(|_| Reply::fhir(200, json!({"resourceType": "Bundle", "type": "searchset", "total": 7})));
    on(&counted.url, booked()).is("unverifiable undecidable", &["finds 7 resources, gave out 0"]);
}

#[test]
fn outcomes_in_a_success() {
    let error = outcome("error", "exception", "index is down");
    answered(Reply::fhir(200, &error)).is("unverifiable source_unavailable", &["index is down"]);
    let beside = |outcome: Value| {
        let mut answer = page(&[appointment("a1", "MRI")], &[]);
        let entry = json!({"resource": outcome, "search": {"mode": "outcome"}});
        answer["entry"].as_array_mut().unwrap().push(entry);
        answered(Reply::fhir(200, answer))
    };
    beside(error).is("unverifiable source_unavailable", &["index is down"]);
    let ignored = outcome("warning", "processing", "The parameter 'patient' is unknown and was ignored");
    beside(ignored).is("unverifiable undecidable", &["did not apply the search parameter `patient`"]);
    beside(outcome("warning", "suppressed", "some are hidden")).is("unverifiable source_denied", &["some are hidden"]);
    beside(outcome("warning", "business-rule", "be kind")).is("passed", &[]);
}

#[test]
fn entries_that_hold_nothing() {
    let with = |entry: Value| {
        let mut answer = page(&[appointment("a1", "CT")], &[]);
        answer["entry"].as_array_mut().unwrap().push(entry);
        let server = Server::start(move |_| Reply::fhir(200, answer.clone()));
        let mut assertion = booked();
        assertion["match"] = json!("all");
        on(&server.url, assertion)
    };
    with(json!({"fullUrl": "https://a/Appointment/2"})).is("unverifiable source_malformed", &["holds no resource"]);
    with(json!({"response": {"status": "403"}})).is("unverifiable source_denied", &["403"]);
    with(json!({"response": {"status": "500 oops"}})).is("unverifiable source_unavailable", &["500"]);
}

#[test]
fn a_parameter_that_the_self_link_lacks_was_ignored() {
    let own = "https://a/Appointment?status=booked";
    let server = Server::start(move |_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("self", own)])));
    on(&server.url, booked()).is("unverifiable undecidable", &["ignored the search parameter `patient`"]);
    let own = "https://a/Appointment?status=booked&patient=Patient%2Fjohn-smith";
    let server = Server::start(move |_| Reply::fhir(200, page(&[appointment("a1", "MRI")], &[("self", own)])));
    on(&server.url, booked()).is("passed", &[]);
    let mut sorted = booked();
    sorted["search"]["_sort"] = json!("date");
    sorted["search"]["_count"] = json!("5");
    on(&server.url, sorted).is("passed", &[]);
}

#[test]
fn sizes_are_limited() {
    let large = Server::start(|_| Reply::fhir(200, page(&[appointment("a1", &"x".repeat(5000))], &[])));
    let limits = |limits: &str| described(&format!("[fhir]\nurl = \"{}\"\n[limits]\n{limits}\n", large.url), booked());
    limits("max_bytes = \"1KiB\"").is("unverifiable limit_exceeded", &["max_bytes, 1024 bytes"]);
    limits("max_total_bytes = \"1KiB\"").is("unverifiable limit_exceeded", &["max_total_bytes"]);
    let many = Server::start(|_| Reply::fhir(200, page(&[appointment("a1", "x"), appointment("a2", "x")], &[])));
    let description = format!("[fhir]\nurl = \"{}\"\n[limits]\nmax_files = 1\n", many.url);
    described(&description, booked()).is("unverifiable limit_exceeded", &["more than 1 resources"]);
}

#[test]
fn another_type_than_was_asked_for_is_no_answer() {
    let wrong = |entry: Value| {
        let server = Server::start(move |_| {
            let answer = json!({"resourceType": "Bundle", "type": "searchset", "total": 1, "entry": [entry.clone()]});
            Reply::fhir(200, answer)
        });
        let mut none = booked();
        none["count"] = json!(0);
        none.as_object_mut().unwrap().remove("fields");
        on(&server.url, none).is("unverifiable source_malformed", &["not a resource of the type Appointment"]);
        on(&server.url, booked()).is("unverifiable source_malformed", &["not a resource of the type Appointment"]);
    };
    wrong(json!({"resource": {"resourceType": "Device", "id": "1"}, "search": {"mode": "match"}}));
    wrong(json!({"resource": {"resourceType": "appointment", "id": "1", "status": "booked"}}));
    wrong(json!({"resource": {"resourceType": "Bundle", "type": "searchset"}}));
}

#[test]
fn a_link_to_the_next_page_is_found_in_any_case() {
    let server = Server::start(|request| {
        let next = if request.target.contains("page=2") { vec![] } else { vec![("Next", "?page=2")] };
        let id = if request.target.contains("page=2") { "a2" } else { "a1" };
        Reply::fhir(200, page(&[appointment(id, "MRI")], &next))
    });
    let mut assertion = booked();
    assertion["count"] = json!(1);
    on(&server.url, assertion).is("failed count_mismatch", &[]);
}
