//! A portal with requests in it, and one assertion on it.

use candor_json::{Value, json};
use candor_tests::grade::{Graded, described};
use candor_tests::http::{Reply, Request, Server};

/// So many requests: PA-0 on, all of them submitted.
pub(crate) fn rows(number: usize) -> Vec<Value> {
    (0..number).map(|at| json!({"request_id": format!("PA-{at}"), "status": "submitted", "at": at})).collect()
}

/// An answer of JSON.
pub(crate) fn json(body: impl ToString) -> Reply {
    Reply { status: 200, body: body.to_string().into_bytes(), ..Reply::default() }
        .with("Content-Type", "application/json")
}

/// A parameter of a request's query.
pub(crate) fn parameter(request: &Request, name: &str) -> Option<String> {
    let (_, query) = request.target.split_once('?')?;
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, v)| v.to_owned())
}

/// The rows from one on, in pages of two.
pub(crate) fn from(rows: &[Value], start: usize) -> Vec<Value> {
    rows.iter().skip(start).take(2).cloned().collect()
}

/// A server that gives out the rows of `requests` by offset, in pages of two.
pub(crate) fn by_offset(number: usize) -> Server {
    Server::start(move |request| match request.path() {
        "/api/requests" => {
            let start = parameter(request, "offset").map_or(0, |offset| offset.parse().unwrap());
            json(json!({"data": from(&rows(number), start)}))
        }
        _ => json(json!({"error": "no such resource"})).status_of(404),
    })
}

/// Another status for an answer.
pub(crate) trait Status {
    fn status_of(self, status: u16) -> Self;
}

impl Status for Reply {
    fn status_of(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

/// Grades on a server, with further lines of `[portal]` and `[limits]`.
pub(crate) fn on(server: &Server, portal: &str, limits: &str, assertion: Value) -> Graded {
    let url = format!("{}/api/{{resource}}", server.url);
    described(&format!("[portal]\nurl = \"{url}\"\n{portal}\n[limits]\n{limits}\n"), assertion)
}

/// The assertion that a request was submitted.
pub(crate) fn submitted(id: &str) -> Value {
    json!({
        "assert": "portal-state-match",
        "correlate_by": {"resource": "requests", "key": "request_id", "value": id},
        "assertions": [{"path": "status", "expected": "submitted"}]
    })
}

/// The assertion that there are so many requests.
pub(crate) fn counted(count: u64) -> Value {
    json!({"assert": "portal-state-match", "correlate_by": {"resource": "requests"}, "count": count})
}

pub(crate) const OFFSET: &str = "items = \"data\"\npaging = \"offset\"";
