//! A server that fails to answer, in whatever way, does not fail the agent: the criterion is unverifiable, and says why.

use candor_json::json;
use candor_tests::grade::Graded;
use candor_tests::http::{Break, Reply, Server, closed};

use crate::portal_http::portal::{OFFSET, Status as _, by_offset, counted, from, json, on, parameter, rows, submitted};

fn answered(reply: Reply) -> Graded {
    let server = Server::start(move |_| reply.clone());
    on(&server, "", "", submitted("PA-1"))
}

/// A server whose first page is right and whose second one is this.
fn second(reply: Reply) -> Graded {
    let server = Server::start(move |request| match parameter(request, "offset") {
        None => json(json!({"data": from(&rows(4), 0)})),
        Some(_) => reply.clone(),
    });
    on(&server, OFFSET, "", submitted("PA-3"))
}

#[test]
fn statuses() {
    answered(Reply::status(401)).is("unverifiable source_denied", &["401 Unauthorized", "the request for requests"]);
    answered(Reply::status(403)).is("unverifiable source_denied", &["403 Forbidden"]);
    answered(Reply::status(500).with("Retry-After", "0")).is("unverifiable source_unavailable", &["500"]);
    answered(Reply::status(400)).is("unverifiable source_unavailable", &["400 Bad Request"]);
    second(Reply::status(403)).is("unverifiable source_denied", &["403"]);
    second(Reply::status(404)).is("unverifiable source_unavailable", &["404"]);
    let redirect = Reply::status(302).with("Location", "https://elsewhere.example/login");
    answered(redirect).is("unverifiable source_unavailable", &["https://elsewhere.example/login", "not followed"]);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let times = std::sync::atomic::AtomicU32::new(0);
    let server = Server::start(move |_| match times.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
        0 => Reply::status(503).with("Retry-After", "0"),
        1 => Reply::status(429).with("Retry-After", "0"),
        _ => json(json!(rows(2))),
    });
    on(&server, "", "", submitted("PA-1")).is("passed", &[]);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_resource_that_is_not_there_is_told_from_a_gateway() {
    let gone = json(json!({"error": "no such resource"})).status_of(404);
    answered(gone).is("failed no_candidate", &["there is no resource `requests`"]);
    // Routers and gateways say so, too, and not of the resource.
    for body in ["", "<html>no such host</html>", "404 page not found\n"] {
        let page = Reply { body: body.as_bytes().to_vec(), ..Reply::status(404) };
        answered(page).is("unverifiable source_unavailable", &["404 Not Found"]);
    }
    answered(json("[]")).is("failed no_candidate", &["there are no requests rows at all"]);
    let none = json!({"assert": "portal-state-match", "correlate_by": {"resource": "others"}, "count": 0});
    on(&by_offset(2), OFFSET, "", none).is("failed no_candidate", &["there is no resource `others`"]);
}

#[test]
fn what_is_no_list_of_rows() {
    let malformed = |body: &str, said: &str| answered(json(body)).is("unverifiable source_malformed", &[said]);
    malformed("<!DOCTYPE html><html>Log in</html>", "HTML or XML");
    malformed("", "nothing at all");
    malformed("{\"data\": []}", "name the member that holds it as `items`");
    malformed("{\"data\": [", "no JSON");
    malformed("[{\"request_id\": \"PA-1\"}", "no JSON");
    malformed("null", "no array of rows");
    malformed(&"[".repeat(100_000), "no JSON");
    second(json("{\"data\": [}")).is("unverifiable source_malformed", &["no JSON"]);
    second(json("{\"rows\": []}")).is("unverifiable source_malformed", &["no array of rows in `data`"]);
    second(json("{\"data\": [], \"data\": []}")).is("unverifiable source_malformed", &["the member `data` twice"]);
    let bytes = Reply { body: b"[{\"a\": \"\xE9\"}]".to_vec(), ..json("") };
    answered(bytes).is("unverifiable source_malformed", &["not UTF-8"]);
    answered(json("[{\"a\": 1, \"a\": 2}]")).is("unverifiable source_malformed", &["the member `a` twice"]);
    // Next to a row that is as asserted, an item that is not a row changes nothing.
    answered(json("[1, {\"request_id\": \"PA-1\", \"status\": \"submitted\"}]")).is("passed", &[]);
}

#[test]
fn connections_that_do_not_hold() {
    let page = json(json!({"data": from(&rows(4), 2)}));
    for breaks in [Break::After(20), Break::After(0), Break::Silent] {
        answered(json(json!(rows(3))).breaking(breaks)).is("unverifiable source_unavailable", &["broke off"]);
        second(page.clone().breaking(breaks)).is("unverifiable source_unavailable", &["broke off"]);
    }
    let stalling = Server::start(move |_| page.clone().breaking(Break::Stall));
    on(&stalling, "", "timeout = \"2s\"", submitted("PA-1")).is("unverifiable timeout", &["longer than 2 s"]);
    let description = format!("[portal]\nurl = \"http://{}/{{resource}}\"\n", closed());
    let gone = candor_tests::grade::described(&description, submitted("PA-1"));
    gone.is("unverifiable source_unavailable", &["the connection was refused"]);
}

#[test]
fn pages_that_lead_nowhere() {
    // The same page whatever is asked for.
    let server = Server::start(|_| json(json!({"data": rows(2)})));
    on(&server, OFFSET, "", counted(2)).is("unverifiable source_malformed", &["the rows of page 1 again as page 2"]);
    assert_eq!(server.requests().len(), 2);
    let paging = "items = \"data\"\npaging = \"cursor\"\nnext = \"next\"";
    let turning = Server::start(|request| {
        let next = if parameter(request, "cursor").as_deref() == Some("a") { "b" } else { "a" };
        json(json!({"data": [{"x": next}], "next": next}))
    });
    on(&turning, paging, "", counted(2)).is("unverifiable source_malformed", &[]);
    let empty = Server::start(|request| {
        let number = parameter(request, "cursor").map_or(0, |cursor| cursor.parse::<u32>().unwrap());
        json(json!({"data": [], "next": number + 1}))
    });
    on(&empty, paging, "", counted(0)).is("unverifiable limit_exceeded", &["64 pages without a row"]);
    assert!(empty.requests().len() < 70);
    let itself = Server::start(|_| json(json!({"data": [], "next": "/api/requests"})));
    let by_link = "items = \"data\"\npaging = \"link\"\nnext = \"next\"";
    on(&itself, by_link, "", counted(0)).is("unverifiable source_malformed", &["a loop"]);
}

#[test]
fn a_next_page_under_another_name() {
    let misspelt = Server::start(|_| json(json!({"data": rows(2), "meta": {"nextCursor": "c2"}})));
    let paging = "items = \"data\"\npaging = \"cursor\"\nnext = \"meta.next_cursor\"";
    let said = "no member `meta.next_cursor`, which `paging` in [portal] names, but one `meta.nextCursor`";
    on(&misspelt, paging, "", counted(2)).is("unverifiable source_malformed", &[said]);
    let last = Server::start(|_| json(json!({"data": rows(2), "meta": {"size": 2}})));
    on(&last, paging, "", counted(2)).is("passed", &[]);
}

#[test]
fn a_next_page_elsewhere_is_not_asked_for() {
    let other = Server::start(|_| json(json!(rows(2))));
    let link = format!("<{}/api/requests>; rel=next", other.url);
    let server = Server::start(move |_| json(json!(rows(2))).with("Link", &link));
    let graded = on(&server, "paging = \"link\"\ntoken = \"${env:CARGO_PKG_NAME}\"", "", counted(4));
    graded.is("unverifiable source_malformed", &["leads away from"]);
    assert!(other.requests().is_empty());
}

#[test]
fn limits() {
    let server = by_offset(400);
    on(&server, OFFSET, "max_total_bytes = \"10KiB\"", counted(400))
        .is("unverifiable limit_exceeded", &["max_total_bytes"]);
    let large = Server::start(|_| json(format!("[{{\"x\": \"{}\"}}]", "x".repeat(20_000))));
    on(&large, "", "max_bytes = \"10KiB\"", counted(1)).is("unverifiable limit_exceeded", &["max_bytes"]);
}
