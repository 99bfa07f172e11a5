//! The time of an audit: 20 criteria over 75, 150 and 300 files of 10 KB, and over one file of 3 MB.
//!
//! `cargo xtask bench audit`. Twice the files must take no more than about twice the time for each mutant.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use candor_json::{Value, json};

const CRITERIA: usize = 20;
/// The most mutants of each probe of each criterion.
const MUTANTS: &str = "500";
/// The bytes of a note that make a resource 10 KB long.
const NOTE: usize = 9_500;

fn main() {
    let candor = candor_benches::binary();
    for (files, is_one) in [(75, false), (150, false), (300, false), (300, true)] {
        let folder = tempfile::tempdir().expect("a folder");
        written(folder.path(), files, is_one);
        let mut audit = Command::new(&candor);
        audit.args(["audit", "task.json", "--sandbox", "sb", "--mutants", MUTANTS, "--format", "json"]);
        let began = Instant::now();
        let output = audit.current_dir(folder.path()).output().expect("candor runs");
        let took = began.elapsed();
        let report: Value = candor_json::from_slice(&output.stdout).expect("a report");
        let mutants = report["mutants"].as_u64().filter(|mutants| *mutants > 0).expect("mutants");
        let place = if is_one { "in one file".to_owned() } else { format!("in {files} files") };
        let each = took.as_secs_f64() * 1000.0 / mutants as f64;
        println!("{files} resources {place}: {:.1} s, {mutants} mutants, {each:.1} ms each", took.as_secs_f64());
    }
}

/// Writes a task of criteria about as many orders, and a sandbox with more of them.
fn written(folder: &Path, orders: usize, is_one: bool) {
    let fhir = folder.join("sb/fhir");
    fs::create_dir_all(&fhir).expect("a folder");
    let order = |number: usize| {
        json!({
            "resourceType": "ServiceRequest", "id": format!("s{number}"), "status": "active", "intent": "order",
            "code": {"coding": [{"system": "http://loinc.org", "code": code(number)}]},
            "subject": {"reference": format!("Patient/p{}", number % 7)},
            "authoredOn": "2026-11-20T09:05:00-05:00", "note": [{"text": "x".repeat(NOTE)}]
        })
    };
    let patients = (0..7).map(|number| json!({"resourceType": "Patient", "id": format!("p{number}")}));
    let all: Vec<Value> = patients.chain((0..orders).map(order)).collect();
    if is_one {
        let entries: Vec<Value> = all.iter().map(|one| json!({"resource": one})).collect();
        let bundle = json!({"resourceType": "Bundle", "type": "collection", "entry": entries});
        fs::write(fhir.join("all.json"), bundle.to_string()).expect("room");
    } else {
        for (number, one) in all.iter().enumerate() {
            fs::write(fhir.join(format!("{number}.json")), one.to_string()).expect("room");
        }
    }
    let criterion = |number: usize| {
        json!({
            "id": format!("c{number}"), "label": format!("Order {number}"),
            "assertion": {
                "assert": "fhir-resource-state", "resource_type": "ServiceRequest", "search": {"code": code(number)},
                "fields": [
                    {"path": "status", "expected": "active"},
                    {"path": "intent", "expected": "order"},
                    {"path": "subject.reference", "expected": format!("Patient/p{}", number % 7)}
                ]
            }
        })
    };
    let criteria: Vec<Value> = (0..CRITERIA).map(criterion).collect();
    let task = json!({"id": "bench", "prompt": "Order them.", "criteria": criteria});
    fs::write(folder.join("task.json"), task.to_string()).expect("room");
}

fn code(number: usize) -> String {
    format!("{}-1", 1000 + number)
}
