//! What item groups cost: one FHIR criterion over 5,000 orders, its dosage as plain fields and as groups.
//!
//! `cargo bench -p candor-benches --bench items`. A check is what a criterion takes from an open sandbox: observing and
//! judging, by the clock; the first one reads the folder and is not counted.

use std::time::{Duration, Instant};

use candor_check::{Sandbox, Status};
use candor_fhir_resource_state::CHECK;
use serde_json::{Value, json};

const ORDERS: usize = 5_000;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("fhir")).expect("a folder");
    let lines: String = (0..ORDERS).map(|number| format!("{}\n", order(number))).collect();
    std::fs::write(folder.path().join("fhir/orders.ndjson"), lines).expect("a file");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let sandbox = Sandbox::open(folder.path(), &[candor_fhir_resource_state::PART]).expect("a sandbox");
    let rate = |path: &str, expected: Value| json!({"path": path, "expected": expected});
    let plain = json!([
        rate("dosageInstruction.route.text", json!("IV")),
        rate("dosageInstruction.doseAndRate.doseQuantity.value", json!(2)),
        rate("dosageInstruction.doseAndRate.doseQuantity.unit", json!("g")),
    ]);
    let dose = json!([rate("doseQuantity.value", json!(2)), rate("doseQuantity.unit", json!("g"))]);
    let group = json!([{"item": "dosageInstruction", "fields": [
        rate("route.text", json!("IV")), {"item": "doseAndRate", "fields": dose},
    ]}]);
    for (name, fields) in [("first", &plain), ("plain fields", &plain), ("item groups", &group)] {
        let mut times: Vec<Duration> = (0..5)
            .map(|_| {
                let assertion = json!({
                    "assert": "fhir-resource-state", "resource_type": "MedicationRequest", "match": "all",
                    "fields": fields,
                });
                let start = Instant::now();
                let evidence = runtime.block_on(CHECK.run(assertion, &sandbox));
                let taken = start.elapsed();
                assert_eq!(evidence.status(), Status::Passed, "{}", evidence.details());
                taken
            })
            .collect();
        times.sort_unstable();
        println!("{name:<14} {:>9.1} us an order", times[2].as_secs_f64() * 1e6 / ORDERS as f64);
    }
}

fn order(number: usize) -> Value {
    let dosage = |route: &str, value: u8, unit: &str| json!({"route": {"text": route}, "doseAndRate": [{"doseQuantity": {"value": value, "unit": unit}}]});
    json!({
        "resourceType": "MedicationRequest", "id": format!("m{number}"), "status": "active", "intent": "order",
        "subject": {"reference": "Patient/p9"}, "medicationCodeableConcept": {"text": "Cefazolin"},
        "dosageInstruction": [dosage("oral", 60, "mg"), dosage("IV", 2, "g")],
    })
}
