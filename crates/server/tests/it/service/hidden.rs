//! A rubric full of markers that occur nowhere else: none is in anything that a run's or an agent's token is given, nor in
//! the log.

use candor_json::{Value, json};

use crate::service::support::{Reply, Service};

/// Asks a route with a body.
type Ask<'a> = dyn FnMut(&str, &str, Option<(&str, &[u8])>) + 'a;

const MARKER: &str = "zqxmarker";

/// A task whose rubric has a marker in every label, id, expected value, phrase, path and note.
fn marked() -> Value {
    let mark = |what: &str| format!("{MARKER}-{what}");
    json!({
        "id": "marked", "name": "Visible", "prompt": "Do it.", "agent_writes": ["orders"],
        "entities": {"e": {"mrn": mark("entity")}},
        "lint": {"ignore": [{"code": "weak", "because": mark("note")}]},
        "criteria": [
            {"id": mark("id-1"), "label": mark("label"), "assertion": {"assert": "portal-state-match",
                "correlate_by": {"resource": "orders", "key": "id", "value": "1"},
                "assertions": [{"path": "status", "expected": mark("expected")}, {"path": mark("path"), "expected": 1}]}},
            {"id": mark("id-2"), "assertion": {"assert": "voice-transcript", "contains": [mark("phrase")]}},
            {"id": mark("id-3"), "assertion": {"assert": "fhir-resource-state", "resource_type": "Patient",
                "search": {"family": mark("search")}, "fields": [{"path": "active", "expected": true}]}},
            {"id": mark("id-4"), "assertion": {"assert": "hl7-structural", "correlate_by": {"message_type": "ADT^A01"},
                "fields": [{"path": "PID.3.1", "expected": mark("pid")}]}},
            {"id": mark("id-5"), "assertion": {"assert": "sftp-file-present", "path": mark("*.json")}},
            {"id": mark("id-6"), "assertion": {"assert": mark("assert"), "x": mark("x")}},
            {"id": mark("id-7"), "assertion": {"assert": "x12-response", "transaction_set": mark("set")}},
        ],
    })
}

#[test]
fn no_marker_of_a_hidden_rubric_leaves_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let mut told: Vec<(String, Reply)> = Vec::new();
    let at = service.started(&marked(), true);
    assert!(!at.run.to_string().contains(MARKER), "{}", at.run);
    let run = at.run["benchmark_run_id"].as_str().unwrap().to_owned();
    let (run_token, agent_token) = (at.run_token.as_str(), at.agent_token.as_str());
    let sandbox = &at.sandbox;
    let mut ask = |method: &str, path: &str, body: Option<(&str, &[u8])>| {
        for token in [run_token, agent_token] {
            for accept in ["*/*", "text/html"] {
                let headers = [("X-Request-Id", "r1"), ("Accept", accept)];
                told.push((format!("{method} {path}"), service.send(method, path, token, body, &headers)));
            }
        }
    };
    let json = "application/json";
    let looks = |ask: &mut Ask<'_>| {
        for path in [
            format!("/v1/benchmark-runs/{run}"),
            format!("/v1/task-runs/{}", at.id),
            format!("/benchmark-runs/{run}"),
            format!("/benchmark-runs/{run}?format=ndjson"),
            format!("/benchmark-runs/{run}/shared"),
            "/benchmark-runs".to_owned(),
            format!("/task-runs/{}", at.id),
            format!("/criterion-runs?task_run_id={}", at.id),
            format!("/benchmark-runs/{run}/comparison?before={run}"),
            format!("/task-runs/{}/difference", at.id),
            format!("/task-runs/{}/audit", at.id),
            format!("/task-runs/{}/sandbox.tar", at.id),
            "/tasks/marked".to_owned(),
            "/benchmarks/of%20marked".to_owned(),
            "/metrics".to_owned(),
            "/api/health".to_owned(),
            "/api/health/deep".to_owned(),
            "/api/health/routes".to_owned(),
            "/openapi.json".to_owned(),
            format!("{sandbox}/portal/orders"),
            format!("{sandbox}/portal/other"),
            format!("{sandbox}/files/none"),
            format!("{sandbox}/fhir/metadata"),
            format!("{sandbox}/fhir/Patient"),
            format!("{sandbox}/fhir/Patient/none"),
        ] {
            ask("GET", &path, None);
        }
    };
    looks(&mut ask);
    ask("POST", &format!("{sandbox}/portal/orders"), Some((json, br#"{"id": "1", "status": "open"}"#)));
    ask(
        "POST",
        &format!("{sandbox}/hl7"),
        Some(("application/hl7-v2", b"MSH|^~\\&|A|B|C|D|1||ADT^A01|1|P|2.5\rPID|1||77\r")),
    );
    ask("PUT", &format!("{sandbox}/files/a.json"), Some((json, b"{}")));
    ask("POST", &format!("{sandbox}/voice/turns"), Some((json, br#"{"speaker": "agent", "text": "hello"}"#)));
    ask("POST", &format!("{sandbox}/x12"), Some(("application/edi-x12", b"ISA*broken")));
    ask("POST", &format!("{sandbox}/events"), Some((json, b"{}")));
    ask("POST", &format!("{sandbox}/fhir/Patient"), Some(("application/fhir+json", br#"{"resourceType": "Patient"}"#)));
    ask("POST", "/v1/grade", Some((json, b"{}")));
    let complete = format!("/v1/task-runs/{}/complete", at.id);
    ask("POST", &complete, Some((json, b"{}")));
    ask("POST", &complete, None);
    looks(&mut ask);
    assert!(told.len() > 90);
    for (what, reply) in &told {
        assert!(
            !reply.head.contains(MARKER) && !reply.text().contains(MARKER),
            "{what}: {}\n{}",
            reply.head,
            reply.text()
        );
    }
    let verdict =
        told.iter().rev().find(|(what, reply)| what.contains("/complete") && reply.status == 200).unwrap().1.json();
    assert_eq!((&verdict["verdict"], &verdict["criterion_runs"]), (&json!("fail"), &json!([])));
    let members: Vec<&str> = verdict.as_object().unwrap().keys().map(String::as_str).collect();
    let shown = "task_run_id task_id phase verdict score interval coverage conclusive axes scored task_file_wrong criterion_runs";
    assert_eq!(members.join(" "), shown);
    // The holder of an operator's key sees all of it; the log has neither the rubric nor a token.
    let full = service.operator("GET", &format!("/benchmark-runs/{run}"), None).expect(200).to_string();
    for what in ["id-1", "label", "expected", "phrase", "id-7"] {
        assert!(full.contains(&format!("{MARKER}-{what}")), "{what}");
    }
    let link = service.operator("POST", &format!("/benchmark-runs/{run}/share"), json!({})).expect(201);
    let link = link["url"].as_str().unwrap();
    for path in [link.to_owned(), format!("{link}&task_run={}", at.id), format!("{link}&text={MARKER}")] {
        for accept in ["*/*", "text/html"] {
            let shared = service.send("GET", &path, "", None, &[("Accept", accept)]);
            // What a reader filters by is theirs.
            let text = shared.text().replace(&format!("value=\"{MARKER}\""), "");
            assert!(shared.status == 200 && !text.contains(MARKER), "{path} {accept}: {text}");
        }
    }
    let log = service.log();
    assert!(log.lines().count() > 90);
    for secret in [MARKER, run_token, agent_token, service.key.as_str(), "hello"] {
        assert!(!log.contains(secret), "{secret}");
    }
    for line in log.lines() {
        assert!(candor_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}

#[test]
fn a_run_that_is_not_scored_shows_what_check_gives() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let at = service.started(&marked(), false);
    let result = service.complete(&at).expect(200);
    assert_eq!(result["criterion_runs"].as_array().unwrap().len(), 7);
    assert!(result.to_string().contains(MARKER));
}
