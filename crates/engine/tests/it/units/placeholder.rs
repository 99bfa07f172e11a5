//! Placeholders in the strings of an assertion.

use candor_json::{Value, json};
use proptest::prelude::*;

use crate::placeholder::{Scope, replaced};

fn with(text: &str) -> Result<Value, String> {
    let inputs = json!({"id": "W1", "n": 7, "deep": {"list": ["a", {"b": true}]}, "none": null});
    let scope = Scope { inputs: Some(&inputs), entity: None };
    replaced(&json!(text), scope, &mut Vec::new()).map_err(|m| m.message)
}

#[test]
fn a_lone_placeholder_keeps_its_type() {
    for (text, value) in [
        ("${inputs.n}", json!(7)),
        ("${inputs.none}", json!(null)),
        ("${inputs.deep.list}", json!(["a", {"b": true}])),
        ("${inputs.deep.list.1.b}", json!(true)),
        ("n is ${inputs.n}", json!("n is 7")),
        ("${inputs.id}${inputs.n}", json!("W17")),
        ("${inputs.id} ", json!("W1 ")),
        ("$${inputs.id}", json!("${inputs.id}")),
        ("$$${inputs.id}", json!("$${inputs.id}")),
        ("a$ {b} $5 }", json!("a$ {b} $5 }")),
        ("", json!("")),
    ] {
        assert_eq!(with(text), Ok(value), "{text}");
    }
}

proptest! {
    #[test]
    fn text_without_placeholders_stays(text in "[^$]{0,20}") {
        prop_assert_eq!(with(&text).unwrap(), json!(text));
    }

    #[test]
    fn never_panics(text in "[${}.a-zé]{0,20}") {
        let _ = with(&text);
    }
}
