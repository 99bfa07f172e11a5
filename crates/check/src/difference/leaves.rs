//! A JSON value as the fields of a record, and as a digest that is the same for equal values.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::compare::Decimal;

/// The leaves of a value by their paths, as field results write them: `status`, `member.id`, `codes.0`. Empty arrays and
/// objects are leaves. A value that is no array and no object has the path `""`.
///
/// ```
/// use candor_check::difference::leaves;
/// let paths: Vec<String> = leaves(&serde_json::json!({"id": 7, "codes": ["a"]})).into_iter().map(|leaf| leaf.0).collect();
/// assert_eq!(paths, ["id", "codes.0"]);
/// ```
#[must_use]
pub fn leaves(value: &Value) -> Vec<(String, Value)> {
    let mut leaves = Vec::new();
    // A list and not the stack: values may be nested deeply.
    let mut open = vec![(String::new(), value)];
    let below = |path: &str, step: &str| if path.is_empty() { step.to_owned() } else { format!("{path}.{step}") };
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                open.extend(members.iter().rev().map(|(name, value)| (below(&path, name), value)));
            }
            Value::Array(items) if !items.is_empty() => {
                open.extend(items.iter().enumerate().rev().map(|(at, value)| (below(&path, &at.to_string()), value)));
            }
            leaf => leaves.push((path, leaf.clone())),
        }
    }
    leaves
}

/// What stands in a digest before a value.
enum Open<'v> {
    Value(&'v Value),
    Name(&'v str),
}

/// SHA-256 of a value: the same for two that are equal, whatever the order of members and however a number is written.
///
/// ```
/// use candor_check::difference::canonical_digest;
/// use serde_json::json;
/// assert_eq!(canonical_digest(&json!({"a": 1, "b": [2]})), canonical_digest(&json!({"b": [2.0], "a": 1})));
/// assert_ne!(canonical_digest(&json!({"a": "1"})), canonical_digest(&json!({"a": 1})));
/// ```
#[must_use]
pub fn canonical_digest(value: &Value) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut text = |kind: u8, text: &str| {
        hasher.update([kind]);
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    let mut open = vec![Open::Value(value)];
    while let Some(next) = open.pop() {
        match next {
            Open::Name(name) => text(b'm', name),
            Open::Value(Value::Null) => text(b'n', ""),
            Open::Value(Value::Bool(truth)) => text(b'b', if *truth { "1" } else { "0" }),
            Open::Value(Value::Number(number)) => text(b'd', &plain(number)),
            Open::Value(Value::String(string)) => text(b's', string),
            Open::Value(Value::Array(items)) => {
                text(b'a', &items.len().to_string());
                open.extend(items.iter().rev().map(Open::Value));
            }
            Open::Value(Value::Object(members)) => {
                text(b'o', &members.len().to_string());
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_by(|a, b| b.0.cmp(a.0));
                open.extend(sorted.into_iter().flat_map(|(name, value)| [Open::Value(value), Open::Name(name)]));
            }
        }
    }
    hasher.finalize().into()
}

/// A number, however it is written.
fn plain(number: &serde_json::Number) -> String {
    if let Some(whole) = number.as_i64() {
        return whole.to_string();
    }
    let text = number.to_string();
    Decimal::json(&text).and_then(|decimal| decimal.to_plain()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn digest(text: &str) -> [u8; 32] {
        canonical_digest(&serde_json::from_str(text).unwrap())
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
                prop::collection::btree_map("[a-c]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect()))
            ]
        })
    }

    proptest! {
        #[test]
        fn one_digest_means_equal(a in value(), b in value()) {
            prop_assert_eq!(canonical_digest(&a) == canonical_digest(&b), a == b);
        }

        #[test]
        fn what_has_other_leaves_has_another_digest(a in value(), b in value()) {
            if leaves(&a) != leaves(&b) {
                prop_assert_ne!(canonical_digest(&a), canonical_digest(&b));
            }
        }
    }
}
