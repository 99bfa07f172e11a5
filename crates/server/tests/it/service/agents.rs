//! An agent that is driven by rules, knows its token and its prompt alone, and comes in five variants.

use std::path::Path;
use std::process::Command;

use candor_json::{Value, json};

use crate::service::support::{Service, Started, booking};

const FHIR: &str = "application/fhir+json";

fn fhir(service: &Service, at: &Started, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let body = body.map(|body| body.to_string());
    let reply = service.send(
        method,
        &format!("{}/fhir{path}", at.sandbox),
        &at.agent_token,
        body.as_ref().map(|body| (FHIR, body.as_bytes())),
        &[],
    );
    (reply.status, reply.json())
}

fn appointment(patient: &str) -> Value {
    json!({"resourceType": "Appointment", "status": "booked",
        "participant": [{"actor": {"reference": patient}, "status": "accepted"}]})
}

/// Creates what the prompt asks for.
fn creates(service: &Service, at: &Started) {
    assert_eq!(fhir(service, at, "POST", "/Appointment", Some(appointment("Patient/p1"))).0, 201);
}

/// Finds the proposal and books it.
fn updates(service: &Service, at: &Started) {
    let (status, found) = fhir(service, at, "GET", "/Appointment?patient=Patient/p1&status=proposed", None);
    assert_eq!((status, &found["total"]), (200, &json!(1)));
    let mut proposal = found["entry"][0]["resource"].clone();
    proposal["status"] = json!("booked");
    let (status, booked) = fhir(service, at, "PUT", "/Appointment/held", Some(proposal));
    assert_eq!((status, &booked["meta"]["versionId"]), (200, &json!("2")));
}

/// Does it in a transaction.
fn transacts(service: &Service, at: &Started) {
    let entry = json!({"fullUrl": "urn:uuid:1", "resource": appointment("Patient/p1"), "request": {"method": "POST", "url": "Appointment"}});
    let bundle = json!({"resourceType": "Bundle", "type": "transaction", "entry": [entry]});
    let (status, answer) = fhir(service, at, "POST", "", Some(bundle));
    assert_eq!((status, &answer["entry"][0]["response"]["status"]), (200, &json!("201")));
}

/// Takes the other patient of the same name.
fn mistakes_the_patient(service: &Service, at: &Started) {
    assert_eq!(fhir(service, at, "POST", "/Appointment", Some(appointment("Patient/p2"))).0, 201);
}

/// Tries again after an answer that it took for a failure: two appointments.
fn books_twice(service: &Service, at: &Started) {
    creates(service, at);
    creates(service, at);
}

#[test]
fn two_of_five_agents_make_mistakes_and_are_red() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    type Agent = fn(&Service, &Started);
    let agents: [(&str, Agent, bool); 5] = [
        ("creates", creates, true),
        ("updates", updates, true),
        ("transacts", transacts, true),
        ("mistakes the patient", mistakes_the_patient, false),
        ("books twice", books_twice, false),
    ];
    for (name, agent, is_right) in agents {
        let at = service.started(&booking(), true);
        agent(&service, &at);
        judged(&service, &at, name, is_right);
    }
}

fn judged(service: &Service, at: &Started, name: &str, is_right: bool) {
    let result = service.complete(at).expect(200);
    assert_eq!(result["verdict"] == "pass", is_right, "{name}: {result}");
    assert_eq!(result["criterion_runs"], json!([]), "{name}");
    let full = service.operator("GET", &format!("/task-runs/{}", at.id), None).expect(200);
    let evidence = full["criterion_runs"][0]["evidence"].to_string();
    if is_right {
        assert!(evidence.contains(&format!("\"written_by\":\"agent:{}\"", at.id)), "{name}: {evidence}");
    }
}

#[test]
fn agents_with_a_fhir_client_of_others_are_judged_alike() {
    let python = std::env::var_os("CANDOR_PEERS_PYTHON")
        .expect("`cargo xtask test` installs fhirpy and names its interpreter in CANDOR_PEERS_PYTHON");
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let agents = [
        ("creates", true),
        ("updates", true),
        ("transacts", true),
        ("mistakes_the_patient", false),
        ("books_twice", false),
    ];
    let started: Vec<Started> = agents.iter().map(|_| service.started(&booking(), true)).collect();
    let work = agents.iter().zip(&started).map(|((agent, _), at)| {
        json!({"agent": agent, "url": format!("{}{}/fhir", service.url, at.sandbox), "token": at.agent_token})
    });
    let work = Value::Array(work.collect()).to_string();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers/fhir_client.py");
    let output = Command::new(python).arg(script).arg(work).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for ((name, is_right), at) in agents.into_iter().zip(&started) {
        judged(&service, at, name, is_right);
    }
}

#[test]
fn the_fhir_endpoint_answers_as_the_standard_says() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::over(folder.path());
    let at = service.started(&booking(), true);
    let statement = fhir(&service, &at, "GET", "/metadata", None).1;
    assert_eq!(
        (&statement["resourceType"], &statement["fhirVersion"]),
        (&json!("CapabilityStatement"), &json!("4.0.1"))
    );
    for (method, path, body, status) in [
        ("GET", "/Patient/p1", None, 200),
        ("GET", "/Patient/none", None, 404),
        ("GET", "/Patiant/p1", None, 404),
        ("GET", "/Patient?famly=x", None, 400),
        ("GET", "/Patient?_include=Patient:organization", None, 400),
        ("POST", "/Patient", Some(json!({"resourceType": "Claim"})), 400),
        ("POST", "/Patient", Some(json!([])), 400),
        ("POST", "/Bundle", Some(json!({"resourceType": "Bundle", "type": "collection"})), 422),
        ("PUT", "/Patient/p1", Some(json!({"resourceType": "Patient", "id": "p2"})), 400),
        ("PUT", "/Patient/a%20b", Some(json!({"resourceType": "Patient", "id": "a b"})), 400),
        ("PATCH", "/Patient/p1", Some(json!([])), 405),
        ("POST", "", Some(json!({"resourceType": "Bundle", "type": "collection"})), 400),
    ] {
        let (found, answer) = fhir(&service, &at, method, path, body);
        assert_eq!(found, status, "{method} {path}: {answer}");
        assert!(status == 200 || answer["resourceType"] == "OperationOutcome", "{method} {path}: {answer}");
    }
    // Create, read, update, delete, and what is left of it.
    let observation = br#"{"resourceType": "Observation", "status": "final", "valueQuantity": {"value": 1.10}}"#;
    let made = service
        .send("POST", &format!("{}/fhir/Observation", at.sandbox), &at.agent_token, Some((FHIR, observation)), &[])
        .expect(201);
    let path = format!("/Observation/{}", made["id"].as_str().unwrap());
    assert!(made.to_string().contains("1.10"), "decimals keep their digits: {made}");
    let mut changed = made.clone();
    changed["status"] = json!("amended");
    assert_eq!(fhir(&service, &at, "PUT", &path, Some(changed)).0, 200);
    assert_eq!(fhir(&service, &at, "DELETE", &path, None).0, 204);
    assert_eq!(fhir(&service, &at, "DELETE", &path, None).0, 204);
    assert_eq!(fhir(&service, &at, "GET", &path, None).0, 410);
    let (_, history) = fhir(&service, &at, "GET", &format!("{path}/_history"), None);
    let methods: Vec<&Value> =
        history["entry"].as_array().unwrap().iter().map(|entry| &entry["request"]["method"]).collect();
    assert_eq!(methods, ["DELETE", "PUT", "POST"]);
    // Each version has the interaction that made it: an id of the client's own came with PUT.
    let named = json!({"resourceType": "Patient", "id": "own"});
    for (method, status) in [("PUT", 201), ("PUT", 200), ("DELETE", 204), ("PUT", 201)] {
        let body = (method == "PUT").then(|| named.clone());
        assert_eq!(fhir(&service, &at, method, "/Patient/own", body).0, status);
    }
    let entry = json!({"resource": {"resourceType": "Patient"}, "request": {"method": "POST", "url": "Patient"}});
    let bundle = json!({"resourceType": "Bundle", "type": "transaction", "entry": [entry]});
    let posted = fhir(&service, &at, "POST", "", Some(bundle)).1["entry"][0]["resource"]["id"].clone();
    let posted = format!("Patient/{}", posted.as_str().unwrap());
    for (name, expected) in [
        ("Patient/own", vec!["PUT 201", "DELETE 204", "PUT 200", "PUT 201"]),
        ("Patient/p2", vec!["PUT 201"]),
        (posted.as_str(), vec!["POST 201"]),
    ] {
        let history = fhir(&service, &at, "GET", &format!("/{name}/_history"), None).1;
        let entries = history["entry"].as_array().unwrap();
        let found = entries.iter().map(|entry| {
            let (method, status) = (&entry["request"]["method"], &entry["response"]["status"]);
            format!("{} {}", method.as_str().unwrap(), status.as_str().unwrap())
        });
        assert_eq!(found.collect::<Vec<_>>(), expected, "{name}");
    }
    assert_eq!(fhir(&service, &at, "DELETE", "/Patient/own", None).0, 204);
    // Another format than JSON is refused.
    for (query, accept, status) in [
        ("?_format=xml", "*/*", 406),
        ("?_format=application/fhir%2Bxml", "application/fhir+json", 406),
        ("?_format=json", "application/fhir+xml", 200),
        ("?_format=application/fhir+json", "*/*", 200),
        ("", "application/fhir+xml", 406),
        ("", "application/fhir+xml, application/fhir+json;q=0.5", 200),
        ("", "text/html, */*;q=0.1", 200),
    ] {
        let path = format!("{}/fhir/Patient/p1{query}", at.sandbox);
        let reply = service.send("GET", &path, &at.agent_token, None, &[("Accept", accept)]);
        assert_eq!(reply.status, status, "{query} {accept}: {}", reply.text());
        let kind = if status == 200 { "Patient" } else { "OperationOutcome" };
        assert_eq!(reply.json()["resourceType"], kind, "{query} {accept}");
    }
    assert_eq!(fhir(&service, &at, "GET", &format!("{path}/_history/1"), None).1["status"], "final");
    assert_eq!(fhir(&service, &at, "GET", &format!("{path}/_history/3"), None).0, 410);
    // A transaction is done as a whole or not at all.
    let entries = json!([
        {"resource": {"resourceType": "Patient", "id": "t1"}, "request": {"method": "PUT", "url": "Patient/t1"}},
        {"request": {"method": "GET", "url": "Patient/none"}},
    ]);
    let bundle = json!({"resourceType": "Bundle", "type": "transaction", "entry": entries});
    assert_eq!(fhir(&service, &at, "POST", "", Some(bundle.clone())).0, 404);
    assert_eq!(fhir(&service, &at, "GET", "/Patient/t1", None).0, 404);
    let mut bundle = bundle;
    bundle["type"] = json!("batch");
    let (status, answer) = fhir(&service, &at, "POST", "", Some(bundle));
    assert_eq!((status, &answer["entry"][1]["response"]["status"]), (200, &json!("404")));
    assert_eq!(fhir(&service, &at, "GET", "/Patient/t1", None).0, 200);
    // A write by search parameters is refused: without its condition it would change what it does not name.
    let rua = || json!({"resourceType": "Patient", "name": [{"family": "Rua"}]});
    let entry = json!({"resource": rua(), "request": {"method": "POST", "url": "Patient?family=Rua"}});
    let p1 = json!({"resourceType": "Patient", "id": "p1"});
    for (method, path, body) in [
        ("POST", "/Patient?family=Rua", Some(rua())),
        ("PUT", "/Patient/p1?family=Rua", Some(p1)),
        ("DELETE", "/Patient/p1?family=Rua", None),
        ("POST", "", Some(json!({"resourceType": "Bundle", "type": "transaction", "entry": [entry]}))),
    ] {
        let (status, answer) = fhir(&service, &at, method, path, body);
        assert_eq!((status, &answer["issue"][0]["diagnostics"]), (400, &json!("unsupported_condition")), "{path}");
    }
    assert_eq!(fhir(&service, &at, "GET", "/Patient/p1", None).1["meta"]["versionId"], "1");
    assert_eq!(fhir(&service, &at, "POST", "/Patient?_format=json", Some(json!({"resourceType": "Patient"}))).0, 201);
    // A conditional create finds what is there.
    let named = |family: &str| {
        let body = json!({"resourceType": "Patient", "name": [{"family": family}]}).to_string();
        let condition = format!("family={family}");
        let path = format!("{}/fhir/Patient", at.sandbox);
        service
            .send("POST", &path, &at.agent_token, Some((FHIR, body.as_bytes())), &[("If-None-Exist", &condition)])
            .status
    };
    assert_eq!([named("Rua"), named("Rua"), named("Ngata")], [201, 200, 412]);
    // If-Match.
    let body = json!({"resourceType": "Patient", "id": "p1"}).to_string();
    let stale = service.send(
        "PUT",
        &format!("{}/fhir/Patient/p1", at.sandbox),
        &at.agent_token,
        Some((FHIR, body.as_bytes())),
        &[("If-Match", "W/\"9\"")],
    );
    assert_eq!(stale.status, 412);
    // Pages.
    let (_, first) = fhir(&service, &at, "GET", "/Patient?_count=1&_sort=_id", None);
    assert_eq!(first["entry"].as_array().unwrap().len(), 1);
    let next = first["link"].as_array().unwrap().iter().find(|link| link["relation"] == "next").unwrap();
    let reply = service.send("GET", next["url"].as_str().unwrap(), &at.agent_token, None, &[]);
    assert_ne!(reply.json()["entry"][0]["resource"]["id"], first["entry"][0]["resource"]["id"]);
    let form = service.send(
        "POST",
        &format!("{}/fhir/Patient/_search", at.sandbox),
        &at.agent_token,
        Some(("application/x-www-form-urlencoded", b"family=ngata")),
        &[],
    );
    assert_eq!(form.expect(200)["total"], 2);
}
