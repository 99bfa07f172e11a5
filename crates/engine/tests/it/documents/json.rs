//! JSON files, and the places of their members.

use std::collections::HashSet;
use std::path::Path;

use candor_engine::{Document, FileError};
use candor_json::Value;
use proptest::prelude::*;

fn read(text: &str) -> Result<Document, FileError> {
    Document::parse(Path::new("t.json"), text.as_bytes())
}

fn place(document: &Document, steps: &[&str]) -> Option<(usize, usize)> {
    document.error(steps, "").position
}

#[test]
fn every_member_has_its_place() {
    let text = "{\n  \"a\": [1, {\"b\\\"}\": \"x,]\"},\n    \"y\"],\n  \"é\": {}, \"z\": null\n}";
    let document = read(text).unwrap();
    for (steps, position) in [
        (&["a"][..], (2, 3)),
        (&["a", "0"], (2, 9)),
        (&["a", "1"], (2, 12)),
        (&["a", "1", "b\"}"], (2, 13)),
        (&["a", "2"], (3, 5)),
        (&["é"], (4, 3)),
        (&["z"], (4, 12)),
        (&["z", "nothing"], (4, 12)),
    ] {
        assert_eq!(place(&document, steps), Some(position), "{steps:?}");
    }
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    let error = read("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}").unwrap_err();
    assert_eq!(error.position, Some((2, 16)));
    assert!(error.message.contains("`c` occurs twice"), "{}", error.message);
    assert!(read("[{\"a\": 1}, {\"a\": 1}]").is_ok());
    assert_eq!(read("{\"a\": }").unwrap_err().position, Some((1, 7)));
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[\\PC\"\\\\]{0,6}".prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\{:,]{1,3}", inner, 0..4)
                .prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
}

fn all_steps(value: &Value, steps: &mut Vec<String>, out: &mut Vec<Vec<String>>) {
    let mut each = |step: String, value: &Value| {
        steps.push(step);
        out.push(steps.clone());
        all_steps(value, steps, out);
        steps.pop();
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| each(i.to_string(), v)),
        Value::Object(members) => members.iter().for_each(|(k, v)| each(k.clone(), v)),
        _ => {}
    }
}

proptest! {
    #[test]
    fn every_step_of_any_document_has_a_place_of_its_own(value in json(), pretty in any::<bool>()) {
        let text = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
        let document = read(&text).unwrap();
        prop_assert_eq!(document.value(), &value);
        let mut steps = Vec::new();
        all_steps(&value, &mut Vec::new(), &mut steps);
        let mut positions = HashSet::new();
        for step in &steps {
            let place = place(&document, &step.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(positions.insert(place.unwrap()), "{:?}", step);
        }
    }

    #[test]
    fn never_panics(text in "[\\[\\]{}\",:a0\\\\ \n]{0,40}") {
        let _ = read(&text);
    }
}
