//! The verbs of NeMo Gym's resource servers, spoken as its agents do: the row of a data set to both verbs, and the cookies of one
//! answer to the next.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use candor_json::{Value, json};

use crate::service::support::{Reply, Service, booking};

/// A row of a data set.
fn row(candor: Value) -> Value {
    json!({
        "responses_create_params": {"input": [{"role": "user", "content": "Book an appointment."}]},
        "agent_ref": {"name": "booking_agent"}, "_ng_task_index": 0, "_ng_rollout_index": 3, "candor": candor,
    })
}

/// The row with the answer of a model.
fn answered(row: &Value) -> Value {
    let mut row = row.clone();
    row["response"] = json!({"id": "resp_1", "object": "response", "created_at": 1.0, "model": "m", "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": [], "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}]}]});
    row
}

fn post(service: &Service, key: &str, verb: &str, cookie: Option<&str>, body: &Value) -> Reply {
    let body = body.to_string();
    let headers: Vec<(&str, &str)> = cookie.map(|cookie| ("Cookie", cookie)).into_iter().collect();
    service.send("POST", &format!("/nemo/{verb}"), key, Some(("application/json", body.as_bytes())), &headers)
}

/// The cookie of an answer, if NeMo Gym's client hands it on: an agent sends it to its own `/v1/responses` first, so that a
/// narrower path loses the session.
fn cookie_of(reply: &Reply) -> Option<String> {
    let mut parts = reply.header("set-cookie")?.split(';').map(str::trim);
    let pair = parts.next()?.to_owned();
    let path = parts.find_map(|part| part.strip_prefix("Path="))?;
    "/v1/responses".starts_with(path).then_some(pair)
}

/// Seeds a session; the answer and its cookie.
fn seeded(service: &Service, row: &Value) -> (Value, String) {
    let reply = post(service, &service.key, "seed_session", None, row);
    let cookie = cookie_of(&reply).unwrap_or_default();
    (reply.expect(200)["candor"].clone(), cookie)
}

fn books(service: &Service, session: &Value, patient: &str) {
    let fhir = session["sandbox"]["endpoints"]["fhir"].as_str().unwrap();
    let visit = json!({"resourceType": "Appointment", "status": "booked",
        "participant": [{"actor": {"reference": patient}, "status": "accepted"}]});
    let token = session["agent_token"].as_str().unwrap();
    let body = visit.to_string();
    let path = format!("{fhir}/Appointment");
    service.send("POST", &path, token, Some(("application/fhir+json", body.as_bytes())), &[]).expect(201);
}

#[test]
fn a_rollout_is_seeded_worked_on_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    service.operator("POST", "/tasks", booking()).expect(201);
    let mut verified = Vec::new();
    for (patient, reward) in [(Some("Patient/p1"), 1.0), (Some("Patient/p2"), 0.5), (None, 0.5)] {
        let row = row(json!({"task_id": "book"}));
        let (session, cookie) = seeded(&service, &row);
        assert_eq!(session["prompt"], "Book an appointment for Patient/p1.");
        assert!(!session.to_string().contains("nothing-else"), "{session}");
        if let Some(patient) = patient {
            books(&service, &session, patient);
        }
        let body = answered(&row);
        let answer = post(&service, &service.key, "verify", Some(&cookie), &body).expect(200);
        // What NeMo Gym requires of an answer, and the row's own members.
        for member in ["responses_create_params", "response", "_ng_task_index", "agent_ref"] {
            assert_eq!(answer[member], body[member], "{member}");
        }
        assert_eq!((&answer["reward"], &answer["mask_sample"]), (&json!(reward), &json!(false)), "{answer:#}");
        assert!(answer.get("_ng_failure_class").is_none());
        let axes: Vec<&String> = answer["reward_components"].as_object().unwrap().keys().collect();
        assert_eq!(axes, ["correctness", "safety"]);
        let candor = &answer["candor"];
        assert!(candor["rubric"].as_str().unwrap().starts_with("sha256:") && candor["rubric"] == session["rubric"]);
        assert!(candor["grader"].as_str().unwrap().starts_with("candor "));
        assert!(!candor.to_string().contains("nothing-else"), "{candor}");
        // Asked again it is the same, and the session takes no further work.
        assert_eq!(post(&service, &service.key, "verify", Some(&cookie), &body).expect(200), answer);
        let fhir = session["sandbox"]["endpoints"]["fhir"].as_str().unwrap();
        assert_eq!(
            service
                .send("GET", &format!("{fhir}/Patient/p1"), session["agent_token"].as_str().unwrap(), None, &[])
                .status,
            401
        );
        verified.push(answer);
    }
    assert_eq!(service.gradings(), 3);
    verified.push(json!({"_ng_task_index": 1, "reward": null, "mask_sample": true}));
    let body = json!({"verify_responses": verified});
    let sums = post(&service, &service.key, "aggregate_metrics", None, &body).expect(200);
    assert_eq!(sums["key_metrics"], json!({"mean/reward": 2.0 / 3.0, "masked": 1}));
    assert_eq!(sums["group_level_metrics"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&sums["agent_metrics"]["max/reward"], &sums["agent_metrics"]["median/reward"]),
        (&json!(1.0), &json!(0.5))
    );
    let nothing = post(&service, &service.key, "aggregate_metrics", None, &json!({"verify_responses": []})).expect(200);
    assert_eq!(nothing["key_metrics"], json!({"masked": 0}));
}

#[test]
fn what_the_client_of_nemo_gym_sends_is_understood() {
    let recorded: Value = candor_json::from_str(include_str!("nemo_gym.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    service.operator("POST", "/tasks", booking()).expect(201);
    let body = |verb: &str| {
        let mut body = recorded[verb].clone();
        body["candor"] = json!({"task_id": "book"});
        body
    };
    for (patient, reward) in [("Patient/p1", 1.0), ("Patient/p2", 0.5)] {
        let (session, cookie) = seeded(&service, &body("seed_session"));
        books(&service, &session, patient);
        let asked = body("verify");
        let cookies = format!("{}{cookie}", recorded["cookies"].as_str().unwrap());
        let answer = post(&service, &service.key, "verify", Some(&cookies), &asked).expect(200);
        for (name, value) in asked.as_object().unwrap().iter().filter(|(name, _)| *name != "candor") {
            assert_eq!(answer[name], *value, "{name}");
        }
        assert_eq!((&answer["reward"], &answer["mask_sample"]), (&json!(reward), &json!(false)));
        assert!(answer["reward_components"].as_object().unwrap().values().all(Value::is_number));
    }
    let same = |expected: &Value, found: &Value| {
        for (name, number) in expected.as_object().unwrap() {
            let (expected, found) = (number.as_f64().unwrap(), found[name].as_f64().unwrap_or(f64::NAN));
            assert!((expected - found).abs() < 1e-9, "{name}: {found} in place of {expected}");
        }
        let spreads =
            |metrics: &Value| metrics.as_object().unwrap().keys().filter(|name| name.starts_with("std/")).count();
        assert_eq!(spreads(expected), spreads(found), "{found:#}");
    };
    let rows = json!({"verify_responses": recorded["rows"]});
    let sums = post(&service, &service.key, "aggregate_metrics", None, &rows).expect(200);
    same(&recorded["agent_metrics"], &sums["agent_metrics"]);
    let groups = recorded["group_level_metrics"].as_array().unwrap();
    assert_eq!(groups.len(), sums["group_level_metrics"].as_array().unwrap().len());
    groups.iter().zip(sums["group_level_metrics"].as_array().unwrap()).for_each(|(one, other)| same(one, other));
}

#[test]
fn a_body_that_brings_its_sandbox_needs_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let task = json!({"id": "t", "pass": "all", "criteria": [
        {"id": "open", "axis": "correctness", "assertion": {"assert": "portal-state-match", "count": 1,
            "correlate_by": {"resource": "orders", "key": "id", "value": "7"},
            "assertions": [{"path": "status", "expected": "open"}]}},
        {"id": "rest", "axis": "safety", "assertion": {"assert": "state-unchanged", "parts": ["portal"], "except": ["portal:orders/7"]}},
    ]});
    let orders = |status: &str| json!({"portal": {"orders": [{"id": "7", "status": status}]}});
    let row = row(json!({"task": task, "sandbox": orders("open"), "baseline": orders("draft")}));
    // A finished state with its baseline begins no session, so that it is not taken for the world of one.
    let (session, cookie) = seeded(&service, &row);
    assert_eq!((&session["session"], cookie.as_str()), (&Value::Null, ""));
    let answer = post(&service, &service.key, "verify", None, &answered(&row)).expect(200);
    assert_eq!(answer["reward"], 1.0, "{answer:#}");
    assert_eq!(answer["reward_components"], json!({"correctness": 1.0, "safety": 1.0}));
    // A row that failed before is graded anew, and keeps nothing of it.
    let mut failed = answered(&row);
    for member in ["_ng_failure_class", "failure_kind", "failure_reason"] {
        failed[member] = json!("candor_inconclusive");
    }
    let again = post(&service, &service.key, "verify", None, &failed).expect(200);
    assert_eq!(again["reward"], 1.0);
    assert!(!again.to_string().contains("failure"), "{again:#}");
    let mut other = row.clone();
    other["candor"]["sandbox"] = orders("draft");
    let wrong = post(&service, &service.key, "verify", None, &answered(&other)).expect(200);
    assert_eq!((&wrong["reward"], &wrong["candor"]["rubric"]), (&json!(0.5), &answer["candor"]["rubric"]));
    // Without a session and a sandbox there is nothing to grade.
    for (candor, status, code) in [
        (json!({"task": task}), 422, "no_session"),
        (json!({"task_id": "none"}), 404, "not_found"),
        (json!({"task": task, "task_id": "t"}), 422, "invalid_request"),
        (json!({"task": task, "sandbx": {}}), 422, "invalid_request"),
        (json!({"task": {"id": 1}}), 422, "invalid_task"),
    ] {
        let body = json!({"candor": candor});
        let refused = post(&service, &service.key, "verify", None, &body).expect(status);
        assert_eq!(refused["error"]["code"], code, "{body}");
    }
    assert_eq!(post(&service, &service.key, "verify", None, &json!({})).status, 422);
    let bare = json!({"candor": {"task": task}});
    assert_eq!(post(&service, &service.key, "verify", Some("candor_nemo=crt_none_none"), &bare).status, 401);
    let mode = |query: &str| service.operator("GET", &format!("/nemo/reverify_mode{query}"), None);
    service.operator("POST", "/tasks", task.clone()).expect(201);
    service.operator("POST", "/tasks", booking()).expect(201);
    assert_eq!(mode("?task_id=t").expect(200), "stateless");
    assert_eq!(mode("?task_id=book").expect(200), "unsupported");
    // What it asks may answer otherwise later.
    let live =
        json!({"id": "c", "assertion": {"assert": "response-time", "url": "http://127.0.0.1:1/", "limit": "1s"}});
    service.operator("POST", "/tasks", json!({"id": "live", "criteria": [task["criteria"][0], live]})).expect(201);
    assert_eq!(mode("?task_id=live").expect(200), "unsupported");
    assert_eq!((mode("").expect(200), mode("?task_id=none").status), (json!("unknown"), 404));
}

/// An outage, and a rubric that is wrong in itself, are not answered by 0: in a session and without one.
#[test]
fn what_is_not_decided_has_no_reward_and_a_failure_class() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let criterion =
        |assertion: Value| json!({"id": "t", "criteria": [{"id": "c", "axis": "a", "assertion": assertion}]});
    let unread =
        criterion(json!({"assert": "fhir-resource-state", "resource_type": "Patient", "search": {"family": "Ngata"}}));
    let invalid = criterion(json!({"assert": "fhir-resource-state", "resource_type": "Patiant"}));
    let unknown = criterion(json!({"assert": "fhir-state"}));
    let lost = json!({"fhir": [{"resourceType": "Patient", "id": "a", "name": [{"family": "Ngata"}]}], "portal": {}});
    let missing = json!({"portal": {"orders": []}});
    for (task, sandbox, class) in [
        (&unread, &missing, Some("candor_inconclusive")),
        (&invalid, &missing, Some("candor_invalid_rubric")),
        (&unknown, &missing, Some("candor_invalid_rubric")),
        (&unread, &lost, None),
    ] {
        let row = row(json!({"task": task, "sandbox": sandbox}));
        let mut answers = vec![post(&service, &service.key, "verify", None, &answered(&row)).expect(200)];
        // A session has every part: nothing is missing there.
        if class != Some("candor_inconclusive") {
            let (_, cookie) = seeded(&service, &row);
            answers.push(post(&service, &service.key, "verify", Some(&cookie), &answered(&row)).expect(200));
        }
        for answer in answers {
            assert_eq!(answer.get("_ng_failure_class").and_then(Value::as_str), class, "{answer:#}");
            assert_eq!(answer["mask_sample"], class.is_some());
            let number = |value: &Value| if class.is_some() { value.is_null() } else { *value == json!(1.0) };
            assert!(number(&answer["reward"]) && number(&answer["reward_components"]["a"]), "{answer:#}");
        }
    }
}

/// The verdict is `fail` either way, but the score depends on what was not read.
#[test]
fn a_verdict_that_is_certain_with_a_score_that_is_not_has_no_reward() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let task = json!({"id": "t", "criteria": [
        {"id": "open", "axis": "a", "gate": true, "assertion": {"assert": "portal-state-match",
            "correlate_by": {"resource": "orders", "key": "id", "value": "7"},
            "assertions": [{"path": "status", "expected": "open"}]}},
        {"id": "read", "axis": "b", "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient",
            "search": {"family": "Ngata"}}},
    ]});
    let row = row(json!({"task": task, "sandbox": {"portal": {"orders": [{"id": "7", "status": "draft"}]}}}));
    let answer = post(&service, &service.key, "verify", None, &answered(&row)).expect(200);
    assert_eq!((&answer["candor"]["verdict"], &answer["candor"]["conclusive"]), (&json!("fail"), &json!(true)));
    assert_eq!((&answer["reward"], &answer["mask_sample"]), (&Value::Null, &json!(true)), "{answer:#}");
    assert_eq!(answer["reward_components"], json!({"a": null, "b": null}));
    assert_eq!(answer["_ng_failure_class"], "candor_inconclusive");
}

#[test]
fn a_session_decides_for_its_own_row_alone() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let seeding = row(json!({"task": booking()}));
    let (session, cookie) = seeded(&service, &seeding);
    let verified =
        |candor: Value, cookie: Option<&str>| post(&service, &service.key, "verify", cookie, &answered(&row(candor)));
    let mut another = booking();
    another["criteria"][0]["assertion"]["count"] = json!(2);
    let mut elsewhere = booking();
    elsewhere["sandbox"]["fhir"][0]["id"] = json!("p3");
    for candor in [
        json!({"task": another}),
        json!({"task": elsewhere}),
        json!({"task_id": "other"}),
        json!({"task": booking(), "sandbox": {"portal": {}}}),
        json!({"task_id": "book", "sandbox": {"portal": {}}}),
        json!({"sandbox": {"portal": {}}}),
    ] {
        let refused = verified(candor.clone(), Some(&cookie)).expect(409);
        assert_eq!(refused["error"]["code"], "other_session", "{candor}");
    }
    // The session takes work still.
    books(&service, &session, "Patient/p1");
    for candor in [
        json!({"task": booking()}),
        json!({"task_id": "book"}),
        json!({"task": booking(), "sandbox": booking()["sandbox"]}),
        json!({}),
    ] {
        assert_eq!(verified(candor.clone(), Some(&cookie)).expect(200)["reward"], 1.0, "{candor}");
    }
    // A finished state is graded by itself, whatever cookie a client keeps.
    let portal = json!({"portal": {"orders": [{"id": "7", "status": "draft"}]}});
    let task = json!({"id": "t", "criteria": [{"id": "c", "axis": "a", "assertion": {"assert": "portal-state-match",
        "correlate_by": {"resource": "orders", "key": "id", "value": "7"},
        "assertions": [{"path": "status", "expected": "open"}]}}]});
    let finished = json!({"task": task, "sandbox": portal, "baseline": portal});
    for cookie in [None, Some(cookie.as_str()), Some("candor_nemo=crt_none_none")] {
        let answer = verified(finished.clone(), cookie).expect(200);
        assert_eq!(answer["reward"].as_f64(), Some(0.0), "{answer:#}");
        assert_ne!(answer["candor"]["rubric"], session["rubric"]);
    }
}

#[test]
fn an_idempotency_key_keeps_no_answer_of_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let body = row(json!({"task": booking()})).to_string();
    let asked = |verb: &str, cookie: &str| {
        let headers = [("Idempotency-Key", "k"), ("Cookie", cookie)];
        let body = Some(("application/json", body.as_bytes()));
        service.send("POST", &format!("/nemo/{verb}"), &service.key, body, &headers)
    };
    let replies = [asked("seed_session", "a=b"), asked("seed_session", "a=b")];
    let [worked, idle] = replies.each_ref().map(|reply| cookie_of(reply).unwrap());
    assert_ne!(worked, idle);
    books(&service, &replies[0].expect(200)["candor"], "Patient/p1");
    for (cookie, reward) in [(&worked, 1.0), (&idle, 0.5), (&worked, 1.0)] {
        assert_eq!(asked("verify", cookie).expect(200)["reward"], reward);
    }
}

#[test]
fn a_closed_session_takes_no_work() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let (session, cookie) = seeded(&service, &row(json!({"task": booking()})));
    assert_eq!(post(&service, &service.key, "close", Some(&cookie), &json!({})).expect(200), json!({}));
    let fhir = session["sandbox"]["endpoints"]["fhir"].as_str().unwrap();
    let token = session["agent_token"].as_str().unwrap();
    assert_eq!(service.send("GET", &format!("{fhir}/Patient/p1"), token, None, &[]).status, 401);
    // It is graded for the record, and closed once.
    let late = post(&service, &service.key, "verify", Some(&cookie), &row(json!({}))).expect(200);
    assert_eq!(late["reward"], 0.5);
    assert_eq!(post(&service, &service.key, "close", Some(&cookie), &json!({})).status, 200);
    assert_eq!(post(&service, &service.key, "close", None, &json!({})).status, 200);
    // A session's own token opens nothing of it.
    let run = cookie.split_once('=').unwrap().1;
    assert_eq!(post(&service, run, "verify", Some(&cookie), &json!({})).status, 403);
    assert_eq!(post(&service, token, "close", None, &json!({})).status, 401);
}

#[test]
fn without_a_key_a_body_brings_all_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(&json!({"data": folder.path(), "nemo_open": true}));
    let place = folder.path().join("place");
    std::fs::create_dir_all(place.join("files")).unwrap();
    std::fs::create_dir_all(place.join("workspace")).unwrap();
    std::fs::write(place.join("files/a.txt"), "x").unwrap();
    let (place, mark) = (place.to_str().unwrap(), folder.path().join("mark"));
    let toml = json!({"toml": format!("[files]\npath = '{place}/files'\n")});
    let task = |assertion: Value| json!({"id": "t", "criteria": [{"id": "c", "assertion": assertion}]});
    let read = task(json!({"assert": "sftp-file-present", "path": "a.txt"}));
    let mut brings = read.clone();
    brings["sandbox"] = json!(place);
    let url = "http://127.0.0.1:1/";
    let held = json!({"files": {"a.txt": {"text": "x"}}});
    let mut refused = vec![
        json!({"task": read, "sandbox": place}),
        json!({"task": read, "sandbox": {"path": place}}),
        json!({"task": read, "sandbox": toml}),
        json!({"task": read, "sandbox": url}),
        json!({"task": read, "sandbox": held, "baseline": place}),
        json!({"task": brings}),
    ];
    for assertion in [
        json!({"assert": "tests-pass", "command": ["touch", mark]}),
        json!({"assert": "lint-passes", "command": ["touch", mark]}),
        json!({"assert": "code-compiles", "command": ["touch", mark]}),
        json!({"assert": "file-exists", "path": "a.txt"}),
        json!({"assert": "endpoint-responds", "url": url}),
        json!({"assert": "response-time", "url": url, "limit": "1s"}),
    ] {
        refused.push(json!({"task": task(assertion), "sandbox": held}));
    }
    service.operator("POST", "/tasks", read.clone()).expect(201);
    refused.push(json!({"task_id": "t", "sandbox": place}));
    for candor in &refused {
        for verb in ["seed_session", "verify"] {
            let error = post(&service, "", verb, None, &answered(&row(candor.clone()))).expect(403);
            assert_eq!(error["error"]["code"], "forbidden", "{candor}");
        }
    }
    assert!(!mark.exists());
    // An operator's key opens the rest, and parts need none.
    let reward = |key: &str, candor: &Value| {
        post(&service, key, "verify", None, &answered(&row(candor.clone()))).expect(200)["reward"].clone()
    };
    for candor in &refused[..3] {
        assert_eq!(reward(&service.key, candor), 1.0, "{candor}");
    }
    for candor in [json!({"task": read, "sandbox": held}), json!({"task_id": "t", "sandbox": held, "baseline": held})] {
        assert_eq!(reward("", &candor), 1.0, "{candor}");
    }
    // A stored task is an operator's, and so is its sandbox.
    service.operator("POST", "/tasks", brings).expect(200);
    let row = row(json!({"task_id": "t"}));
    let seeded = post(&service, "", "seed_session", None, &row);
    seeded.expect(200);
    let cookie = cookie_of(&seeded).unwrap();
    assert_eq!(post(&service, "", "verify", Some(&cookie), &answered(&row)).expect(200)["reward"], 1.0);
}

#[test]
fn without_a_key_it_is_open_on_this_machine_alone() {
    let folder = tempfile::tempdir().unwrap();
    let body = row(json!({"task": {"id": "t"}, "sandbox": {}}));
    let closed = Service::over(folder.path());
    assert_eq!(post(&closed, "", "verify", None, &body).status, 401);
    drop(closed);
    let service = Service::with(&json!({"data": folder.path(), "nemo_open": true}));
    assert_eq!(post(&service, "", "verify", None, &body).status, 200);
    assert_eq!(post(&service, "ck_none_none", "verify", None, &body).status, 401);
    assert_eq!(service.send("GET", "/benchmark-runs", "", None, &[]).status, 401);
    assert_eq!(service.send("POST", "/v1/grade", "", Some(("application/json", b"{}")), &[]).status, 401);
    // A name of another site that leads here.
    for (host, status) in
        [("evil.example", "403"), ("evil.example:80", "403"), ("localhost:1", "200"), ("[::1]:8080", "200")]
    {
        let mut stream = TcpStream::connect(service.url.trim_start_matches("http://")).unwrap();
        let head = format!("GET /nemo/reverify_mode HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{host}: {answer}");
    }
    // A proxy on this machine hands on what others ask.
    let body = body.to_string();
    for name in ["Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-FORWARDED-PROTO"] {
        let by = |key: &str| {
            let body = Some(("application/json", body.as_bytes()));
            service.send("POST", "/nemo/verify", key, body, &[(name, "10.0.0.1")]).status
        };
        assert_eq!((by(""), by(&service.key)), (403, 200), "{name}");
    }
    for (name, value) in [("listen", "0.0.0.0:0"), ("public_url", "https://candor.example.org")] {
        let mut settings = json!({"data": folder.path().join("far"), "nemo_open": true});
        settings[name] = json!(value);
        assert!(std::panic::catch_unwind(|| Service::with(&settings)).is_err(), "{name}: others are let in");
    }
}
