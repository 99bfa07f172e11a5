//! The bodies of the fuzz targets of task files and field assertions.

use std::path::Path;

use candor_check::compare::{DateForm, References};
use candor_check::field::{Field, FieldPath, ReadFrom};
use candor_check::json_path::DottedPath;
use candor_engine::edit::{Edit, edited};
use candor_engine::{Document, Task};
use candor_json::{Value, json};

/// Any bytes as a task file: JSON when the first byte is even, else YAML. Every error has a place or none, and a
/// message; a task that is read has unique ids. An edit of a document is what was meant, or is refused with a sentence.
pub fn task_file(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let name = if first % 2 == 0 { "t.json" } else { "t.yaml" };
    let document = match Document::parse(Path::new(name), rest) {
        Ok(document) => document,
        Err(error) => return assert!(!error.message.is_empty()),
    };
    let text = String::from_utf8_lossy(rest);
    let steps = vec!["criteria".to_owned()];
    let put = Edit::Put { steps: Vec::new(), name: "name".to_owned(), value: json!("x") };
    for edit in [Edit::Append { steps, value: json!({"id": "x", "assertion": {}}) }, put] {
        match edited(Path::new(name), &text, &[edit]) {
            Ok(text) => assert!(Document::parse(Path::new(name), text.as_bytes()).is_ok()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    match Task::from_document(document) {
        Ok(task) => {
            let ids: std::collections::HashSet<&str> = task.criteria.iter().map(|c| c.id.as_str()).collect();
            assert_eq!(ids.len(), task.criteria.len());
        }
        Err(errors) => assert!(!errors.is_empty() && errors.iter().all(|e| !e.message.is_empty())),
    }
}

/// Any bytes as a field assertion, a NUL and a document: judging twice is judging alike, and selecting nothing passes
/// only where the contract lets it.
pub fn field(data: &[u8]) {
    let Some(at) = data.iter().position(|&b| b == 0) else { return };
    let (assertion, document) = (&data[..at], &data[at + 1..]);
    let Ok(field) = candor_json::from_slice::<Field<DottedPath>>(assertion) else { return };
    let Ok(document) = candor_json::from_slice::<Value>(document) else { return };
    let references = References { base: Some("http://example.org".to_owned()), ..References::default() };
    let reading = ReadFrom { locator: "data", span: None, references: &references };
    let judge =
        || field.evaluate_dated(field.path.select(&document), reading, &[DateForm::Iso, DateForm::Hl7, DateForm::X12]);
    let result = judge();
    assert_eq!(result, judge());
    let nothing = field.path.select(&document).values.is_empty();
    if nothing && result.passed && !field.absent_passes {
        let name = field.operator.name();
        assert!(
            matches!(name, "empty" | "count")
                || (name == "equals" && matches!(field.expected_value, Value::Null))
                || field.expected_value == Value::Array(Vec::new()),
            "{name} passed over nothing"
        );
    }
    let _ = DottedPath::parse(&String::from_utf8_lossy(assertion));
}
