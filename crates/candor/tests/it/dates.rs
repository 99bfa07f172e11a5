//! `zone` and `undecidable` of a task file: in which zone days are days, and who answers for what is written vaguely.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]

use candor::{Engine, Sandbox, Task};
use candor_json::{Map, Value, json};

/// 20 November, a quarter past eleven in the evening, in New York.
const AT: &str = "2026-11-21T04:15:00Z";

fn sandbox() -> Sandbox {
    let x12 = "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*000000001*0*P*:~GS*HB*PAYER*PROVIDER*20261120*1200*1*X*005010X279A1~ST*271*0001*005010X279A1~BHT*0022*11*REQ-1*20261120*0915~HL*1**20*1~NM1*PR*2*ACME*****PI*A1~DTP*346*D8*20260101~SE*6*0001~GE*1*1~IEA*1*000000001~";
    Sandbox::builder()
        .fhir(json!({"resourceType": "Procedure", "id": "p", "status": "completed", "performedDateTime": AT}))
        .fhir(json!({"resourceType": "Condition", "id": "c", "onsetDateTime": "2026", "subject": {"reference": "Patient/1"}}))
        .fhir(json!({"resourceType": "Observation", "id": "o", "status": "final", "valueQuantity": {"value": 5}}))
        .fhir(json!({"resourceType": "Encounter", "id": "e", "period": {"start": "2026-11-20T10:00:00"}}))
        .hl7("a.hl7", "MSH|^~\\&|A|B|C|D|20261121041500+0000||ADT^A01|1|P|2.5.1\rPID|1||77||Smith^John\r")
        .portal("visits", json!([{"id": "1", "at": AT}]))
        .file("out/a.json", format!("{{\"at\": \"{AT}\"}}").as_bytes())
        .with_file("x12/a.x12", x12)
        .build()
        .unwrap()
}

fn assertions() -> Vec<Value> {
    let date = |path: &str| json!([{"path": path, "expected": "2026-11-20", "as": "date"}]);
    vec![
        json!({"assert": "fhir-resource-state", "resource_type": "Procedure", "fields": [{"path": "performedDateTime", "expected": "2026-11-20"}]}),
        json!({"assert": "hl7-structural", "fields": date("MSH.7")}),
        json!({"assert": "hl7-structural", "correlate_by": {"until": "2026-11-20"}, "count": 1}),
        json!({"assert": "portal-state-match", "correlate_by": {"resource": "visits"}, "assertions": date("at")}),
        json!({"assert": "sftp-file-present", "path": "out/*", "fields": date("at")}),
    ]
}

/// Status and reason of each assertion under these members of the task and of each criterion.
fn outcomes(task: &Value, criterion: &Value, assertions: &[Value]) -> Vec<(String, Option<String>)> {
    let with = |members: &Value, more: Value| {
        let mut all: Map<String, Value> = members.as_object().unwrap().clone();
        all.extend(more.as_object().unwrap().clone());
        Value::Object(all)
    };
    let criteria = assertions.iter().enumerate();
    let criteria: Vec<Value> = criteria
        .map(|(at, assertion)| with(criterion, json!({"id": format!("c{at}"), "assertion": assertion})))
        .collect();
    let task = Task::from_value(with(task, json!({"id": "t", "criteria": criteria}))).unwrap();
    let run = candor::blocking::run(&Engine::standard(), &task, &sandbox()).unwrap();
    let run: Value = candor_json::from_str(&run.to_json()).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let criteria = run["criterion_runs"].as_array().unwrap();
    criteria.iter().map(|run| (text(&run["status"]).unwrap(), text(&run["reason"]))).collect()
}

fn all(status: &str, reason: Option<&str>) -> Vec<(String, Option<String>)> {
    vec![(status.to_owned(), reason.map(str::to_owned)); assertions().len()]
}

#[test]
fn the_zone_of_task_and_criterion_reaches_every_check() {
    let (none, new_york, berlin) = (json!({}), json!({"zone": "America/New_York"}), json!({"zone": "Europe/Berlin"}));
    assert_eq!(outcomes(&none, &none, &assertions()), all("unverifiable", Some("undecidable")));
    assert_eq!(outcomes(&new_york, &none, &assertions()), all("passed", None));
    assert_eq!(outcomes(&none, &new_york, &assertions()), all("passed", None));
    // The criterion's comes before the task's.
    assert_eq!(outcomes(&berlin, &new_york, &assertions()), all("passed", None));
    let failed = outcomes(&new_york, &berlin, &assertions());
    assert!(failed.iter().all(|(status, _)| status == "failed"), "{failed:?}");
}

#[test]
fn the_zone_of_a_field_comes_first() {
    let field = json!({"path": "performedDateTime", "expected": "2026-11-20", "zone": "America/New_York"});
    let assertion = json!({"assert": "fhir-resource-state", "resource_type": "Procedure", "fields": [field]});
    let outcome = outcomes(&json!({"zone": "Asia/Tokyo"}), &json!({"zone": "Europe/Berlin"}), &[assertion]);
    assert_eq!(outcome, [("passed".to_owned(), None)]);
}

#[test]
fn vague_work_fails_where_the_author_says_so() {
    let of =
        |kind: &str, field: Value| json!({"assert": "fhir-resource-state", "resource_type": kind, "fields": [field]});
    let day = json!({"path": "onsetDateTime", "expected": "2026-05-04"});
    let dose = json!({"path": "valueQuantity", "expected": {"value": 5, "unit": "mg"}});
    let local = json!({"path": "period.start", "expected": "2026-11-20T10:00:00Z"});
    let vague = [
        of("Condition", day.clone()),
        of("Observation", dose),
        of("Encounter", local),
        json!({"assert": "x12-response", "fields": [{"path": "DTP.3", "expected": "2026-01-01T09:00", "as": "date"}]}),
    ];
    let one = |status: &str, reason: &str| (status.to_owned(), Some(reason.to_owned()));
    let (fail, default) = (json!({"undecidable": "fail"}), json!({"undecidable": "unverifiable"}));
    assert_eq!(outcomes(&json!({}), &fail, &vague), vec![one("failed", "field_mismatch"); 4]);
    assert_eq!(outcomes(&json!({}), &default, &vague), vec![one("unverifiable", "undecidable"); 4]);
    assert_eq!(outcomes(&json!({}), &json!({}), &vague), vec![one("unverifiable", "undecidable"); 4]);
    // UTC is not vague: a zone would decide. Nor is a source that is missing.
    assert_eq!(outcomes(&json!({}), &fail, &assertions()), all("unverifiable", Some("undecidable")));
    let call = json!({"assert": "voice-transcript", "contains": ["member ID"]});
    assert_eq!(outcomes(&json!({}), &fail, &[call]), [one("unverifiable", "no_source")]);
    // Nothing passes on a guess, and `fail` changes no pass.
    let mut either = of("Condition", day);
    either["fields"][0]["op"] = json!("notEquals");
    assert_eq!(outcomes(&json!({}), &fail, &[either]), [one("failed", "field_mismatch")]);
}

#[test]
fn a_wrong_zone_is_an_error_of_the_task_file() {
    let criterion = json!({"id": "c", "assertion": assertions()[0]});
    let error = |task: Value| Task::from_value(task).unwrap_err().to_string();
    let task = error(json!({"id": "t", "zone": "America/NewYork", "criteria": [criterion]}));
    assert!(task.contains("`America/NewYork` is not a zone; did you mean `America/New_York`?"), "{task}");
    let mut criterion = criterion;
    criterion["zone"] = json!(-5);
    let number = error(json!({"id": "t", "criteria": [criterion]}));
    assert!(number.contains("`zone` is -5; expected a text"), "{number}");
    criterion["zone"] = json!("UTC");
    criterion["undecidable"] = json!("failed");
    let undecidable = error(json!({"id": "t", "criteria": [criterion]}));
    assert!(undecidable.contains("`undecidable` is `failed`; expected `fail` or `unverifiable`"), "{undecidable}");
}
