//! Tasks: their members, and the rule of a pass.

use std::path::Path;

use candor_check::compare::Zone;
use candor_engine::{Document, TASK_SCHEMA, Task};
use candor_json::Value;

use crate::keys::{CRITERION_KEYS, TASK_KEYS};

fn task(yaml: &str) -> Result<Task, Vec<String>> {
    let document = Document::parse(Path::new("t.yaml"), yaml.as_bytes()).map_err(|e| vec![e.to_string()])?;
    Task::from_document(document).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

const GOOD: &str = "id: t\nname: A task\nprompt: 'Book ${inputs.m}.'\npass: all\ninputs: {m: W1}\nentities:\n  e: {mrn: '12'}\ncriteria:\n  - id: a\n    label: A\n    weight: 0.70\n    axis: x\n    input_entity_id: e\n    gate: true\n    partial_credit: true\n    undecidable: fail\n    zone: Europe/Berlin\n    assertion: {assert: z, v: '${inputs.m}', w: '${entity.mrn}'}\n";

#[test]
fn reads_every_member() {
    let task = task(GOOD).unwrap();
    let criterion = &task.criteria[0];
    assert_eq!(task.prompt.as_deref(), Some("Book W1."));
    assert_eq!(criterion.weight.to_string(), "0.7");
    assert!(task.pass.is_all());
    assert!(criterion.gate && criterion.partial_credit && criterion.vague_fails);
    assert_eq!(criterion.zone, Zone::named("Europe/Berlin").ok());
    assert_eq!(criterion.assertion, candor_json::json!({"assert": "z", "v": "W1", "w": "12"}));
}

#[test]
fn the_schema_has_every_member() {
    let schema: Value = candor_json::from_str(TASK_SCHEMA).unwrap();
    let names = |place: &str| -> Vec<String> {
        let members = schema.pointer(place).and_then(Value::as_object).unwrap();
        members.keys().cloned().collect()
    };
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let known = |keys: &[&str]| sorted(keys.iter().map(|key| (*key).to_owned()).collect());
    assert_eq!(sorted(names("/properties")), known(TASK_KEYS));
    assert_eq!(sorted(names("/$defs/criterion/properties")), known(CRITERION_KEYS));
}

/// tests/cli/task.trycmd holds the messages about documents that are not tasks.
#[test]
fn a_task_may_have_no_criteria() {
    assert!(task("id: t").unwrap().criteria.is_empty());
}

#[test]
fn a_pass_is_all_or_a_threshold() {
    assert!(task("id: t").unwrap().pass.is_default());
    for (text, read) in [("0.8", "0.8"), ("1", "1"), ("1.0", "1"), ("9e-1", "0.9"), ("\"all\"", "all")] {
        assert_eq!(task(&format!("id: t\npass: {text}")).unwrap().pass.to_string(), read);
    }
    for text in ["0", "-0.5", "1.01", "90", "\"0.8\"", "al", "null", "[]", "true"] {
        let errors = task(&format!("id: t\npass: {text}")).unwrap_err();
        assert!(errors[0].starts_with("t.yaml:2:1: `pass` is "), "{errors:?}");
        assert!(errors[0].contains("expected `all`, or a number above 0 and up to 1"), "{errors:?}");
        assert_eq!(errors[0].contains("did you mean `all`?"), text == "al", "{errors:?}");
    }
}
