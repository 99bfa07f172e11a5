//! Sandboxes in memory mean the same as folders, and blocking calls work anywhere.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use std::collections::BTreeSet;

use candor::{Engine, Run, Sandbox, SandboxError, Status, Task, Verdict};
use candor_json::{Value, json};

fn task(assertions: &[Value]) -> Task {
    let criterion = |(index, assertion): (usize, &Value)| json!({"id": format!("c{index}"), "assertion": assertion});
    let criteria: Vec<Value> = assertions.iter().enumerate().map(criterion).collect();
    Task::from_value(json!({"id": "t", "criteria": criteria})).unwrap()
}

fn run(task: &Task, sandbox: &Sandbox) -> Run {
    candor::blocking::run(&Engine::standard(), task, sandbox).unwrap()
}

/// The task that every part of this file's sandboxes passes.
fn everything() -> Task {
    task(&[
        json!({"assert": "fhir-resource-state", "resource_type": "Patient", "count": 3}),
        json!({"assert": "hl7-structural", "correlate_by": {"message_type": "ADT^A01"}, "fields": [{"path": "PID.5.1", "expected": "Smith"}]}),
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "claims", "key": "id", "value": "1"}, "assertions": [{"path": "status", "expected": "paid"}]}),
        json!({"assert": "sftp-file-present", "path": "out/*.json", "fields": [{"path": "total", "expected": 120.5}]}),
        json!({"assert": "voice-transcript", "contains": ["member ID"]}),
        json!({"assert": "file-exists", "path": "README.md"}),
    ])
}

const MESSAGE: &str = "MSH|^~\\&|A|B|C|D|20261120||ADT^A01|1|P|2.5.1\rPID|1||77||Smith^John\r";
const CALL: &str = "Agent: May I have your member ID?\n";
const PATIENTS: [&str; 3] = [
    r#"{"resourceType":"Patient","id":"1"}"#,
    r#"{"resourceType":"Patient","id":"2"}"#,
    r#"{"resourceType":"Patient","id":"3"}"#,
];

fn in_memory() -> Sandbox {
    let value = |text: &str| candor_json::from_str::<Value>(text).unwrap();
    Sandbox::builder()
        .fhir(value(PATIENTS[0]))
        .fhir(vec![value(PATIENTS[1])])
        .fhir(format!("{}\n", PATIENTS[2]))
        .hl7("out.hl7", MESSAGE)
        .portal("claims", json!([{"id": "1", "status": "paid"}]))
        .file("out/1.json", b"{\"total\": 120.5}")
        .voice("call-1.txt", CALL)
        .with_file("workspace/README.md", "# Read me")
        .build()
        .unwrap()
}

/// A run's JSON without what differs from run to run.
fn comparable(run: &Run) -> Value {
    let mut json: Value = candor_json::from_str(&run.to_json()).unwrap();
    json["task_run_id"].take();
    for criterion in json["criterion_runs"].as_array_mut().unwrap() {
        for member in ["id", "task_run_id", "started_at", "completed_at"] {
            criterion[member].take();
        }
        if let Some(record) = criterion["evidence"].get_mut("evidence") {
            record["timestamp"].take();
        }
    }
    json
}

#[test]
fn memory_means_the_same_as_a_folder_with_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in [
        ("fhir/handed-in-000001.ndjson", format!("{}\n", PATIENTS[0])),
        ("fhir/handed-in-000002.ndjson", format!("{}\n", PATIENTS[1])),
        ("fhir/handed-in-000003.ndjson", format!("{}\n", PATIENTS[2])),
        ("hl7/out.hl7", MESSAGE.to_owned()),
        ("portal/claims.ndjson", "{\"id\":\"1\",\"status\":\"paid\"}\n".to_owned()),
        ("files/out/1.json", "{\"total\": 120.5}".to_owned()),
        ("voice/call-1.txt", CALL.to_owned()),
        ("workspace/README.md", "# Read me".to_owned()),
    ] {
        let file = folder.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
    let task = everything();
    let in_memory = run(&task, &in_memory());
    assert_eq!(in_memory.verdict(), Verdict::Pass, "{}", in_memory.to_json());
    let on_disk = run(&task, &Sandbox::open(folder.path()).unwrap());
    assert_eq!(comparable(&in_memory), comparable(&on_disk));
}

#[test]
fn a_file_more_makes_a_new_sandbox() {
    let paid = task(&[json!({"assert": "sftp-file-present", "path": "out/2.json"})]);
    let before = in_memory();
    let after = before.with_file("files/out/2.json", "{}");
    assert_eq!(run(&paid, &before).verdict(), Verdict::Fail);
    assert_eq!(run(&paid, &after).verdict(), Verdict::Pass);
    assert_eq!(run(&everything(), &after).verdict(), Verdict::Pass);
}

#[test]
fn nothing_and_missing_are_two_things() {
    let none = task(&[
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "claims", "key": "id", "value": "1"}, "count": 0}),
    ]);
    let status = |sandbox: Sandbox| run(&none, &sandbox).criterion_run("c0").unwrap().status();
    assert_eq!(status(Sandbox::builder().portal("claims", Vec::<Value>::new()).build().unwrap()), Status::Passed);
    assert_eq!(status(Sandbox::builder().build().unwrap()), Status::Unverifiable);
}

#[test]
fn names_that_cannot_be_are_refused_in_a_sentence() {
    let message = |result: Result<Sandbox, SandboxError>| result.unwrap_err().to_string();
    let rows = || json!([]);
    let twice = Sandbox::builder().portal("claims", rows()).portal("claims", rows());
    assert_eq!(message(twice.build()), "`claims` was given twice; give all rows of a resource at once");
    for resource in ["", "a/b", "..\\b"] {
        assert!(message(Sandbox::builder().portal(resource, rows()).build()).contains("is not a resource"));
    }
    assert!(message(Sandbox::builder().hl7("", "").build()).contains("without a name"));
    assert!(message(Sandbox::builder().file("../../etc/passwd", "").build()).contains("../../etc/passwd"));
    let settings = Sandbox::builder().with_file("sandbox.toml", "environment = \"production\"");
    assert!(message(settings.build()).contains("give its text as the settings"));
    assert!(message(Sandbox::builder().settings("[limit]\n").build()).contains("did you mean [limits]?"));
}

#[test]
fn results_are_what_the_command_line_writes() {
    let run = run(&everything(), &in_memory());
    let json: Value = candor_json::from_str(&run.to_json()).unwrap();
    assert_eq!(json, candor_json::to_value(&run).unwrap());
    assert_eq!(json["verdict"], "pass");
    assert_eq!((run.score().to_f64(), run.coverage().to_f64(), run.is_conclusive()), (1.0, 1.0, true));
    let ids: BTreeSet<&str> = run.criterion_runs().map(|criterion| criterion.criterion_id()).collect();
    assert_eq!(ids.len(), 6);
    for (criterion, json) in run.criterion_runs().zip(json["criterion_runs"].as_array().unwrap()) {
        assert_eq!(criterion.evidence(), json["evidence"]);
        assert_eq!(
            (criterion.details(), criterion.id()),
            (json["details"].as_str().unwrap(), json["id"].as_str().unwrap())
        );
        assert!(criterion.started_at() <= criterion.completed_at());
    }
}

#[test]
fn one_wrong_field_of_four_is_a_criterion_not_met() {
    let graded = |criterion: Value, pass: Value| {
        let mut dose = json!({
            "id": "mg-dose",
            "assertion": {
                "assert": "portal-state-match",
                "correlate_by": {"resource": "orders", "key": "id", "value": 7},
                "assertions": [
                    {"path": "drug", "expected": "Cefazolin"}, {"path": "route", "expected": "IV"},
                    {"path": "unit", "expected": "g"}, {"path": "value", "expected": 2},
                ],
            },
        });
        dose.as_object_mut().unwrap().extend(criterion.as_object().unwrap().clone());
        let there = json!({"id": "there", "weight": 9, "assertion": {
            "assert": "portal-state-match", "correlate_by": {"resource": "orders", "key": "id", "value": 7},
        }});
        let task = Task::from_value(json!({"id": "order", "pass": pass, "criteria": [there, dose]})).unwrap();
        let rows = json!([{"id": 7, "drug": "Cefazolin", "route": "IV", "unit": "g", "value": 20}]);
        run(&task, &Sandbox::builder().portal("orders", rows).build().unwrap())
    };
    let of = |run: &Run| {
        let dose = run.criterion_run("mg-dose").unwrap();
        (dose.score().to_f64(), dose.share().to_f64(), run.verdict(), run.passed_with_failures().to_vec())
    };
    let named = vec!["mg-dose".to_owned()];
    let whole = graded(json!({}), json!(0.9));
    assert_eq!(of(&whole), (0.0, 0.75, Verdict::Pass, named.clone()));
    assert_eq!(of(&graded(json!({"partial_credit": true}), json!(0.97))), (0.75, 0.75, Verdict::Pass, named));
    let all = graded(json!({}), json!("all"));
    assert_eq!(of(&all), (0.0, 0.75, Verdict::Partial, Vec::new()));
    let json: Value = candor_json::from_str(&all.to_json()).unwrap();
    assert_eq!((&json["pass"], &json["criterion_runs"][0]["task_pass"]), (&json!("all"), &json!("all")));
    assert!(whole.to_json().contains(r#""score":0.0,"share":0.75,"reason":"field_mismatch""#), "{}", whole.to_json());
}

#[test]
fn a_task_of_a_program_looks_for_no_files() {
    // There is a Cargo.toml in the working folder of this test.
    let named = task(&[json!({"assert": "hl7-structural", "profile": "Cargo.toml"})]);
    let run = run(&named, &in_memory());
    let criterion = run.criterion_run("c0").unwrap();
    assert_eq!(criterion.reason(), Some("invalid_assertion"));
    assert!(criterion.details().contains("put the content of the file into `profile`"), "{}", criterion.details());
}

#[tokio::test]
async fn async_and_blocking_calls_agree_also_within_a_runtime() {
    let (task, sandbox) = (everything(), in_memory());
    let asynchronous = Engine::standard().run(&task, &sandbox).await;
    assert_eq!(comparable(&asynchronous), comparable(&run(&task, &sandbox)));
}
