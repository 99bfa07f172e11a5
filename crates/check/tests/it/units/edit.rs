//! Edits of JSON text.

use candor_check::strict_json::{Edit, append, edited, find, leaves, put, remove};
use candor_json::{Value, json};
use proptest::prelude::*;

fn after(text: &str, edit: Option<Edit>) -> Value {
    let text = edited(text.as_bytes(), &[edit.unwrap()]);
    candor_json::from_slice(&text).unwrap()
}

const TEXT: &str = " { \"a\" : {\"b\":[1, \"x\", {}]} ,\n \"c\": null, \"d\": [] } ";

#[test]
fn single_places_are_changed() {
    assert_eq!(after(TEXT, put(TEXT, &[], "c", "5"))["c"], 5);
    assert_eq!(after(TEXT, put(TEXT, &["a"], "n", "\"new\""))["a"]["n"], "new");
    assert_eq!(after(TEXT, put(TEXT, &["a", "b", "2"], "n", "1"))["a"]["b"][2], json!({"n": 1}));
    assert_eq!(after(TEXT, append(TEXT, &["a", "b"], "true"))["a"]["b"], json!([1, "x", {}, true]));
    assert_eq!(after(TEXT, append(TEXT, &["d"], "1"))["d"], json!([1]));
    for (steps, left) in [
        (&["a"][..], json!({"c": null, "d": []})),
        (&["d"], json!({"a": {"b": [1, "x", {}]}, "c": null})),
        (&["a", "b", "0"], json!({"a": {"b": ["x", {}]}, "c": null, "d": []})),
        (&["a", "b"], json!({"a": {}, "c": null, "d": []})),
    ] {
        assert_eq!(after(TEXT, remove(TEXT, steps)), left, "{steps:?}");
    }
    assert_eq!((find(TEXT, &["x"]), put(TEXT, &["c"], "n", "1"), remove(TEXT, &[])), (None, None, None));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![any::<i32>().prop_map(|n| json!(n)), any::<String>().prop_map(|s| json!(s)), Just(json!(null))];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn every_leaf_can_be_found_replaced_and_removed(value in value(), pretty in any::<bool>()) {
        let text = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
        for leaf in leaves(&text) {
            let steps: Vec<&str> = leaf.path.iter().map(String::as_str).collect();
            prop_assert_eq!(find(&text, &steps), Some(leaf.span.clone()));
            let with = Edit { span: leaf.span, with: "\"other\"".to_owned() };
            prop_assert!(candor_json::from_slice::<Value>(&edited(text.as_bytes(), &[with])).is_ok());
            if let Some(edit) = remove(&text, &steps) {
                prop_assert!(candor_json::from_slice::<Value>(&edited(text.as_bytes(), &[edit])).is_ok());
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), open in any::<bool>()) {
        let text = if open { format!("{{\"{text}\": [{text}") } else { text };
        let _ = (leaves(&text), put(&text, &[], "a", "1"), append(&text, &["a"], "1"), remove(&text, &["a", "0"]));
    }
}
