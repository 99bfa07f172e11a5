//! The requests that a server gets: credentials, the resource, and nothing that leads to another host.

use std::sync::atomic::{AtomicUsize, Ordering};

use candor_check::Sandbox;
use candor_json::json;
use candor_tests::http::{Reply, Server};

use crate::portal_http::portal::{OFFSET, by_offset, counted, json, on, parameter, rows, submitted};

#[test]
fn credentials_go_with_every_page_and_never_show() {
    // Cargo sets these variables for every test.
    let server = Server::start(|request| match request.header("authorization") {
        "Bearer candor-tests" if request.header("x-tenant") == "north" => {
            let start = parameter(request, "offset").map_or(0, |offset| offset.parse().unwrap());
            json(json!({"data": crate::portal_http::portal::from(&rows(3), start)}))
        }
        other => json(json!({"said": other})).with("X", other).clone_with(401),
    });
    let portal = format!("{OFFSET}\ntoken = \"${{env:CARGO_PKG_NAME}}\"\nheaders = {{ X-Tenant = \"north\" }}");
    on(&server, &portal, "", counted(3)).is("passed", &[]);
    assert!(server.requests().iter().all(|request| request.header("authorization") == "Bearer candor-tests"));
    let echo = Server::start(|request| {
        let said = request.header("authorization").to_owned();
        Reply::status(302).with("Location", &format!("/login?with={said}"))
    });
    let graded = on(&echo, "token = \"${env:CARGO_PKG_NAME}\"", "", counted(3));
    graded.is("unverifiable source_unavailable", &["(secret)"]);
    assert!(!graded.0.to_string().contains("candor-tests"), "{}", graded.0);
    let basic = Server::start(|request| match request.header("authorization") {
        "Basic dTpjYW5kb3ItdGVzdHM=" => json(json!(rows(1))),
        _ => Reply::status(401),
    });
    on(&basic, "username = \"u\"\npassword = \"${env:CARGO_PKG_NAME}\"", "", counted(1)).is("passed", &[]);
}

trait Again {
    fn clone_with(self, status: u16) -> Self;
}

impl Again for Reply {
    fn clone_with(self, status: u16) -> Self {
        Self { status, ..self }
    }
}

#[test]
fn a_resource_s_name_stays_in_its_place() {
    let server = Server::start(|request| match request.target.as_str() {
        "/api/a%20b%3Fx%3D1%23y%2Fz" => json(json!([{"id": 1}])),
        _ => Reply::status(500).with("Retry-After", "0"),
    });
    let named = |name: &str| json!({"assert": "portal-state-match", "correlate_by": {"resource": name}});
    on(&server, "", "", named("a b?x=1#y/z")).is("passed", &[]);
    for name in ["..", "../admin", "x/../../admin", "a\\..\\b"] {
        let asked = server.requests().len();
        on(&server, "", "", named(name)).is("failed no_candidate", &["there is no resource"]);
        assert_eq!(server.requests().len(), asked, "{name}");
    }
}

#[test]
fn criteria_share_what_was_read_and_waiting_reads_anew() {
    let server = by_offset(3);
    let folder = tempfile::tempdir().unwrap();
    let description = format!("[portal]\nurl = \"{}/api/{{resource}}\"\n{OFFSET}\n", server.url);
    std::fs::write(folder.path().join("sandbox.toml"), description).unwrap();
    let sandbox = Sandbox::open(folder.path(), candor_checks::PARTS).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for id in ["PA-0", "PA-2"] {
        let check = candor_portal_state_match::CHECK.bind(submitted(id)).unwrap();
        assert!(runtime.block_on(check.observe(&sandbox)).is_ok());
    }
    assert_eq!(server.requests().len(), 4, "two pages, an empty one, and the first one again");

    let looks = AtomicUsize::new(0);
    let late = Server::start(move |_| match looks.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => json("[]"),
        _ => json(json!(rows(2))),
    });
    let mut waiting = submitted("PA-1");
    waiting["within"] = json!({"timeout": "8m", "every": "50ms"});
    on(&late, "", "", waiting).is("passed", &["Looked 3 times"]);
    assert_eq!(late.requests().len(), 3);
}
