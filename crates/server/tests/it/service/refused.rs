//! The refusals of the service, with their statuses and codes.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use candor_json::{Value, json};
use sqlx::Connection as _;

use crate::service::support::{Postgres, Service, booking};

#[test]
fn every_wrong_request_has_its_documented_error() {
    let folder = tempfile::tempdir().unwrap();
    wrong_requests(&Service::over(folder.path()));
}

#[test]
fn every_wrong_request_has_the_same_error_over_postgresql() {
    let database = Postgres::start();
    wrong_requests(&Service::with(&json!({"postgres": database.url})));
}

fn wrong_requests(service: &Service) {
    let at = service.started(&booking(), false);
    let run = at.run["benchmark_run_id"].as_str().unwrap().to_owned();
    let sandbox = at.sandbox.clone();
    let (json, key) = ("application/json", service.key.clone());
    let body = |text: &'static str| Some((json, text.as_bytes()));
    let big = vec![b' '; (1 << 20) + 1];
    type Case<'c> = (&'c str, String, &'c str, Option<(&'c str, &'c [u8])>, u16, &'c str);
    let cases: Vec<Case<'_>> = vec![
        ("POST", "/tasks".into(), &key, body("{"), 400, "malformed_json"),
        ("POST", "/tasks".into(), &key, body("[]"), 422, "invalid_task"),
        (
            "POST",
            "/tasks".into(),
            &key,
            body(r#"{"id": "x", "criteria": [{"id": "a", "wieght": 1, "assertion": {}}]}"#),
            422,
            "invalid_task",
        ),
        ("POST", "/tasks".into(), &key, body(r#"{"id": "x", "timeout": "soon"}"#), 422, "invalid_task"),
        ("POST", "/tasks".into(), &key, body(r#"{"id": "x", "sandbox": {"fihr": []}}"#), 422, "invalid_sandbox"),
        (
            "POST",
            "/tasks".into(),
            &key,
            body(r#"{"id": "x", "sandbox": {"toml": "[fhir]\nurl = \"http://10.0.0.1/\""}}"#),
            422,
            "invalid_sandbox",
        ),
        (
            "POST",
            "/tasks".into(),
            &key,
            // It holds [{"a":1,"a":2}].
            body(r#"{"id": "x", "sandbox": {"portal": {"t": "W3siYSI6MSwiYSI6Mn1d"}}}"#),
            422,
            "invalid_sandbox",
        ),
        // A member that occurs twice.
        (
            "POST",
            "/tasks".into(),
            &key,
            body(r#"{"id": "x", "criteria": [1], "criteria": []}"#),
            400,
            "repeated_member",
        ),
        (
            "POST",
            "/tasks".into(),
            &key,
            body(r#"{"id": "x", "sandbox": {"portal": {"t": [{"a": 1, "a": 2}]}}}"#),
            400,
            "repeated_member",
        ),
        ("POST", "/benchmarks".into(), &key, body(r#"{"id": "b", "tasks": [], "tasks": []}"#), 400, "repeated_member"),
        (
            "POST",
            "/v1/benchmark-runs".into(),
            &key,
            body(r#"{"benchmark": "none", "benchmark": "of book"}"#),
            400,
            "repeated_member",
        ),
        (
            "POST",
            "/v1/grade".into(),
            &key,
            body(r#"{"task": {"id": "x"}, "sandbox": {}, "sandbox": {"portal": {}}}"#),
            400,
            "repeated_member",
        ),
        (
            "POST",
            "/v1/grade".into(),
            &key,
            body(r#"{"task": {"id": "x"}, "sandbox": {"files": {"a": "", "a": "e30="}}}"#),
            400,
            "repeated_member",
        ),
        (
            "POST",
            format!("{sandbox}/events"),
            &at.run_token,
            body(r#"{"type": "voice_turn", "type": "x12_response", "payload": "x"}"#),
            400,
            "repeated_member",
        ),
        (
            "POST",
            format!("{sandbox}/portal/orders"),
            &at.agent_token,
            body(r#"{"id": 1, "id": 2}"#),
            400,
            "repeated_member",
        ),
        ("POST", "/tasks".into(), &key, Some(("text/plain", b"{}")), 415, "unsupported_media_type"),
        ("POST", "/tasks".into(), &key, Some((json, &big)), 413, "body_too_large"),
        ("POST", "/benchmarks".into(), &key, body(r#"{"id": "b", "tasks": [{"task": "none"}]}"#), 422, "unknown_task"),
        ("POST", "/benchmarks".into(), &key, body(r#"{"id": "b", "task": []}"#), 422, "invalid_benchmark"),
        ("GET", "/tasks/it%27s%20%22not%22%3B--".into(), &key, None, 404, "not_found"),
        ("GET", "/tasks/%ff".into(), &key, None, 400, "malformed_path"),
        ("GET", "/tasks/%00".into(), &key, None, 400, "malformed_path"),
        ("POST", "/tasks".into(), &key, body(r#"{"id": "a\u0000b"}"#), 422, "invalid_id"),
        ("POST", "/benchmarks".into(), &key, body(r#"{"id": "b", "name": "a\u0000"}"#), 422, "invalid_benchmark"),
        ("GET", "/none".into(), &key, None, 404, "not_found"),
        ("DELETE", "/tasks/x".into(), &key, None, 405, "method_not_allowed"),
        ("PATCH", "/tasks".into(), &key, body("{}"), 405, "method_not_allowed"),
        ("POST", "/v1/benchmark-runs".into(), &key, body(r#"{"benchmark": "none"}"#), 404, "not_found"),
        (
            "POST",
            "/v1/benchmark-runs".into(),
            &key,
            body(r#"{"benchmark": "of book", "scored": "yes"}"#),
            422,
            "invalid_request",
        ),
        (
            "POST",
            "/v1/benchmark-runs".into(),
            &key,
            body(r#"{"benchmark": "of book", "agent_id": "candor/test"}"#),
            422,
            "self_attestation",
        ),
        ("GET", "/benchmark-runs?limit=101".into(), &key, None, 400, "invalid_limit"),
        ("GET", "/benchmark-runs?cursor=%22".into(), &key, None, 400, "invalid_cursor"),
        ("GET", "/criterion-runs".into(), &key, None, 400, "missing_task_run_id"),
        ("GET", "/criterion-runs/cr_none".into(), &key, None, 404, "not_found"),
        ("GET", "/task-runs/tr_none".into(), &key, None, 404, "not_found"),
        ("POST", "/v1/task-runs/tr_'/complete".into(), &key, None, 404, "not_found"),
        ("POST", "/v1/sandboxes/none/hl7".into(), &key, Some(("text/plain", b"MSH|")), 404, "not_found"),
        ("POST", format!("/v1/task-runs/{}/start", at.id), &at.run_token, None, 409, "already_started"),
        ("POST", "/v1/grade".into(), &key, body(r#"{"task": {"id": "x"}}"#), 422, "invalid_request"),
        // Tokens.
        ("GET", "/benchmark-runs".into(), "", None, 401, "unauthorized"),
        ("GET", "/benchmark-runs".into(), "ck_none_none", None, 401, "unauthorized"),
        ("GET", "/benchmark-runs".into(), "'; DROP TABLE candor_keys; --", None, 401, "unauthorized"),
        ("GET", "/benchmark-runs".into(), &at.run_token, None, 403, "forbidden"),
        ("POST", "/tasks".into(), &at.run_token, body("{}"), 403, "forbidden"),
        ("GET", format!("/benchmark-runs/{run}"), &at.run_token, None, 403, "forbidden"),
        ("POST", format!("/v1/task-runs/{}/complete", at.id), &at.agent_token, None, 403, "forbidden"),
        ("POST", format!("/v1/task-runs/{}/start", at.id), &at.agent_token, None, 403, "forbidden"),
        ("GET", format!("/v1/benchmark-runs/{run}"), &at.agent_token, None, 403, "forbidden"),
        ("POST", format!("{sandbox}/events"), &at.agent_token, body("[]"), 403, "forbidden"),
        ("POST", format!("{sandbox}/voice/turns"), &at.agent_token, body("[]"), 403, "forbidden"),
        ("POST", format!("{sandbox}/x12"), &at.agent_token, Some(("application/edi-x12", b"ISA")), 403, "forbidden"),
        ("POST", format!("{sandbox}/portal/claims"), &at.agent_token, body(r#"{"id": 1}"#), 403, "forbidden"),
        // Bodies.
        ("POST", format!("{sandbox}/portal/orders"), &at.agent_token, body("[1]"), 422, "not_an_object"),
        ("POST", format!("{sandbox}/portal/orders"), &at.agent_token, body("[]"), 422, "empty_body"),
        ("POST", format!("{sandbox}/hl7"), &at.agent_token, Some(("text/plain", b" ")), 422, "empty_body"),
        ("POST", format!("{sandbox}/hl7"), &at.agent_token, Some(("text/plain", b"\x0b\x1c\r")), 422, "empty_body"),
        ("POST", format!("{sandbox}/hl7"), &at.agent_token, Some((json, b"{}")), 415, "unsupported_media_type"),
        ("POST", format!("{sandbox}/x12"), &at.run_token, Some(("application/edi-x12", b"GS*")), 422, "not_x12"),
        ("POST", format!("{sandbox}/voice/turns"), &at.run_token, body(r#"{"speaker": "a"}"#), 422, "invalid_turn"),
        (
            "POST",
            format!("{sandbox}/events"),
            &at.run_token,
            body(r#"{"type": "other", "payload": "x"}"#),
            422,
            "invalid_event",
        ),
        (
            "POST",
            format!("{sandbox}/events"),
            &at.run_token,
            body(r#"{"type": "x12_response", "payload": "x", "at": "now"}"#),
            422,
            "invalid_event",
        ),
        ("PUT", format!("{sandbox}/files/a/%2e%2e/b"), &at.agent_token, Some((json, b"x")), 422, "invalid_path"),
        ("PUT", format!("{sandbox}/files/a//b"), &at.agent_token, Some((json, b"x")), 422, "invalid_path"),
        ("GET", format!("{sandbox}/files/none"), &at.agent_token, None, 404, "not_found"),
        ("GET", format!("{sandbox}/portal/none"), &at.run_token, None, 404, "not_found"),
    ];
    for (method, path, token, body, status, code) in cases {
        let reply = service.send(method, &path, token, body, &[]);
        let error = &reply.json()["error"];
        assert_eq!((reply.status, error["code"].as_str()), (status, Some(code)), "{method} {path}: {}", reply.text());
        assert!(
            error["message"].as_str().is_some_and(|message| message.ends_with('.') || code == "invalid_task"),
            "{error}"
        );
        assert!(error.get("details").is_some(), "{error}");
        assert_eq!(status == 405, reply.header("allow").is_some(), "{method} {path}");
        assert!(reply.header("x-request-id").is_some(), "{method} {path}");
    }
    // A file may not be in the way of a folder.
    let put = |path: &str| {
        service.send("PUT", &format!("{sandbox}/files/{path}"), &at.agent_token, Some((json, b"x")), &[]).status
    };
    assert_eq!([put("out/a"), put("out"), put("out/a/b"), put("out/a")], [201, 409, 409, 200]);
    // Another run's harness and agent know nothing of this one.
    let other = service.started(&booking(), false);
    for token in [&other.run_token, &other.agent_token] {
        assert_eq!(service.send("GET", &format!("{sandbox}/portal/orders"), token, None, &[]).status, 404);
    }
    assert_eq!(service.json("GET", &format!("/v1/benchmark-runs/{run}"), &other.run_token, None).status, 404);
    // An agent's token ends with its task run.
    service.complete(&other).expect(200);
    assert_eq!(
        service.send("GET", &format!("{}/portal/orders", other.sandbox), &other.agent_token, None, &[]).status,
        401
    );
    let late = service.json("POST", &format!("{}/portal/orders", other.sandbox), &other.run_token, json!({"id": 1}));
    assert_eq!((late.status, &late.json()["error"]["code"]), (409, &json!("completed")));
}

#[test]
fn tokens_expire_and_keys_are_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(&json!({"data": folder.path(), "run_token_ttl": "1s"}));
    service.operator("POST", "/tasks", booking()).expect(201);
    service.operator("POST", "/benchmarks", json!({"id": "b", "tasks": [{"task": "book"}]})).expect(201);
    let seen = |(path, token): &(String, String)| service.json("GET", path, token, None).status;
    // A busy machine may be too late for a token that ends after a second, and gets another one.
    let made = (0..100).find_map(|_| {
        let run = service.operator("POST", "/v1/benchmark-runs", json!({"benchmark": "b"})).expect(201);
        let (id, token) = (run["task_runs"][0]["id"].as_str()?, run["bearer_token"].as_str()?);
        let made = (format!("/v1/task-runs/{id}"), token.to_owned());
        let is_started = service.json("POST", &format!("{}/start", made.0), &made.1, None).status == 200;
        (is_started && seen(&made) == 200).then_some(made)
    });
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(seen(&made.unwrap()), 401);
    let database = candor_server::Database::Folder(folder.path().to_owned());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let keys = candor_server::list_keys(&database).await.unwrap();
        assert!(keys.len() == 1 && keys[0].revoked_at.is_none());
        assert!(candor_server::revoke_key(&database, &keys[0].id).await.unwrap());
        assert!(!candor_server::revoke_key(&database, &keys[0].id).await.unwrap());
    });
    assert_eq!(service.operator("GET", "/benchmark-runs", None).status, 401);
}

#[test]
fn a_browser_logs_in_and_forgeries_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    assert_eq!(service.json("POST", "/login", "", json!({"key": "ck_a_b"})).status, 401);
    let login = service.send(
        "POST",
        "/login",
        "",
        Some(("application/x-www-form-urlencoded", format!("key={}", service.key).as_bytes())),
        &[],
    );
    let told = login.expect(200);
    let cookie = login.header("set-cookie").unwrap().to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains(&service.key),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(service.send("GET", "/benchmark-runs", "", None, &[("Cookie", cookie)]).status, 200);
    let task = booking().to_string();
    let body = Some(("application/json", task.as_bytes()));
    assert_eq!(service.send("POST", "/tasks", "", body, &[("Cookie", cookie)]).status, 403);
    let csrf = told["csrf_token"].as_str().unwrap();
    assert_eq!(service.send("POST", "/tasks", "", body, &[("Cookie", cookie), ("X-CSRF-Token", csrf)]).status, 201);
}

#[test]
fn connections_that_are_half_open_hold_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let address = service.url.trim_start_matches("http://").to_owned();
    let mut half: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(&address).unwrap()).collect();
    for stream in &mut half {
        stream.write_all(b"POST /tasks HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"id\"").unwrap();
    }
    assert_eq!(service.operator("GET", "/api/health", None).status, 200);
    drop(half);
    let mut broken = TcpStream::connect(&address).unwrap();
    broken.write_all(b"nonsense\r\n\r\n").unwrap();
    let mut answer = String::new();
    broken.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert_eq!(service.operator("POST", "/tasks", booking()).status, 201);
    assert_eq!(
        service.operator("GET", "/tasks/book", None).json(),
        candor_json::from_str::<Value>(&booking().to_string()).unwrap()
    );
}

#[test]
fn a_cursor_is_one_of_its_own_list() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let ats = [service.started(&booking(), false), service.started(&booking(), false)];
    for at in &ats {
        service.complete(at).expect(200);
    }
    let lists = [
        "/benchmark-runs?".to_owned(),
        format!("/criterion-runs?task_run_id={}&", ats[0].id),
        format!("/criterion-runs?task_run_id={}&", ats[1].id),
    ];
    let page = |list: &str, rest: &str| service.operator("GET", &format!("{list}limit=1{rest}"), None);
    for own in &lists {
        let next = page(own, "").expect(200)["_meta"]["next"].as_str().unwrap().to_owned();
        for list in &lists {
            let reply = page(list, &format!("&cursor={next}"));
            assert_eq!(reply.status, if list == own { 200 } else { 400 }, "{own} {list}: {}", reply.text());
        }
    }
}

#[test]
fn a_request_id_that_fits_no_log_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let (fits, long) = ("a".repeat(128), "b".repeat(129));
    for (given, stays) in [(fits.as_str(), true), ("tr/7:x", true), (&long, false), ("two words", false), ("", false)] {
        let reply = service.send("GET", "/api/health", "", None, &[("X-Request-Id", given)]);
        let answered = reply.header("x-request-id").unwrap();
        assert_eq!(answered == given, stays, "{given}: {answered}");
        assert!(stays || answered.starts_with("req_"), "{given}: {answered}");
    }
    assert!(!service.log().contains(&long) && !service.log().contains("two words"));
}

/// A backup of another program, say.
#[test]
fn who_reads_the_database_for_long_holds_up_no_delete() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let ats: Vec<_> = (0..6).map(|_| service.started(&booking(), false)).collect();
    for at in &ats {
        service.complete(at).expect(200);
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", folder.path().join("candor.db").display());
    let reader = runtime.block_on(async {
        let mut reader = sqlx::AnyConnection::connect(&url).await.unwrap();
        sqlx::query("BEGIN").execute(&mut reader).await.unwrap();
        sqlx::query("SELECT COUNT(*) AS number FROM candor_task_runs").fetch_one(&mut reader).await.unwrap();
        reader
    });
    let began = std::time::Instant::now();
    for at in &ats {
        let run = at.run["benchmark_run_id"].as_str().unwrap();
        assert_eq!(service.operator("DELETE", &format!("/benchmark-runs/{run}"), None).status, 204);
    }
    assert_eq!(service.operator("POST", "/tasks", booking()).status, 200);
    // Six deletes that wait for the reader take 150 s: five times 5 s each.
    assert!(began.elapsed() < std::time::Duration::from_secs(120), "{:?}", began.elapsed());
    runtime.block_on(reader.close()).unwrap();
}

#[test]
fn what_was_deleted_is_in_no_file() {
    let held = |folder: &std::path::Path, text: &str| {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        files.into_iter().any(|file| file.windows(text.len()).any(|window| window == text.as_bytes()))
    };
    for keep in [None, Some("1s")] {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::with(&json!({"data": folder.path(), "keep": keep}));
        let at = service.started(&booking(), false);
        let row = json!({"id": 1, "note": "Parchment-Quillfeather"}).to_string();
        let body = Some(("application/json", row.as_bytes()));
        let path = format!("{}/portal/orders", at.sandbox);
        assert_eq!(service.send("POST", &path, &at.agent_token, body, &[("Idempotency-Key", "row")]).status, 201);
        let path = format!("{}/fhir/Patient", at.sandbox);
        let patient = json!({"resourceType": "Patient", "name": [{"family": "Parchment-Quillfeather"}]}).to_string();
        let body = Some(("application/fhir+json", patient.as_bytes()));
        service.send("POST", &path, &at.agent_token, body, &[("Idempotency-Key", "patient")]).expect(201);
        service.complete(&at).expect(200);
        assert!(held(folder.path(), "Parchment-Quillfeather"));
        let run = at.run["benchmark_run_id"].as_str().unwrap();
        match keep {
            None => assert_eq!(service.operator("DELETE", &format!("/benchmark-runs/{run}"), None).status, 204),
            // What is old is looked for at the start.
            Some(_) => {
                drop(service);
                std::thread::sleep(std::time::Duration::from_millis(1100));
                let again = Service::with(&json!({"data": folder.path(), "keep": keep}));
                let is_deleted = || !held(folder.path(), "Parchment-Quillfeather");
                let began = std::time::Instant::now();
                while !is_deleted() && began.elapsed() < std::time::Duration::from_secs(30) {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                }
                assert_eq!(
                    again.operator("GET", &format!("/task-runs/{}", at.id), None).expect(200)["verdict"],
                    "fail"
                );
            }
        }
        assert!(!held(folder.path(), "Parchment-Quillfeather"), "{keep:?}");
    }
}
