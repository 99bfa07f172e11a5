//! The body of the fuzz target of item groups: any list of fields over any content, in every check that has items.

use candor_check::{Sandbox, Status};
use candor_json::{Value, json};

/// Where the content lies, and the assertion that reads it, without its fields.
fn check(kind: u8) -> (&'static str, Value, &'static str) {
    let file = |name: &str| json!({"assert": "sftp-file-present", "path": name});
    match kind % 9 {
        0 => ("fhir/a.json", json!({"assert": "fhir-resource-state", "resource_type": "MedicationRequest"}), "fields"),
        1 => ("hl7/a.hl7", json!({"assert": "hl7-structural"}), "fields"),
        2 => ("x12/a.x12", json!({"assert": "x12-response"}), "fields"),
        3 => {
            ("portal/r.json", json!({"assert": "portal-state-match", "correlate_by": {"resource": "r"}}), "assertions")
        }
        4 => ("files/a.json", file("a.json"), "fields"),
        5 => ("files/a.csv", file("a.csv"), "fields"),
        6 => ("files/a.xml", file("a.xml"), "fields"),
        7 => ("files/a.hl7", file("a.hl7"), "fields"),
        _ => ("files/a.x12", file("a.x12"), "fields"),
    }
}

/// A byte that chooses the check, a list of fields as JSON up to a NUL, and any bytes as what is read. A criterion that is
/// not invalid ends in an outcome with details, and a pass quotes what was seen.
///
/// # Panics
/// When it does not.
pub fn items(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let Some(at) = rest.iter().position(|&byte| byte == 0) else { return };
    let Ok(fields @ Value::Array(_)) = candor_json::from_slice::<Value>(&rest[..at]) else { return };
    let content = &rest[at + 1..];
    let (file, mut assertion, member) = check(*kind);
    assertion[member] = fields;
    let name = assertion["assert"].clone();
    let check = candor_checks::ALL.iter().find(|check| check.meta().assert == name).expect("a check");
    let sandbox = Sandbox::builder().file(file, content.to_vec()).build(candor_checks::PARTS).expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let evidence = runtime.block_on(check.run(assertion, &sandbox));
    assert!(!evidence.details().is_empty());
    let quoted = evidence.to_value("results")["results"].as_array().is_some_and(|results| !results.is_empty());
    assert!(evidence.status() != Status::Passed || quoted, "a pass quotes what was seen");
}
