//! From a resource to the field assertions that it satisfies.

use candor_check::compare::{DateForm, DateValue};
use candor_json::{Map, Value, json};

use super::ModelError;

/// How deep a resource may be nested: what the store reads.
const DEEPEST: usize = 127;

/// Members of `meta` that are the server's.
const OF_THE_SERVER: [&str; 2] = ["versionId", "lastUpdated"];

pub(super) fn of(resource: &Value) -> Result<Vec<Value>, ModelError> {
    let mut fields = Vec::new();
    for (name, value) in resource.as_object().into_iter().flatten() {
        match (name.as_str(), value) {
            ("resourceType" | "id", _) => {}
            ("meta", Value::Object(meta)) => {
                let given = meta.iter().filter(|(name, _)| !OF_THE_SERVER.contains(&name.as_str()));
                for (name, value) in given {
                    leaves(name, value, &format!("meta.{name}"), 2, &mut fields)?;
                }
            }
            _ => leaves(name, value, name, 1, &mut fields)?,
        }
    }
    nulls(resource, "", 0)?;
    Ok(fields)
}

/// Adds a field for each value below `value`, which is of the element `name`.
fn leaves(name: &str, value: &Value, path: &str, depth: usize, fields: &mut Vec<Value>) -> Result<(), ModelError> {
    if depth > DEEPEST {
        return Err(ModelError(format!("the model is nested deeper than {DEEPEST} levels")));
    }
    match value {
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate().filter(|(_, item)| !item.is_null()) {
                leaves(name, item, &format!("{path}.{at}"), depth + 1, fields)?;
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                leaves(name, value, &format!("{path}.{name}"), depth + 1, fields)?;
            }
        }
        Value::Array(_) | Value::Object(_) => {
            return Err(ModelError(format!("{path} is an element without content, which FHIR does not have")));
        }
        Value::Null => {}
        Value::String(text) if name == "reference" => {
            fields.push(json!({"path": path, "using": ["reference"], "expected": text}));
        }
        Value::String(text) if is_moment(text) => {
            fields.push(json!({"path": path, "as": "date", "expected": text}));
        }
        _ => fields.push(json!({"path": path, "expected": value})),
    }
    Ok(())
}

/// A date with a time, of which there is more than one way to write it.
fn is_moment(text: &str) -> bool {
    text.contains('T') && DateValue::parse(text, DateForm::Iso).is_some()
}

/// Refuses nulls that represent a value JSON does not have (NaN, infinity). In arrays of primitives a null is FHIR's way to
/// say that there are extensions only. Source: FHIR R4, JSON representation, 2.6.2.3.
pub(super) fn nulls(value: &Value, path: &str, depth: usize) -> Result<(), ModelError> {
    if depth > DEEPEST {
        return Err(ModelError(format!("the model is nested deeper than {DEEPEST} levels")));
    }
    match value {
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match value {
                Value::Null => Err(ModelError(format!("{path} has a value that JSON does not have"))),
                Value::Array(items) => items.iter().enumerate().try_for_each(|(at, item)| match item {
                    Value::Null if beside(members, name, at) => Ok(()),
                    Value::Null => Err(ModelError(format!("{path}.{at} has a value that JSON does not have"))),
                    _ => nulls(item, &format!("{path}.{at}"), depth + 2),
                }),
                _ => nulls(value, &path, depth + 1),
            }
        }),
        _ => Ok(()),
    }
}

/// True if something represents item `at` of `name` in the member that goes with it: `given` and `_given`.
fn beside(members: &Map<String, Value>, name: &str, at: usize) -> bool {
    let other = match name.strip_prefix('_') {
        Some(plain) => members.get(plain),
        None => members.get(&format!("_{name}")),
    };
    other.and_then(|items| items.get(at)).is_some_and(|item| !item.is_null())
}
