//! `explain`: facts and elements, Bundles and lines, limits, and any bytes.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use candor_check::explain::{Explained, Form};
use candor_fhir_resource_state::explain::explain;
use candor_json::{Value, json};
use proptest::prelude::*;

fn written(input: &[u8], form: Form) -> (String, Explained) {
    let mut out = Vec::new();
    let explained = explain(input, form, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), explained)
}

fn text(input: &str) -> String {
    written(input.as_bytes(), Form::Text).0
}

#[test]
fn facts_come_first_and_then_each_element() {
    let shown = text(
        &json!({
            "resourceType": "Observation", "id": "656", "status": "final",
            "code": {"coding": [{"system": "http://loinc.org", "code": "718-7", "display": "Hemoglobin"}]},
            "subject": {"reference": "Patient/1", "display": "Ann"},
            "effectivePeriod": {"start": "2026-11-20"},
            "valueQuantity": {"value": 7.20, "unit": "g/dL"},
            "component": [],
        })
        .to_string(),
    );
    let expected = "Observation/656\n  = status: final\n  = subject: Patient/1 (Ann)\n  = effectivePeriod: 2026-11-20 to ?\n  \
        = code: Hemoglobin (http://loinc.org 718-7)\n  = valueQuantity: 7.2 g/dL\n  id: 656\n  status: final\n  \
        code.coding.0.system: http://loinc.org\n  code.coding.0.code: 718-7\n  code.coding.0.display: Hemoglobin\n  \
        subject.reference: Patient/1\n  subject.display: Ann\n  effectivePeriod.start: 2026-11-20\n  \
        valueQuantity.value: 7.2\n  valueQuantity.unit: g/dL\n  component: []\n";
    assert_eq!(shown, expected);
    let shown = text(r#"{"resourceType": "Appointment", "participant": [{"actor": {"reference": "Patient/1"}}]}"#);
    assert!(shown.starts_with("Appointment without an id\n  = participant: Patient/1\n"), "{shown}");
}

#[test]
fn the_resources_of_a_bundle_follow_it() {
    let bundle = json!({
        "resourceType": "Bundle", "type": "searchset",
        "entry": [{"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient", "id": "1"}}],
    });
    let expected = "Bundle without an id\n  = type: searchset\n  type: searchset\n  entry.0.fullUrl: urn:uuid:1\n  \
        entry.0.resource: Patient/1\n    id: 1\n";
    assert_eq!(text(&bundle.to_string()), expected);
    let (json, _) = written(bundle.to_string().as_bytes(), Form::Json);
    let all: Value = candor_json::from_str(&json).unwrap();
    assert_eq!((&all[1]["place"], &all[1]["resourceType"]), (&json!("entry.0.resource"), &json!("Patient")));
}

#[test]
fn lines_and_arrays_are_read_one_by_one() {
    let one = r#"{"resourceType": "Patient", "id": "1"}"#;
    let (shown, explained) = written(format!("\u{feff}{one}\n\n{{\"a\": \n{one}\n").as_bytes(), Form::Text);
    assert_eq!(explained, Explained { any: true, findings: 1 });
    assert!(shown.starts_with("line 1: Patient/1\n  id: 1\n! not JSON: "), "{shown}");
    assert!(shown.ends_with("line 4: Patient/1\n  id: 1\n"), "{shown}");
    let shown = text(&format!("[{one}, 5]"));
    assert_eq!(shown, "item 0: Patient/1\n  id: 1\n! item 1 has no resourceType, so it is not a FHIR resource\n");
    assert_eq!(written(b" \n", Form::Json), ("[]\n".to_owned(), Explained { any: false, findings: 0 }));
}

#[test]
fn limits_are_said_and_control_characters_are_not_passed_on() {
    let deep = format!("{}1{}", "{\"a\":".repeat(60), "}".repeat(60));
    let shown = text(&format!("{{\"resourceType\": \"Basic\", \"id\": \"b\", \"code\": {deep}}}"));
    assert!(shown.ends_with("  1 element is not shown, because it is deeper than 32 levels.\n"), "{shown}");
    let shown = text(&json!({"resourceType": "Basic", "list": vec![0; 30_000]}).to_string());
    assert!(shown.ends_with("  Only the first 20000 elements are shown.\n"));
    let shown = text(&json!({"resourceType": "Basic", "id": "\u{1b}[2J\n", "x\ny": "z".repeat(400)}).to_string());
    assert!(shown.starts_with("Basic/\u{fffd}[2J\u{fffd}\n"), "{shown}");
    assert!(shown.contains("  x\u{fffd}y: zz") && shown.ends_with("z… (400 characters)\n"), "{shown}");
}

#[test]
fn real_resources_are_explained() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fhir-r4-official");
    let mut explained = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "json") {
            let (_, outcome) = written(&std::fs::read(&file).unwrap(), Form::Text);
            assert_eq!(outcome, Explained { any: true, findings: 0 }, "{}", file.display());
            explained += 1;
        }
    }
    assert!(explained > 80, "{explained}");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), json in "[\\[\\]{}\":,a-c0-9\n ]{0,80}") {
        let resource = format!("{{\"resourceType\": \"Bundle\", \"entry\": [{{\"resource\": {json}}}]}}");
        for input in [bytes.as_slice(), json.as_bytes(), resource.as_bytes()] {
            let (shown, explained) = written(input, Form::Text);
            prop_assert_eq!(explained.any, !shown.is_empty());
            let (list, same) = written(input, Form::Json);
            prop_assert_eq!(explained, same);
            prop_assert!(candor_json::from_str::<Value>(&list).is_ok_and(|list| list.is_array()));
        }
    }
}
