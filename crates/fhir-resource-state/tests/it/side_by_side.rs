//! Files that several threads read give the evidence that one thread gives.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use std::time::SystemTime;

use candor_check::Sandbox;
use candor_check::work::{Budget, Work};
use candor_check_testkit::answered_alike;
use candor_fhir_resource_state::{CHECK, PART};
use candor_json::{Value, json};

/// Thirty files of 50 KB: lines, arrays, and Bundles that name their resources. Some are broken, one is larger than may be
/// read, and the last ones are beyond what may be read of all.
fn sandbox(threads: usize) -> Sandbox {
    let long = "x".repeat(50_000);
    let mut builder = Sandbox::builder().settings("[limits]\nmax_bytes = \"60KB\"\nmax_total_bytes = \"1400KB\"\n");
    for at in 0..30_usize {
        let task = |id: &str| json!({"resourceType": "Task", "id": format!("{id}{at}"), "status": "ready", "description": long});
        let again =
            json!({"resourceType": "Task", "id": "same", "status": "ready", "meta": {"versionId": at.to_string()}});
        let of_bundle = || {
            let mut task = task("b");
            if let Some(members) = task.as_object_mut() {
                members.insert("for".to_owned(), json!({"reference": "urn:uuid:1"}));
            }
            let patient = json!({"resourceType": "Patient", "name": [{"family": format!("Roe{at}")}]});
            json!({"resourceType": "Bundle", "type": "transaction", "entry": [
                {"fullUrl": "urn:uuid:1", "resource": patient, "request": {"method": "POST", "url": "Patient"}},
                {"fullUrl": "urn:uuid:2", "resource": task, "request": {"method": "PUT", "url": format!("Task/b{at}")}},
                {"request": {"method": "DELETE", "url": format!("Task/a{}", at.saturating_sub(7))}},
            ]})
        };
        let (name, text) = match at % 6 {
            0 => ("ndjson", format!("{}\n{again}\n", task("a"))),
            1 => ("json", of_bundle().to_string()),
            2 if at == 8 => ("json", format!("{}{}", task("c"), " ".repeat(20_000))),
            2 => ("json", task("c").to_string()),
            3 => (
                "json",
                json!([task("d"), {"resourceType": "Task", "id": format!("e{at}"), "status": "draft"}]).to_string(),
            ),
            4 => ("ndjson", format!("{}\n{{\"resourceType\": \"Task\", \"id\": \"same\", \"sta", task("f"))),
            _ if at == 23 => ("json", task("g").to_string().replace('}', "")),
            _ => ("json", task("g").to_string()),
        };
        builder = builder.file(format!("fhir/{at:02}.{name}"), text.into_bytes());
    }
    let work = Work::new(Budget { threads, ..Budget::default() }).at(SystemTime::UNIX_EPOCH);
    builder.build(&[PART]).unwrap().with_work(work)
}

#[test]
fn evidence_is_the_same_with_one_thread_and_with_four() {
    // A file that is not read may hold a later version of any resource. Resources that are there and must not be fail,
    // and show their fields.
    let criterion = |resource_type: &str, name: &str, value: &str, path: &str, expected: &str| {
        json!({
            "assert": "fhir-resource-state", "resource_type": resource_type, "search": {name: value}, "count": 0,
            "fields": [{"path": path, "expected": expected}],
        })
    };
    let criteria = [
        criterion("Task", "_id", "a6", "status", "ready"),
        criterion("Task", "_id", "g5", "status", "draft"),
        criterion("Task", "_id", "same", "meta.versionId", "24"),
        criterion("Task", "patient.family", "Roe7", "status", "ready"),
        criterion("Patient", "family", "Roe7", "name.0.family", "Roe7"),
    ];
    let shown = |threads: usize| -> Vec<(Value, String)> {
        let answers = answered_alike(CHECK, &sandbox(threads), &criteria);
        answers.iter().map(|one| (one.to_value(CHECK.meta().evidence_key), one.details().to_owned())).collect()
    };
    let (one, four) = (shown(1), shown(4));
    assert_eq!(one, four);
    let all = format!("{one:?}");
    for expected in ["larger than 60000 bytes", "limit max_total_bytes", "fhir/23.json", "sha256", "Roe7"] {
        assert!(all.contains(expected), "{expected} in {all:.3000}");
    }
}
