//! The OpenAPI document against a service that runs: requests by the document and against it, made up by schemathesis.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    dead_code,
    reason = "a test that meets something else fails, and shares helpers with others"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::service::support::{Service, booking};
use candor_json::{Value, json};
use candor_test_size::pick;

/// The settings of schemathesis: records that there are, so that requests reach more than a 404.
fn settings(service: &Service) -> String {
    let (done, open) = (service.started(&booking(), false), service.started(&booking(), false));
    let visit = json!({"resourceType": "Appointment", "id": "held", "status": "booked",
        "participant": [{"actor": {"reference": "Patient/p2"}, "status": "accepted"}]});
    let body = visit.to_string();
    let path = format!("{}/fhir/Appointment/held", done.sandbox);
    service.send("PUT", &path, &done.agent_token, Some(("application/fhir+json", body.as_bytes())), &[]).expect(200);
    service.complete(&done).expect(200);
    let full = service.operator("GET", &format!("/task-runs/{}", done.id), None).expect(200);
    let run = |at: &crate::service::support::Started| at.run["benchmark_run_id"].clone();
    let sandbox = json!(open.sandbox.rsplit('/').next());
    let operations: [(&str, &[(&str, Value)]); 8] = [
        (
            "^/v1/sandboxes/",
            &[
                ("path.id", sandbox),
                ("path.type", json!("Patient")),
                ("path.rid", json!("p1")),
                ("path.vid", json!("1")),
                ("path.table", json!("orders")),
            ],
        ),
        (
            r"^/benchmark-runs/\{id\}/(share|shared|comparison)",
            &[("path.id", run(&done)), ("query.before", run(&open))],
        ),
        (r"^/v1/benchmark-runs/\{id\}", &[("path.id", run(&done))]),
        (r"^(/v1)?/task-runs/\{id\}", &[("path.id", json!(done.id))]),
        (r"^/criterion-runs$", &[("query.task_run_id", json!(done.id))]),
        (r"^/criterion-runs/\{id\}", &[("path.id", full["criterion_runs"][0]["id"].clone())]),
        (r"^/tasks/\{id\}", &[("path.id", json!("book"))]),
        (r"^/benchmarks/\{id\}", &[("path.id", json!("of book"))]),
    ];
    let mut text = String::new();
    // A value of the right shape may still be refused: a cursor that the service never gave, a task with two criteria
    // of one id.
    text.push_str("[checks.positive_data_acceptance]\n");
    text.push_str("expected-statuses = [\"2xx\", \"3xx\", 400, 401, 403, 404, 409, 410, 412, 413, 422, 429]\n\n");
    for (pattern, parameters) in operations {
        let pairs: Vec<String> = parameters.iter().map(|(name, value)| format!("\"{name}\" = {value}")).collect();
        text.push_str(&format!(
            "[[operations]]\ninclude-path-regex = {}\nparameters = {{ {} }}\n\n",
            json!(pattern),
            pairs.join(", ")
        ));
    }
    text
}

#[test]
fn requests_by_the_document_are_answered_by_the_document() {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs schemathesis and names its interpreter in CANDOR_PEERS_PYTHON");
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(&folder.path().join("data"));
    std::fs::write(folder.path().join("schemathesis.toml"), settings(&service)).unwrap();
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers").canonicalize().unwrap();
    // One worker: CPython 3.11 parses from several threads at once with a wrong depth of recursion.
    let output = Command::new(python)
        .args(["-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"])
        .arg(format!("{}/openapi.json", service.url))
        .args(["-H", &format!("Authorization: Bearer {}", service.key)])
        .args(["--phases", "examples,coverage,fuzzing", "--workers", "1", "--continue-on-failure", "--no-shrink"])
        .args(["--seed", "1", "--max-examples", pick("1", "100")])
        // With a time it repeats its phases until the time is over.
        .args(pick::<&[&str]>(&[], &["--max-time", "600"]))
        .args(["--suppress-health-check", "all", "--output-truncate", "false"])
        .current_dir(folder.path())
        .env("SCHEMATHESIS_HOOKS", "service_hooks")
        .env("PYTHONPATH", peers)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{problems}");
    // A summary of nothing would be green, too.
    let number = |what: &str| {
        let line = said.lines().find_map(|line| line.trim().strip_prefix(what));
        line.and_then(|line| line.trim().split('/').next()?.parse::<usize>().ok())
    };
    assert!(number("Tested:").is_some_and(|tested| tested > 45), "{said}");
    assert_eq!(number("Tested:"), number("Selected:"), "{said}");
    let log = service.log();
    assert!(!log.contains("\"level\":\"ERROR\""), "{log}");
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(&folder.path().join("data"));
    let document = service.operator("GET", "/openapi.json", None).expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let mut listed = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            listed.insert(format!("{} {path}", method.to_uppercase()));
            assert!(ids.insert(operation["operationId"].to_string()), "{operation}");
            let named: BTreeSet<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|one| one["in"] == "path")
                .map(|one| one["name"].as_str().unwrap())
                .collect();
            assert_eq!(named.len(), path.matches('{').count(), "{path}");
            assert!(operation["responses"].as_object().is_some_and(|responses| responses.len() > 5), "{path}");
        }
    }
    let table = service.operator("GET", "/api/health/routes", None).expect(200);
    let table = table["data"].as_array().unwrap();
    let text = |route: &Value, member: &str| route[member].as_str().unwrap().replace("{*path}", "{path}");
    let routes: BTreeSet<String> =
        table.iter().map(|route| format!("{} {}", text(route, "method"), text(route, "path"))).collect();
    assert_eq!(listed, routes);
    assert_eq!(routes.len(), table.len());
    assert!(document["components"]["securitySchemes"]["token"] != Value::Null);
}
