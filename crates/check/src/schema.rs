//! JSON Schemas of assertions, with the definitions that all checks share.

use candor_json::{Map, Value, json};

use crate::check::Meta;
use crate::compare::{OPERATORS, RULES};

/// The shared definitions, by name: what `$ref: "#/$defs/NAME"` in a check's schema may name.
pub const SHARED: &str = include_str!("schema/shared.json");

/// The published schema of a check: its own, the `assert` member, and the shared definitions.
pub(crate) fn published(meta: &Meta) -> Value {
    let parse = |text: &str| candor_json::from_str::<Value>(text).unwrap_or(Value::Null);
    let mut schema = parse(meta.schema);
    let Some(members) = schema.as_object_mut() else { return schema };
    members.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    members.insert("$id".to_owned(), json!(format!("urn:candor:assertion:{}", meta.assert)));
    members.insert("title".to_owned(), json!(meta.assert));
    members.insert("description".to_owned(), json!(meta.about));
    let mut definitions = shared();
    if let Some(Value::Object(own)) = members.shift_remove("$defs") {
        definitions.extend(own);
    }
    members.insert("$defs".to_owned(), Value::Object(definitions));
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.insert("assert".to_owned(), json!({"const": meta.assert}));
    }
    let own = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    members.insert("required".to_owned(), [vec![json!("assert")], own].concat().into());
    schema
}

/// The shared definitions, the names of operators and rules filled in from their tables.
fn shared() -> Map<String, Value> {
    let Ok(Value::Object(mut definitions)) = candor_json::from_str(SHARED) else { return Map::new() };
    let names = |names: Vec<&str>| json!({"enum": names});
    definitions.insert("operator".to_owned(), names(OPERATORS.iter().map(|(name, _)| *name).collect()));
    definitions.insert("rule".to_owned(), names(RULES.iter().map(|(name, _)| *name).collect()));
    definitions
}
