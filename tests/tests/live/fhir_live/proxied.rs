//! The independent server behind a proxy that breaks things, each in a store of its own.

use std::sync::atomic::{AtomicU32, Ordering};

use candor_json::{Value, json};
use candor_tests::http::{Break, Reply, Request, Server};
use candor_tests::peer::fhir_server;
use candor_tests::proxy::{Pass, in_front_of};

use crate::fhir_live::grade::{Graded, appointment, booked, on, on_within};
use crate::fhir_live::real::put;

/// A store with so many appointments as asserted, and one of somebody else.
fn stocked(store: &str, number: u32) {
    for index in 0..number {
        assert!(put(store, &appointment(&format!("a{index}"), "MRI")) < 300);
    }
    let mut other = appointment("other", "MRI");
    other["participant"][0]["actor"]["reference"] = json!("Patient/mary-jones");
    other["status"] = json!("cancelled");
    assert!(put(store, &other) < 300);
}

/// A proxy that hands every request on and alters the answers.
fn altering(after: impl Fn(&Request, Reply) -> Reply + Send + Sync + 'static) -> Server {
    in_front_of(fhir_server(), |_| Pass::On, after)
}

fn through(proxy: &Server, store: &str) -> Graded {
    on(&format!("{}/{store}", proxy.url), booked())
}

fn body(reply: &Reply) -> Value {
    candor_json::from_slice(&reply.body).unwrap()
}

#[test]
fn nothing_is_broken() {
    stocked("whole", 45);
    let proxy = altering(|_, reply| reply);
    let mut assertion = booked();
    assertion["count"] = json!(45);
    assertion["match"] = json!("all");
    on(&format!("{}/whole", proxy.url), assertion).is("passed", &["45 of 45"]);
    // Twenty a page.
    assert_eq!(proxy.requests().len(), 3);
    let mut absent = booked();
    absent["search"]["status"] = json!("noshow");
    on(&format!("{}/whole", proxy.url), absent).is("failed no_candidate", &["status=noshow"]);
}

#[test]
fn a_long_search_is_posted_to_it_too() {
    stocked("posted", 1);
    let proxy = altering(|_, reply| reply);
    let mut assertion = booked();
    let many: Vec<String> = (0..300).map(|number| format!("Patient/p{number}")).collect();
    assertion["search"]["patient"] = json!([format!("Patient/john-smith,{}", many.join(","))]);
    on(&format!("{}/posted", proxy.url), assertion).is("passed", &[]);
    assert_eq!(proxy.requests()[0].method, "POST");
}

#[test]
fn refusals_and_outages() {
    stocked("outages", 1);
    for (status, outcome) in [
        (401, "unverifiable source_denied"),
        (403, "unverifiable source_denied"),
        (429, "unverifiable source_unavailable"),
        (500, "unverifiable source_unavailable"),
        (503, "unverifiable source_unavailable"),
    ] {
        let reply = move |_: &Request, _: Reply| Reply::status(status).with("Retry-After", "0");
        through(&altering(reply), "outages").is(outcome, &[&status.to_string()]);
    }
    let times = AtomicU32::new(0);
    let once = altering(move |_, reply| match times.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::status(429).with("Retry-After", "1"),
        _ => reply,
    });
    through(&once, "outages").is("passed", &[]);
}

#[test]
fn html_in_place_of_json() {
    stocked("html", 1);
    let page = "<html><body>Session ended</body></html>";
    let proxy = altering(move |_, reply| Reply { body: page.into(), ..reply }.with("content-type", "text/html"));
    through(&proxy, "html").is("unverifiable source_malformed", &["HTML"]);
}

#[test]
fn a_body_that_is_cut_or_stalls() {
    stocked("cut", 1);
    let cut = altering(|_, reply| {
        let half = reply.body.len() / 2;
        reply.breaking(Break::After(half))
    });
    through(&cut, "cut").is("unverifiable source_unavailable", &["broke off"]);
    let stalled = altering(|_, reply| reply.breaking(Break::Stall));
    on_within("2s", &format!("{}/cut", stalled.url), booked()).is("unverifiable timeout", &[]);
}

#[test]
fn pages_in_a_circle_or_elsewhere() {
    stocked("pages", 30);
    let next = |to: &'static str| {
        altering(move |request, reply| {
            let mut page = body(&reply);
            let links = page["link"].as_array_mut().unwrap();
            links.retain(|link| link["relation"] != "next");
            let url = if to.is_empty() { request.target.clone() } else { to.to_owned() };
            links.push(json!({"relation": "next", "url": url}));
            Reply { body: page.to_string().into_bytes(), ..reply }
        })
    };
    through(&next(""), "pages").is("unverifiable source_malformed", &["a loop"]);
    let elsewhere = next("https://elsewhere.example/r4/Appointment?page=2");
    through(&elsewhere, "pages").is("unverifiable source_malformed", &["another server", "elsewhere.example"]);
    // Half the pages never come.
    let lost = altering(|_, reply| {
        let mut page = body(&reply);
        page["link"].as_array_mut().unwrap().retain(|link| link["relation"] != "next");
        Reply { body: page.to_string().into_bytes(), ..reply }
    });
    let mut assertion = booked();
    assertion["fields"][0]["expected"] = json!("CT");
    on(&format!("{}/pages", lost.url), assertion).is("unverifiable undecidable", &["finds 30", "gave out 20"]);
}

#[test]
fn an_index_that_lags() {
    stocked("lagging", 1);
    let lagging = |searches: u32| {
        let times = AtomicU32::new(0);
        altering(move |request, reply| {
            if !request.target.contains('?') || times.fetch_add(1, Ordering::SeqCst) >= searches {
                return reply;
            }
            let mut page = body(&reply);
            page["entry"] = json!([]);
            page["total"] = json!(0);
            Reply { body: page.to_string().into_bytes(), ..reply }
        })
    };
    through(&lagging(1), "lagging").is("unverifiable undecidable", &["an index may be behind"]);
    let mut waiting = booked();
    waiting["within"] = json!({"timeout": "15m", "every": "100ms"});
    let (soon, never) = (lagging(3), lagging(99));
    on(&format!("{}/lagging", soon.url), waiting).is("passed", &["Looked 4 times"]);
    let reading = json!({
        "assert": "fhir-resource-state", "resource_type": "Appointment", "read": {"id": "a0"},
        "fields": [{"path": "description", "expected": "MRI"}]
    });
    on(&format!("{}/lagging", never.url), reading).is("passed", &[]);
}

#[test]
fn a_parameter_that_is_dropped_on_the_way() {
    stocked("dropped", 1);
    let dropping = |name: &'static str| {
        in_front_of(
            fhir_server(),
            move |request| {
                let kept =
                    |query: &str| query.split('&').filter(|pair| !pair.starts_with(name)).collect::<Vec<_>>().join("&");
                let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
                request.target = format!("{path}?{}", kept(query));
                Pass::On
            },
            |_, reply| reply,
        )
    };
    for name in ["status", "patient"] {
        through(&dropping(name), "dropped")
            .is("unverifiable undecidable", &[&format!("ignored the search parameter `{name}`")]);
    }
    // Without a self link what comes gives it away.
    let silent = in_front_of(
        fhir_server(),
        |request| {
            request.target = request.target.split('?').next().unwrap_or_default().to_owned();
            Pass::On
        },
        |_, reply| {
            let mut page = body(&reply);
            page["link"] = json!([]);
            Reply { body: page.to_string().into_bytes(), ..reply }
        },
    );
    let mut all = booked();
    all["match"] = json!("all");
    on(&format!("{}/dropped", silent.url), all).is("unverifiable undecidable", &["Appointment/other"]);
    // A conclusion that does not depend on the one resource too many is drawn.
    through(&silent, "dropped").is("passed", &[]);
}

#[test]
fn what_was_deleted_is_gone() {
    stocked("deleted", 1);
    let request = Request {
        method: "DELETE".to_owned(),
        target: "/deleted/Appointment/a0".to_owned(),
        headers: vec![("host".to_owned(), fhir_server().to_owned())],
        body: Vec::new(),
    };
    assert!(candor_tests::http::ask(fhir_server(), &request).status < 300);
    let url = format!("http://{}/deleted", fhir_server());
    on(&url, booked()).is("failed no_candidate", &["Appointment/other"]);
    let mut none = booked();
    none["count"] = json!(0);
    none["fields"] = json!([]);
    on(&url, none).is("passed", &[]);
    let reading = json!({"assert": "fhir-resource-state", "resource_type": "Appointment", "read": {"id": "a0"}});
    on(&url, reading).is("failed no_candidate", &["with the id a0"]);
}
