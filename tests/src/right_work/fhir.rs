//! Resources: each primitive element at its place.

use std::collections::BTreeMap;

use candor_json::{Value, json};

use super::{Work, leaves};

pub(super) fn work(name: &str, bytes: Vec<u8>) -> Option<Work> {
    let document: Value = candor_json::from_slice(&bytes).ok()?;
    let resources: Vec<&Value> = match document.get("entry").and_then(Value::as_array) {
        Some(entries) => entries.iter().filter_map(|entry| entry.get("resource")).collect(),
        None => vec![&document],
    };
    let identity = |resource: &Value| {
        let text = |member: &str| resource.get(member).and_then(Value::as_str).map(str::to_owned);
        Some((text("resourceType")?, text("id")?))
    };
    let mut number: BTreeMap<(String, String), usize> = BTreeMap::new();
    for resource in &resources {
        *number.entry(identity(resource).unwrap_or_default()).or_default() += 1;
    }
    let mut assertions = Vec::new();
    for resource in resources {
        let Some((resource_type, id)) = identity(resource) else { continue };
        // A Bundle within a Bundle holds resources and is not one that a search selects.
        if resource_type == "Bundle" || number.get(&(resource_type.clone(), id.clone())) != Some(&1) {
            continue;
        }
        let asserted = |(path, value): (String, Value)| {
            json!({
                "assert": "fhir-resource-state", "resource_type": resource_type, "search": {"_id": id},
                "fields": [{"path": path, "expected": value}],
            })
        };
        assertions.extend(leaves(resource).into_iter().map(asserted));
    }
    Some(Work { files: vec![(format!("fhir/{name}"), bytes)], assertions })
}
