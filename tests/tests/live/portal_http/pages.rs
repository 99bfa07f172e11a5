//! Every way in which one page leads to the next, and what shows that pages do not belong together.

use std::sync::atomic::{AtomicUsize, Ordering};

use candor_json::json;
use candor_tests::http::Server;

use crate::portal_http::portal::{OFFSET, by_offset, counted, from, json, on, parameter, rows, submitted};

#[test]
fn one_answer() {
    let server = Server::start(|_| json(json!(rows(3))));
    let graded = on(&server, "", "", submitted("PA-1"));
    graded.is("passed", &["1 of 3 requests rows with request_id \"PA-1\" in http://127.0.0.1"]);
    let source = &graded.0["evidence"]["sources"][0];
    assert_eq!(source["locator"], format!("{}/api/requests", server.url));
    let body = candor_json::to_string(&rows(3)).unwrap();
    let start = body.find("{\"request_id\":\"PA-1\"").unwrap_or_else(|| panic!("{body}"));
    assert_eq!(source["span"][0], start);
    assert_eq!(source["sha256"].as_str().unwrap().len(), 64);
    let request = &server.requests()[0];
    assert_eq!((request.target.as_str(), request.header("accept")), ("/api/requests", "application/json"));
}

#[test]
fn by_offset_to_an_empty_page() {
    let server = by_offset(5);
    let limit = format!("{OFFSET}\npage_size = 2");
    on(&server, &limit, "", counted(5)).is("passed", &["5 requests rows in http"]);
    let asked: Vec<String> = server.requests().iter().map(|request| request.target.clone()).collect();
    assert_eq!(
        asked,
        [
            "/api/requests?limit=2",
            "/api/requests?limit=2&offset=2",
            "/api/requests?limit=2&offset=4",
            "/api/requests?limit=2&offset=5",
            "/api/requests?limit=2"
        ]
    );
    let graded = on(&server, OFFSET, "", submitted("PA-4"));
    graded.is("passed", &[]);
    let source = &graded.0["evidence"]["assertionResults"][0]["source"];
    assert_eq!(source["locator"], format!("{}/api/requests?offset=4", server.url));
    on(&by_offset(0), OFFSET, "", counted(0)).is("passed", &[]);
    on(&server, OFFSET, "", submitted("PA-9")).is("failed no_candidate", &["among 5 requests rows", "PA-0"]);
}

#[test]
fn by_cursor() {
    let server = Server::start(|request| {
        let start = parameter(request, "after").map_or(0, |after| after.trim_start_matches("c%2F").parse().unwrap());
        let next = if start + 2 < 5 { json!(format!("c/{}", start + 2)) } else { json!(null) };
        json(json!({"meta": {"next": next}, "data": {"items": from(&rows(5), start)}}))
    });
    let paging = "items = \"data.items\"\npaging = \"cursor\"\nnext = \"meta.next\"\ncursor_param = \"after\"";
    on(&server, paging, "", counted(5)).is("passed", &[]);
    on(&server, paging, "", submitted("PA-4")).is("passed", &[]);
}

#[test]
fn by_link() {
    let next = |start: usize| (start + 2 < 5).then(|| format!("/api/requests?from={}", start + 2));
    let start = |request: &_| parameter(request, "from").map_or(0, |from| from.parse().unwrap());
    let server = Server::start(move |request| {
        let reply = json(json!(from(&rows(5), start(request))));
        match next(start(request)) {
            Some(next) => reply.with("Link", &format!("</api/requests>; rel=\"first\", <{next}>; rel=\"next\"")),
            None => reply.with("Link", "</api/requests>; rel=\"first\""),
        }
    });
    on(&server, "paging = \"link\"", "", counted(5)).is("passed", &[]);
    // Without `paging` the first page would pass for all there is.
    on(&server, "", "", counted(2)).is("unverifiable source_malformed", &["a next page in its Link field"]);

    let within = Server::start(move |request| {
        json(json!({"rows": from(&rows(5), start(request)), "links": {"next": next(start(request))}}))
    });
    let paging = "items = \"rows\"\npaging = \"link\"\nnext = \"links.next\"";
    on(&within, paging, "", counted(5)).is("passed", &[]);
}

#[test]
fn the_number_of_all_rows() {
    let server = |said: usize| {
        Server::start(move |request| {
            let start = parameter(request, "offset").map_or(0, |offset| offset.parse().unwrap());
            json(json!({"data": from(&rows(3), start), "total": said}))
        })
    };
    let paging = format!("{OFFSET}\ntotal = \"total\"");
    on(&server(3), &paging, "", counted(3)).is("passed", &[]);
    on(&server(7), &paging, "", counted(3)).is("unverifiable undecidable", &["there are 7 rows, and gave out 3"]);
    on(&server(7), &paging, "", submitted("PA-1")).is("passed", &[]);
    let unsaid = format!("{OFFSET}\ntotal = \"meta.total\"");
    on(&server(3), &unsaid, "", counted(3)).is("unverifiable source_malformed", &["no number of rows in `meta.total`"]);
}

#[test]
fn rows_that_move_while_they_are_read() {
    // A new row at the front after the first page: the last row of page 1 is the first one of page 2.
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        let mut all = rows(4);
        if asked.fetch_add(1, Ordering::SeqCst) > 0 {
            all.insert(0, json!({"request_id": "PA-new", "status": "submitted"}));
        }
        let start = parameter(request, "offset").map_or(0, |offset| offset.parse().unwrap());
        json(json!({"data": from(&all, start)}))
    });
    on(&server, OFFSET, "", counted(4)).is("unverifiable undecidable", &["row 1 of page 2 was on page 1 before"]);

    // A row that goes from the front: PA-2 is on no page that was read, and only the first page shows it.
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        let gone = usize::from(asked.fetch_add(1, Ordering::SeqCst) > 0);
        let start = parameter(request, "offset").map_or(0, |offset| offset.parse().unwrap());
        json(json!({"data": from(&rows(4)[gone..], start)}))
    });
    let absent = json!({
        "assert": "portal-state-match", "count": 0,
        "correlate_by": {"resource": "requests", "key": "request_id", "value": "PA-2"}
    });
    on(&server, OFFSET, "", absent).is("unverifiable undecidable", &["its first page became another one"]);
}

#[test]
fn what_is_asserted_of_all_rows() {
    let twice = json!({
        "assert": "portal-state-match", "correlate_by": {"resource": "requests"}, "unique": ["status"]
    });
    on(&by_offset(3), OFFSET, "", twice).is("failed count_mismatch", &["$unique", "row 2 of page 1"]);
    let history = json!({
        "assert": "portal-state-match", "correlate_by": {"resource": "requests"},
        "history": {"order_by": "at", "key": "status"}, "count": 1, "sequence": ["PA-0", "PA-2"],
    });
    let by_id = json!({"path": "request_id", "values": ["PA-0", "PA-2"]});
    let mut history = history;
    history["sequence"] = by_id;
    on(&by_offset(3), OFFSET, "", history).is("passed", &[]);
}
