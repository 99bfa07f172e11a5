//! How a row is selected by what identifies it.

use candor_check::draft::{Came, Selection, is_uuid};
use candor_json::{Value, json};

/// Columns that name a person, by their endings.
const PERSON: [&str; 8] =
    ["member_id", "patient_id", "mrn", "subscriber_id", "member", "patient", "member_number", "medical_record_number"];
/// Columns that name a thing, by their endings: the number of an order, a claim, a request.
const NUMBER: [&str; 5] = ["_number", "_no", "_ref", "_reference", "_id"];

/// The best way first: the person and a number, the person, a number, any other text, the key of a row that was there before.
pub(crate) fn selections(came: &Came<'_>) -> Vec<Selection> {
    let columns: Vec<(&str, &Value)> = came
        .fields
        .iter()
        .filter(|(path, value)| !path.contains('.') && is_identifying(value))
        .map(|(path, value)| (path.as_str(), value))
        .collect();
    let is_person = |name: &str| {
        let name = name.to_lowercase();
        PERSON.iter().any(|ending| name.ends_with(ending))
    };
    let is_key = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == came.key;
    let is_number = |name: &str, value: &Value| {
        let name = name.to_lowercase();
        !is_person(&name) && NUMBER.iter().any(|ending| name.ends_with(ending)) && !(came.is_new && is_key(value))
    };
    let persons: Vec<_> = columns.iter().filter(|(name, _)| is_person(name)).copied().collect();
    let numbers: Vec<_> = columns.iter().filter(|(name, value)| is_number(name, value)).copied().collect();
    let mut all = Vec::new();
    for person in &persons {
        all.extend(numbers.iter().map(|number| selection(came, *person, Some(*number))));
        all.push(selection(came, *person, None));
    }
    all.extend(numbers.iter().map(|number| selection(came, *number, None)));
    if !came.is_new {
        all.extend(
            columns
                .iter()
                .filter(|(name, value)| *name == "id" || is_key(value))
                .map(|key| selection(came, *key, None)),
        );
    }
    all.extend(columns.iter().filter(|(name, _)| *name != "id").map(|other| selection(came, *other, None)));
    all.dedup();
    all
}

fn is_identifying(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && text.len() <= 80 && !is_uuid(text),
        Value::Number(_) => true,
        _ => false,
    }
}

fn selection(came: &Came<'_>, (key, value): (&str, &Value), more: Option<(&str, &Value)>) -> Selection {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut by = json!({"resource": came.collection, "key": key, "value": value});
    let mut what = format!("A row of {} with {key} {}", came.collection, shown(value));
    let mut paths = vec![key];
    if let (Some((column, value)), Some(by)) = (more, by.as_object_mut()) {
        by.insert("where".to_owned(), json!({column: value}));
        what.push_str(&format!(" and {column} {}", shown(value)));
        paths.push(column);
    }
    let assertion = json!({"assert": "portal-state-match", "correlate_by": by});
    Selection::new(assertion, "assertions", what, &paths)
}
