//! Answers that are not the whole table: they say so, they say that something went wrong, or a page comes again.

use candor_json::{Value, json};
use candor_tests::grade::Graded;
use candor_tests::http::{Reply, Server};

use crate::portal_http::portal::{Status, counted, from, json, on, parameter, rows, submitted};

/// Grades over one answer, whatever is asked.
fn over(answer: &Value, assertion: Value) -> Graded {
    let items = if answer["data"].is_object() { "data.rows" } else { "data" };
    let answer = answer.clone();
    let server = Server::start(move |_| json(&answer));
    on(&server, &format!("items = \"{items}\""), "", assertion)
}

#[test]
fn an_answer_that_says_there_is_more() {
    for (name, value) in [
        ("has_more", json!(true)),
        ("next", json!("/more?page=2")),
        ("meta", json!({"next": "abc"})),
        ("total", json!(10)),
        ("links", json!([{"rel": "NEXT", "href": "/more"}])),
        ("link", json!([{"relation": "Next", "url": "/more"}])),
    ] {
        let mut answer = json!({"data": rows(2)});
        answer[name] = value;
        over(&answer, counted(2))
            .is("unverifiable source_malformed", &["more rows than the 2 read", &format!("`{name}")]);
        over(&answer, submitted("PA-9")).is("unverifiable source_malformed", &["more rows than the 2 read"]);
        // A row that is there is there, whatever else is.
        over(&answer, submitted("PA-1")).is("passed", &[]);
        let mut empty = answer.clone();
        empty["data"] = json!([]);
        over(&empty, counted(0)).is("unverifiable source_malformed", &[]);
    }
}

#[test]
fn an_answer_that_says_it_is_all() {
    for (name, value) in [
        ("has_more", json!(false)),
        ("next", json!(null)),
        ("meta", json!({"next": null, "total": 2})),
        ("total", json!(2)),
        ("errors", json!([])),
        ("error", json!(null)),
        ("links", json!([{"rel": "prev", "href": "/before"}])),
    ] {
        let mut answer = json!({"data": rows(2)});
        answer[name] = value;
        over(&answer, counted(2)).is("passed", &[]);
    }
    let columns =
        json!({"data": [{"request_id": "PA-1", "total": 900, "next": "PA-2", "has_more": true, "error": "none"}]});
    over(&columns, counted(1)).is("passed", &[]);
}

#[test]
fn a_total_that_is_named() {
    let server = Server::start(|_| json(json!({"data": rows(2), "n": 5})));
    let named = "items = \"data\"\ntotal = \"n\"";
    on(&server, named, "", counted(2)).is("unverifiable source_malformed", &["there are 5 rows, and gave out 2"]);
}

#[test]
fn an_answer_that_says_what_went_wrong() {
    let expired = json!({"data": [], "error": "session expired"});
    over(&expired, counted(0)).is("unverifiable source_malformed", &["session expired"]);
    over(&expired, submitted("PA-1")).is("unverifiable source_malformed", &["session expired"]);
    let denied = json!({"data": {"rows": []}, "errors": [{"message": "not authorized"}]});
    over(&denied, counted(0)).is("unverifiable source_malformed", &["not authorized"]);
}

#[test]
fn nothing_at_all_is_not_an_empty_table() {
    let server = Server::start(|_| Reply::status(204));
    on(&server, "items = \"data\"", "", counted(0)).is("unverifiable source_unavailable", &["204"]);
    on(&server, "items = \"data\"", "", submitted("PA-1")).is("unverifiable source_unavailable", &["204"]);
}

const BY_NUMBER: &str = "items = \"data\"\npaging = { page = \"page\", size = \"limit\" }";

/// A server of pages of two, numbered from `first` on; `around` gives the members of a page other than its rows.
fn by_number(number: usize, first: usize, around: fn(usize, usize) -> Value) -> Server {
    Server::start(move |request| {
        let page = parameter(request, "page").map_or(first, |page| page.parse().unwrap());
        let start = page.saturating_sub(first) * 2;
        let mut answer = around(start, number);
        answer["data"] = json!(from(&rows(number), start));
        // As frameworks answer that know how many pages there are.
        if start > 0 && start >= number && answer["strict"] == true {
            return json(json!({"detail": "Invalid page."})).status_of(404);
        }
        json(answer)
    })
}

#[test]
fn by_the_number_of_the_page() {
    let plain = |number| by_number(number, 1, |_, _| json!({}));
    let server = plain(5);
    on(&server, &format!("{BY_NUMBER}\npage_size = 2"), "", counted(5)).is("passed", &[]);
    let asked: Vec<String> = server.requests().iter().map(|request| request.target.clone()).collect();
    let expected = |page: usize| format!("/api/requests?limit=2&page={page}");
    assert_eq!(asked, [1, 2, 3, 4, 1].map(expected));
    on(&plain(4), BY_NUMBER, "", counted(4)).is("passed", &[]);
    on(&plain(0), BY_NUMBER, "", counted(0)).is("passed", &[]);
    on(&plain(5), BY_NUMBER, "", submitted("PA-4")).is("passed", &[]);
    let from_zero = "items = \"data\"\npaging = { page = \"page\", first = 0 }";
    on(&by_number(3, 0, |_, _| json!({})), from_zero, "", counted(3)).is("passed", &[]);
    // Where the answer says that it is the last one, the one behind it is not asked for.
    let strict = by_number(
        4,
        1,
        |start, number| json!({"strict": true, "next": (start + 2 < number).then_some("/api/requests?page=n"), "count": number}),
    );
    on(&strict, BY_NUMBER, "", counted(4)).is("passed", &[]);
    let lying = by_number(4, 1, |_, _| json!({"total": 9}));
    on(&lying, BY_NUMBER, "", counted(4))
        .is("unverifiable source_malformed", &["more rows than the 4 read", "`total` is 9"]);
}

#[test]
fn a_server_that_ignores_the_number_of_the_page() {
    let server = Server::start(|_| json(json!({"data": rows(2)})));
    on(&server, BY_NUMBER, "", counted(2)).is("unverifiable source_malformed", &["the rows of page 1 again as page 2"]);
    on(&server, BY_NUMBER, "", submitted("PA-9")).is("unverifiable source_malformed", &[]);
}
