//! A benchmark from its definition to its deletion.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use candor_json::{Value, json};

use crate::service::support::{Postgres, Service, booking};

/// A task with a criterion for every part.
fn every_part() -> Value {
    json!({
        "id": "parts", "agent_writes": ["orders"], "pass": "all",
        "criteria": [
            {"id": "row", "assertion": {"assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "id", "value": "1"}, "assertions": [{"path": "status", "expected": "open"}]}},
            {"id": "message", "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ADT^A01"}, "fields": [{"path": "PID.3.1", "expected": "77"}]}},
            {"id": "file", "assertion": {"assert": "sftp-file-present", "path": "out/1.json"}},
            {"id": "said", "assertion": {"assert": "voice-transcript", "contains": ["hello there"]}},
            {"id": "resource", "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient", "fields": [{"path": "active", "expected": true}]}},
        ],
    })
}

#[test]
fn a_sandbox_takes_every_part_and_evidence_says_who_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let service = Service::with(&json!({"data": folder.path(), "mllp_first": free.min(65_000)}));
    // Nothing happened: red, and conclusive.
    let idle = service.started(&every_part(), false);
    let nothing = service.complete(&idle).expect(200);
    assert_eq!((&nothing["verdict"], &nothing["conclusive"]), (&json!("fail"), &json!(true)), "{nothing}");
    let at = service.started(&every_part(), false);
    let send = |method: &str, path: &str, token: &str, kind: &str, body: &[u8]| {
        service.send(method, &format!("{}{path}", at.sandbox), token, Some((kind, body)), &[])
    };
    let message = b"MSH|^~\\&|A|B|C|D|20261125||ADT^A01|1|P|2.5.1\rPID|1||77\r";
    let ack = send("POST", "/hl7", &at.agent_token, "application/hl7-v2", message);
    assert!(ack.status == 200 && ack.text().contains("MSA|AA|1"), "{}", ack.text());
    let broken = send("POST", "/hl7", &at.run_token, "application/hl7-v2", &[message.as_slice(), message].concat());
    assert_eq!(broken.text().matches("MSA|AA|1").count(), 2, "{}", broken.text());
    send("POST", "/portal/orders", &at.agent_token, "application/json", br#"{"id": "1", "status": "open"}"#)
        .expect(201);
    send("PUT", "/files/out/1.json", &at.agent_token, "application/octet-stream", b"{}").expect(201);
    send(
        "POST",
        "/voice/turns",
        &at.run_token,
        "application/json",
        br#"[{"role": "agent", "content": "hello there"}]"#,
    )
    .expect(201);
    send(
        "POST",
        "/fhir/Patient",
        &at.agent_token,
        "application/fhir+json",
        br#"{"resourceType": "Patient", "active": true}"#,
    )
    .expect(201);
    let rows = service.json("GET", &format!("{}/portal/orders", at.sandbox), &at.agent_token, None).expect(200);
    assert_eq!(
        rows,
        json!({"data": [{"id": "1", "status": "open"}], "_meta": {"next": null, "prev": null, "limit": 20}})
    );
    assert_eq!(
        service.send("GET", &format!("{}/files/out/1.json", at.sandbox), &at.agent_token, None, &[]).text(),
        "{}"
    );
    // MLLP.
    let endpoints = &service.operator("GET", &format!("/v1/task-runs/{}", at.id), None).expect(200);
    assert!(endpoints["sandbox"]["id"].is_string());
    let result = service.complete(&at).expect(200);
    assert_eq!(result["verdict"], "pass", "{result:#}");
    for (criterion, by) in
        [("row", "agent"), ("message", "agent"), ("file", "agent"), ("said", "run"), ("resource", "agent")]
    {
        let run =
            result["criterion_runs"].as_array().unwrap().iter().find(|run| run["criterion_id"] == criterion).unwrap();
        let by = if by == "run" {
            format!("run:{}", at.run["benchmark_run_id"].as_str().unwrap())
        } else {
            format!("agent:{}", at.id)
        };
        assert_eq!(run["evidence"]["sources"][0]["written_by"], json!(by), "{criterion}: {}", run["evidence"]);
    }
}

#[test]
fn mllp_has_a_port_for_each_task_run() {
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().min(65_000);
    let service = Service::with(&json!({"data": folder.path(), "mllp_first": free}));
    service.operator("POST", "/tasks", every_part());
    service.operator("POST", "/benchmarks", json!({"id": "b", "tasks": [{"task": "parts"}]}));
    let run = service.operator("POST", "/v1/benchmark-runs", json!({"benchmark": "b"})).expect(201);
    let task_run = &run["task_runs"][0];
    let token = run["bearer_token"].as_str().unwrap();
    let started = service.json("POST", task_run["start_url"].as_str().unwrap(), token, None).expect(200);
    let mut stream = TcpStream::connect(started["sandbox"]["endpoints"]["mllp"].as_str().unwrap()).unwrap();
    stream.write_all(b"\x0bMSH|^~\\&|A|B|C|D|20261125||ADT^A01|9|P|2.5.1\rPID|1||77\r\x1c\r").unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(600))).unwrap();
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).unwrap();
    assert!(String::from_utf8_lossy(&answer[..read]).contains("MSA|AA|9"));
    let result = service.json("POST", task_run["complete_url"].as_str().unwrap(), token, None).expect(200);
    assert_eq!(result["criterion_runs"][1]["status"], "passed", "{result}");
}

#[test]
fn a_benchmark_is_summed_up_listed_exported_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    whole_benchmark(&Service::over(folder.path()));
}

#[test]
fn a_benchmark_is_the_same_over_postgresql() {
    let database = Postgres::start();
    whole_benchmark(&Service::with(&json!({"postgres": database.url})));
}

fn whole_benchmark(service: &Service) {
    service.operator("POST", "/tasks", booking()).expect(201);
    let benchmark = json!({"id": "it's \"one\"", "name": "One", "tasks": [{"task": "book"}, {"task": "book", "id": "again", "sandbox": {"fhir": []}}]});
    service.operator("POST", "/benchmarks", benchmark.clone()).expect(201);
    assert_eq!(service.operator("GET", "/benchmarks/it%27s%20%22one%22", None).expect(200), benchmark);
    let asked = json!({"benchmark": "it's \"one\"", "scored": true, "agent_id": "a1"});
    let post = |key: &str, body: &Value| {
        let body = body.to_string();
        service.send(
            "POST",
            "/v1/benchmark-runs",
            &service.key,
            Some(("application/json", body.as_bytes())),
            &[("Idempotency-Key", key)],
        )
    };
    let first = post("k1", &asked).expect(201);
    let again = post("k1", &asked).expect(201);
    let mut without = first.clone();
    without.as_object_mut().unwrap().remove("bearer_token");
    assert_eq!(again, without);
    assert_eq!(
        post("k1", &json!({"benchmark": "it's \"one\""})).expect(409)["error"]["code"],
        "idempotency_key_reused"
    );
    let (run, token) = (first["benchmark_run_id"].as_str().unwrap(), first["bearer_token"].as_str().unwrap());
    // A definition that is replaced changes no run that exists.
    let mut changed = booking();
    changed["name"] = json!("Changed");
    service.operator("POST", "/tasks", changed).expect(200);
    for (number, task_run) in first["task_runs"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            service.json("POST", task_run["complete_url"].as_str().unwrap(), token, None).expect(409)["error"]["code"],
            "not_started"
        );
        let start =
            || service.send("POST", task_run["start_url"].as_str().unwrap(), token, None, &[("Idempotency-Key", "s")]);
        let started = start().expect(200);
        assert_eq!(
            (&started["name"], &started["prompt"]),
            (&json!("Book"), &json!("Book an appointment for Patient/p1."))
        );
        assert_eq!(start().expect(200), started, "a start that is asked for again hands out the same token");
        if number == 0 {
            let body = br#"{"resourceType": "Appointment", "status": "booked", "participant": [{"actor": {"reference": "Patient/p1"}}]}"#;
            let path = format!("{}/Appointment", started["sandbox"]["endpoints"]["fhir"].as_str().unwrap());
            service
                .send(
                    "POST",
                    &path,
                    started["agent_token"].as_str().unwrap(),
                    Some(("application/fhir+json", body)),
                    &[],
                )
                .expect(201);
        }
        let result = service.json("POST", task_run["complete_url"].as_str().unwrap(), token, None).expect(200);
        assert_eq!(result["verdict"], if number == 0 { "pass" } else { "partial" }, "{result}");
    }
    let seen = service.json("GET", first["endpoints"]["self"].as_str().unwrap(), token, None).expect(200);
    assert_eq!(
        (&seen["phase"], &seen["verdict"], &seen["score"]),
        (&json!("completed"), &json!("partial"), &json!(0.75))
    );
    assert!(
        seen.get("agent_id").is_none() && seen["task_runs"][0]["criterion_runs"].as_array().is_none_or(Vec::is_empty)
    );
    let full = service.operator("GET", &format!("/benchmark-runs/{run}"), None).expect(200);
    assert_eq!((&full["verdicts"]["pass"], &full["agent_id"]), (&json!(1), &json!("a1")));
    assert_eq!(full["task_runs"][0]["criterion_runs"].as_array().unwrap().len(), 2);
    let ndjson = service.operator("GET", &format!("/benchmark-runs/{run}?format=ndjson"), None).text();
    let mut stored = candor_scoring::stored::StoredRuns::new(candor_scoring::stored::Limits::default());
    stored.read("answer", ndjson.as_bytes(), |_| {}).unwrap();
    let candor_scoring::stored::StoredOutcome::Benchmark(scored) = stored.finish(|_| {}).outcome else { panic!() };
    assert_eq!(scored.score.to_f64(), 0.75);
    // Pages.
    for _ in 0..4 {
        service.operator("POST", "/v1/benchmark-runs", json!({"benchmark": "it's \"one\""})).expect(201);
    }
    let mut ids = Vec::new();
    let mut path = "/benchmark-runs?limit=2".to_owned();
    let mut last = Value::Null;
    loop {
        let page = service.operator("GET", &path, None).expect(200);
        ids.extend(page["data"].as_array().unwrap().iter().map(|run| run["benchmark_run_id"].clone()));
        last = if page["_meta"]["next"].is_null() { page.clone() } else { last };
        let Some(next) = page["_meta"]["next"].as_str() else { break };
        path = format!("/benchmark-runs?limit=2&cursor={next}");
    }
    assert_eq!((ids.len(), ids.last().unwrap()), (5, &json!(run)));
    let back = service
        .operator("GET", &format!("/benchmark-runs?limit=2&cursor={}", last["_meta"]["prev"].as_str().unwrap()), None)
        .expect(200);
    assert_eq!(back["data"][1]["benchmark_run_id"], ids[3]);
    // A share link is handed out once.
    let share = || {
        let path = format!("/benchmark-runs/{run}/share");
        let body = Some(("application/json", b"{}".as_slice()));
        service.send("POST", &path, &service.key, body, &[("Idempotency-Key", "share")]).expect(201)
    };
    assert!(share().get("url").is_some() && share().get("url").is_none());
    // Deletion.
    assert_eq!(service.operator("DELETE", &format!("/benchmark-runs/{run}"), None).status, 204);
    for path in [
        format!("/benchmark-runs/{run}"),
        format!("/task-runs/{}", first["task_runs"][0]["id"].as_str().unwrap()),
        format!("/criterion-runs/{}", full["task_runs"][0]["criterion_runs"][0]["id"].as_str().unwrap()),
    ] {
        assert_eq!(service.operator("GET", &path, None).status, 404, "{path}");
    }
    assert_eq!(service.json("GET", first["endpoints"]["self"].as_str().unwrap(), token, None).status, 401);
}

#[test]
fn a_task_run_over_its_time_expires_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(&json!({"data": folder.path(), "keep": "1s"}));
    let mut task = booking();
    task["timeout"] = json!("1s");
    task["criteria"] = json!([task["criteria"][1]]);
    let at = service.started(&task, false);
    std::thread::sleep(Duration::from_millis(1100));
    let late = service.json("POST", &format!("{}/portal/orders", at.sandbox), &at.run_token, json!({"id": 1}));
    assert_eq!(late.status, 409, "{}", late.text());
    let result = service.complete(&at).expect(200);
    assert_eq!(result["criterion_runs"][0]["status"], "passed", "graded for the record");
    let told = ["phase", "verdict", "score", "reason"].map(|name| result[name].clone());
    assert_eq!(told, [json!("expired"), json!("fail"), json!(0.0), json!("deadline")]);
    let run = at.run["benchmark_run_id"].as_str().unwrap();
    let full = service.operator("GET", &format!("/benchmark-runs/{run}"), None).expect(200);
    assert_eq!((&full["phase"], &full["score"]), (&json!("completed"), &json!(0.0)));
    // A task run that no agent completes expires.
    let alone = service.started(&task, true);
    let began = std::time::Instant::now();
    while service.operator("GET", &format!("/task-runs/{}", alone.id), None).expect(200)["phase"] != "expired" {
        assert!(began.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(100));
    }
    let seen = service.json("GET", &format!("/v1/task-runs/{}", alone.id), &alone.run_token, None).expect(200);
    assert_eq!((&seen["reason"], &seen["criterion_runs"]), (&json!("deadline"), &json!([])));
    drop(service);
    // Retention: on the next start what is older than --keep has lost its evidence and kept its verdict.
    let service = Service::with(&json!({"data": folder.path(), "keep": "1s"}));
    let full = loop {
        let full = service.operator("GET", &format!("/task-runs/{}", at.id), None).expect(200);
        if full["criterion_runs"][0]["evidence"] == json!({}) {
            break full;
        }
        assert!(began.elapsed() < Duration::from_secs(300));
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!((&full["verdict"], &full["criterion_runs"][0]["status"]), (&json!("fail"), &json!("passed")));
}

#[test]
fn grade_is_stateless_and_a_missing_part_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let grade = |sandbox: Value| {
        service.operator("POST", "/v1/grade", json!({"task": every_part(), "sandbox": sandbox})).expect(200)
    };
    let run = grade(json!({
        "portal": {"orders": [{"id": "1", "status": "open"}]},
        "hl7": {"a.hl7": "MSH|^~\\&|A|B|C|D|20261125||ADT^A01|1|P|2.5.1\rPID|1||77\r"},
        "files": {"out/1.json": "e30="},
        "voice": {"c.json": [{"speaker": "agent", "text": "hello there"}]},
        "fhir": [{"resourceType": "Patient", "id": "1", "active": true}],
    }));
    assert_eq!(run["verdict"], "pass", "{run:#}");
    let run = grade(json!({"portal": {"orders": []}}));
    let reasons: Vec<&Value> = run["criterion_runs"].as_array().unwrap().iter().map(|run| &run["reason"]).collect();
    assert_eq!(reasons[0], "no_candidate");
    assert!(reasons[1..].iter().all(|reason| *reason == "no_source"), "{reasons:?}");
    let task = json!({"id": "b", "criteria": [{"id": "same", "assertion": {"assert": "state-unchanged"}}]});
    let box_of = |status: &str| json!({"portal": {"orders": [{"id": "1", "status": status}]}});
    for (after, verdict) in [("open", "pass"), ("closed", "fail")] {
        let body = json!({"task": task, "sandbox": box_of(after), "baseline": box_of("open")});
        assert_eq!(service.operator("POST", "/v1/grade", body).expect(200)["verdict"], verdict);
    }
}

#[test]
fn a_batch_has_one_verdict_a_key_and_a_wrong_entry_spoils_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let task = json!({"id": "t", "criteria": [{"id": "open", "assertion": {"assert": "portal-state-match",
        "correlate_by": {"resource": "orders", "key": "id", "value": "1"},
        "assertions": [{"path": "status", "expected": "open"}]}}]});
    let entry =
        |status: &str| json!({"task": task, "sandbox": {"portal": {"orders": [{"id": "1", "status": status}]}}});
    let entries = json!({
        "z/1": entry("open"),
        "no task": {"sandbox": {}},
        "wrong part": {"task": task, "sandbox": {"protal": {}}},
        "a": entry("closed"),
    });
    let body = json!({"entries": entries});
    let answer = service.operator("POST", "/v1/grade/batch", body).expect(200);
    let results = answer["results"].as_object().unwrap();
    assert_eq!(results.keys().collect::<Vec<_>>(), ["z/1", "no task", "wrong part", "a"]);
    assert_eq!(
        (&results["z/1"]["verdict"], &results["a"]["verdict"]),
        (&json!("pass"), &json!("fail")),
        "{results:#?}"
    );
    assert_eq!(results["no task"]["error"]["code"], "invalid_request", "{results:#?}");
    assert_eq!(results["wrong part"]["error"]["code"], "invalid_sandbox", "{results:#?}");
    // It is what a request of its own gives.
    let alone = service.operator("POST", "/v1/grade", entry("closed")).expect(200);
    let outcome =
        |run: &Value| (run["criterion_runs"][0]["evidence"].clone(), run["score"].clone(), run["axes"].clone());
    assert_eq!(outcome(&alone), outcome(&results["a"]));

    for wrong in [json!({}), json!({"entries": []}), json!({"entries": {}, "task": {}})] {
        let refused = service.operator("POST", "/v1/grade/batch", wrong).expect(422);
        assert_eq!(refused["error"]["code"], "invalid_request");
    }
    let many: candor_json::Map<String, Value> = (0..1001).map(|n| (n.to_string(), json!({}))).collect();
    let refused = service.operator("POST", "/v1/grade/batch", json!({"entries": many})).expect(422);
    assert!(refused["error"]["message"].as_str().unwrap().contains("found 1001 entries"), "{refused}");
    assert_eq!(service.operator("POST", "/v1/grade/batch", json!({"entries": {}})).expect(200), json!({"results": {}}));
}

/// As a file with these bytes is: no reader may choose one of two values.
#[test]
fn records_with_a_member_twice_are_malformed() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let post = |path: &str, body: &str| {
        service.send("POST", path, &service.key, Some(("application/json", body.as_bytes())), &[])
    };
    // The base64 holds [{"id":"1","status":"new","status":"open"}].
    for (criterion, part) in [
        (0, r#""portal": {"orders": [{"id": "1", "status": "new", "status": "open"}]}"#),
        (0, r#""portal": {"orders": "W3siaWQiOiIxIiwic3RhdHVzIjoibmV3Iiwic3RhdHVzIjoib3BlbiJ9XQ=="}"#),
        (3, r#""voice": {"c.json": [{"speaker": "agent", "text": "no", "text": "hello there"}]}"#),
        (4, r#""fhir": [{"resourceType": "Patient", "id": "1", "active": false, "active": true}]"#),
    ] {
        let entry = format!(r#"{{"task": {}, "sandbox": {{{part}}}}}"#, every_part());
        let run = post("/v1/grade", &entry).expect(200);
        assert_eq!(run["criterion_runs"][criterion]["reason"], "source_malformed", "{part}: {run:#}");
        let row = format!(r#"{{"response": {{}}, "candor": {entry}}}"#);
        let verified = post("/nemo/verify", &row).expect(200);
        assert_eq!((&verified["reward"], &verified["mask_sample"]), (&Value::Null, &json!(true)), "{part}");
        // An agent acts on rows and resources, but not on a transcript.
        post("/nemo/seed_session", &row).expect(if criterion == 3 { 200 } else { 422 });

        // An entry of a batch spoils no other, and a key occurs once.
        let twice = entry.replacen("\"task\"", "\"task\": {}, \"task\"", 1);
        let answer = post("/v1/grade/batch", &format!(r#"{{"entries": {{"a": {entry}, "b": {twice}}}}}"#)).expect(200);
        let results = &answer["results"];
        assert_eq!(results["a"]["criterion_runs"][criterion]["reason"], "source_malformed", "{part}: {results:#}");
        assert_eq!(results["b"]["error"]["code"], "repeated_member", "{results:#}");
        let refused = post("/v1/grade/batch", &format!(r#"{{"entries": {{"a": {twice}, "a": {entry}}}}}"#)).expect(400);
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("An object has the member `a` twice, line 1, column "), "{message}");
    }
}

#[test]
fn a_database_in_use_is_copied_and_not_shared() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    service.operator("POST", "/tasks", booking()).expect(201);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = candor_server::Database::Folder(folder.path().to_owned());
    let copy = tempfile::tempdir().unwrap();
    let file = copy.path().join("candor.db");
    runtime.block_on(candor_server::backup(&database, &file)).unwrap();
    assert!(runtime.block_on(candor_server::backup(&database, &file)).unwrap_err().contains("exists"));
    let restored = Service::over(copy.path());
    assert_eq!(restored.operator("GET", "/tasks/book", None).expect(200), booking());
    let again = std::panic::catch_unwind(|| Service::over(folder.path()));
    assert!(again.is_err(), "two servers over one folder");
}

#[test]
fn the_program_of_the_page_runs_the_bundled_benchmark() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/service.md")).unwrap();
    let program = page.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(program.lines().filter(|line| !line.trim().is_empty()).count() <= 22);
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let python = std::env::var("CANDOR_PEERS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let ran = std::process::Command::new(python)
        .args(["-c", program])
        .current_dir(&root)
        .env("CANDOR_URL", &service.url)
        .env("CANDOR_KEY", &service.key)
        .output()
        .unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(said, "Book a visit pass\nBook a visit pass\n", "{wrong}");
}
