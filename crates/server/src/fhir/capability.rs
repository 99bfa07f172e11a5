//! The CapabilityStatement.

use candor_fhir_search::{table, types};
use candor_json::{Value, json};

pub(crate) fn statement(base: &str) -> Value {
    let codes = |codes: &[&str]| codes.iter().map(|code| json!({"code": code})).collect::<Vec<_>>();
    let interactions = codes(&["read", "vread", "update", "delete", "history-instance", "create", "search-type"]);
    let resource = |name: &str| {
        let parameter = |parameter: table::Parameter| json!({"name": parameter.code, "type": parameter.kind.name()});
        json!({
            "type": name,
            "interaction": interactions,
            "versioning": "versioned-update",
            "readHistory": true,
            "updateCreate": true,
            "conditionalCreate": true,
            "conditionalUpdate": false,
            "conditionalDelete": "not-supported",
            "searchParam": table::parameters(name).map(parameter).collect::<Vec<_>>(),
        })
    };
    json!({
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": "2026-11-25",
        "kind": "instance",
        "software": {"name": "Candor", "version": env!("CARGO_PKG_VERSION")},
        "implementation": {"description": "The sandbox of a task run", "url": base},
        "fhirVersion": "4.0.1",
        "format": ["application/fhir+json", "json"],
        "rest": [{
            "mode": "server",
            "security": {"description": "Authorization: Bearer TOKEN"},
            "resource": types::resources().map(resource).collect::<Vec<_>>(),
            "interaction": codes(&["transaction", "batch"]),
        }],
    })
}
