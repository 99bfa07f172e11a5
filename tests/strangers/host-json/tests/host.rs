//! `serde_json` must behave in a program that depends on Candor as it does in one that does not.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Untagged {
    Number(f64),
    Text(String),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    Weight { kilograms: f64 },
}

#[derive(Debug, Deserialize, PartialEq)]
struct Vitals {
    #[serde(flatten)]
    values: Values,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Values {
    temperature: f64,
}

#[test]
fn an_untagged_enum_reads_a_number() {
    assert_eq!(serde_json::from_str::<Untagged>("1.5").unwrap(), Untagged::Number(1.5));
    assert_eq!(serde_json::from_str::<Untagged>("\"a\"").unwrap(), Untagged::Text("a".to_owned()));
}

#[test]
fn a_tagged_enum_reads_a_number() {
    let read = serde_json::from_str::<Tagged>(r#"{"kind": "weight", "kilograms": 71.5}"#).unwrap();
    assert_eq!(read, Tagged::Weight { kilograms: 71.5 });
}

#[test]
fn a_flattened_struct_reads_a_number() {
    let read = serde_json::from_str::<Vitals>(r#"{"temperature": 36.6}"#).unwrap();
    assert_eq!(read, Vitals { values: Values { temperature: 36.6 } });
}

#[test]
fn one_is_one_however_it_is_written() {
    let value = |text| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(value("1.0"), value("1.00"));
}

#[test]
fn the_order_of_members_is_as_without_candor() {
    assert_eq!(json!({"b": 1, "a": 2}).to_string(), r#"{"a":2,"b":1}"#);
}

#[test]
fn a_struct_is_written_as_it_is_declared() {
    #[derive(Serialize)]
    struct Row {
        b: f64,
        a: u8,
    }
    assert_eq!(serde_json::to_string(&Row { b: 1.0, a: 2 }).unwrap(), r#"{"b":1.0,"a":2}"#);
}

/// The host's own values are a task and rows.
#[cfg(feature = "candor")]
#[test]
fn candor_takes_values_of_the_host() {
    let task = json!({"id": "t", "criteria": [{"id": "sent", "assertion": {
        "assert": "portal-state-match",
        "correlate_by": {"resource": "orders", "key": "id", "value": 1},
        "assertions": [{"path": "total", "expected": 120.5}],
    }}]});
    let rows = json!([{"id": 1, "total": 120.5}]);
    let sandbox = candor::Sandbox::builder().portal("orders", candor::json::to_value(&rows).unwrap()).build().unwrap();
    let task = candor::Task::from_value(&task).unwrap();
    let run = candor::blocking::run(&candor::Engine::standard(), &task, &sandbox).unwrap();
    assert_eq!(run.verdict(), candor::Verdict::Pass, "{}", run.to_json());
}
