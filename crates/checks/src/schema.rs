//! JSON Schemas of assertions.

use candor_check::feature::missing_feature;
use candor_check::settings::nearest;
use candor_json::{Map, Value, json};

use crate::{ALL, KNOWN};

/// The JSON Schema of `sandbox.toml`.
pub const SANDBOX: &str = include_str!("../schemas/sandbox.json");

/// The JSON Schema of one kind of assertion, or of all.
///
/// # Errors
/// When no check has this name, or this build leaves the check out.
///
/// ```
/// let schema = candor_checks::schema(None)?;
/// assert_eq!(schema["title"], "assertion");
/// assert!(candor_checks::schema(Some("fhir-resource")).unwrap_err().starts_with("no check asserts"));
/// # Ok::<(), String>(())
/// ```
pub fn schema(assert: Option<&str>) -> Result<Value, String> {
    let Some(name) = assert else { return Ok(any_assertion()) };
    let Some(check) = KNOWN.iter().find(|check| check.meta().assert == name) else {
        let known: Vec<&str> = KNOWN.iter().map(|check| check.meta().assert).collect();
        let near = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
        let expected = near.unwrap_or_else(|| format!("known are {}", known.join(", ")));
        return Err(format!("no check asserts `{name}`; {expected}"));
    };
    match check.missing_feature() {
        None => Ok(check.schema()),
        Some(feature) => Err(missing_feature(&format!("check `{name}`"), feature)),
    }
}

/// The schema for an assertion of any kind: each kind's own schema, embedded under its name.
fn any_assertion() -> Value {
    let schemas: Map<String, Value> =
        ALL.iter().map(|check| (check.meta().assert.to_owned(), check.schema())).collect();
    let references: Vec<Value> =
        schemas.values().filter_map(|schema| Some(json!({"$ref": schema.get("$id")?}))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "assertion",
        "description": "An assertion of any kind, which its `assert` member names.",
        "oneOf": references,
        "$defs": schemas,
    })
}
