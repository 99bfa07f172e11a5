//! Leaves and digests of values.

use candor_check::difference::{canonical_digest, canonical_digest_of_text, leaves};
use candor_json::{Value, json};
use proptest::prelude::*;

fn digest(text: &str) -> [u8; 32] {
    canonical_digest(&candor_json::from_str(text).unwrap())
}

#[test]
fn equal_values_have_one_digest_and_others_do_not() {
    for (a, b) in [
        (r#"{"a": 1, "b": "x"}"#, r#"{"b": "x", "a": 1.0}"#),
        (r#"{"a": {"c": [1, 2]}}"#, r#"{"a": {"c": [1.00, 2e0]}}"#),
        ("0", "-0.0"),
    ] {
        assert_eq!(digest(a), digest(b), "{a} {b}");
    }
    for (a, b) in [
        (r#"{"a": 1}"#, r#"{"a": "1"}"#),
        (r#"{"a": null}"#, r#"{}"#),
        (r#"{"a": []}"#, r#"{"a": {}}"#),
        (r#"{"a": [1, 2]}"#, r#"{"a": [2, 1]}"#),
        (r#"{"a": ["x"]}"#, r#"{"a": {"0": "x"}}"#),
        (r#"{"a": {"b": {}}, "c": 1}"#, r#"{"a": {"b": {"c": 1}}}"#),
        (r#"{"a.b": 1}"#, r#"{"a": {"b": 1}}"#),
        ("9007199254740993", "9007199254740992"),
        ("0.1", "0.10000000000000001"),
        ("true", "1"),
    ] {
        assert_ne!(digest(a), digest(b), "{a} {b}");
    }
}

#[test]
fn texts_that_no_reader_can_unescape_are_not_equal() {
    let digest = |text| canonical_digest_of_text(text, &[]);
    assert_ne!(digest(r#"{"a": "\ud800a"}"#), digest(r#"{"a": "\ud801b"}"#));
    assert_ne!(digest(r#"{"a": "\ud800a"}"#), digest(r#"{"a": ""}"#));
}

#[test]
fn leaves_are_in_order_with_their_paths() {
    let row = json!({"id": 7, "member": {"id": "M1"}, "codes": ["a", {"b": 1}], "none": []});
    let paths: Vec<String> = leaves(&row).into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["id", "member.id", "codes.0", "codes.1.b", "none"]);
    assert_eq!(leaves(&json!(3)), [(String::new(), json!(3))]);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-c.]{0,3}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    })
}

proptest! {
    #[test]
    fn one_digest_means_equal(a in value(), b in value()) {
        prop_assert_eq!(canonical_digest(&a) == canonical_digest(&b), a == b);
    }

    #[test]
    fn a_text_has_the_digest_of_its_value(value in value(), pretty in any::<bool>(), text in any::<String>()) {
        let value = json!({"v": value, "t\n": text, "n": [1.50, -0, 1e3, 12345678901234567890u64]});
        let written = if pretty { candor_json::to_string_pretty(&value) } else { candor_json::to_string(&value) }.unwrap();
        prop_assert_eq!(canonical_digest_of_text(&written, &[]), canonical_digest(&value));
    }

    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), open in 0..3usize) {
        let text = format!("{}{text}", ["", "{\"a\":", "["][open]);
        let _ = canonical_digest_of_text(&text, &[("a", &["b"])]);
    }

    #[test]
    fn what_has_other_leaves_has_another_digest(a in value(), b in value()) {
        if leaves(&a) != leaves(&b) {
            prop_assert_ne!(canonical_digest(&a), canonical_digest(&b));
        }
    }
}
