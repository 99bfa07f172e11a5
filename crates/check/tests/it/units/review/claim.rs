//! Tests of claims that no value can satisfy.

use candor_check::compare::{Datum, References};
use candor_check::field::{Field, FieldReason, Found, ReadFrom, Selection};
use candor_check::json_path::DottedPath;
use candor_check::review::Claim;
use candor_json::{Value, json};
use proptest::prelude::*;

fn field_of(mut field: Value) -> Field<DottedPath> {
    field["path"] = json!("status");
    candor_json::from_value(field).unwrap()
}

fn claim(field: Value) -> Claim {
    Claim::of(&field_of(field), "", true)
}

/// Says if a text, or nothing, satisfies a field; `None` where that is not decided.
fn holds(field: &Field<DottedPath>, text: Option<&str>) -> Option<bool> {
    let references = References::default();
    let nowhere = ReadFrom { locator: "", span: None, references: &references };
    let found = text.into_iter().map(|text| Found { datum: Datum::Text(text.into()), span: None }).collect();
    let result = field.evaluate_dated(Selection::texts(found), nowhere, &[]);
    match result.reason {
        _ if result.passed => Some(true),
        None | Some(FieldReason::Absent) => Some(false),
        Some(_) => None,
    }
}

#[test]
fn what_no_value_can_satisfy_is_found_and_nothing_else() {
    for (one, other) in [
        (json!({"expected": "booked"}), json!({"expected": "cancelled"})),
        (json!({"expected": "booked"}), json!({"op": "notEquals", "expected": "booked"})),
        (json!({"expected": "booked"}), json!({"op": "in", "expected": ["cancelled", "noshow"]})),
        (json!({"expected": "booked"}), json!({"op": "empty"})),
        (json!({"expected": "booked"}), json!({"op": "contains", "expected": "x"})),
        (json!({"expected": 5}), json!({"op": "greaterThan", "expected": 5})),
        (json!({"op": "greaterOrEqual", "expected": 5}), json!({"op": "lessThan", "expected": 5})),
        (json!({"op": "between", "expected": [1, 3]}), json!({"op": "greaterThan", "expected": 4})),
        (json!({"expected": "2026-11-20"}), json!({"expected": "2026-11-21"})),
        (json!({"expected": null}), json!({"op": "notEmpty"})),
    ] {
        assert!(claim(one.clone()).excludes(&claim(other.clone())), "{one} {other}");
        assert!(claim(other.clone()).excludes(&claim(one.clone())), "{other} {one}");
    }
    for (one, other) in [
        (json!({"expected": "booked"}), json!({"expected": "BOOKED", "using": ["case"]})),
        (json!({"expected": "booked"}), json!({"op": "notEquals", "expected": "cancelled"})),
        (json!({"op": "in", "expected": ["a", "b"]}), json!({"op": "in", "expected": ["b", "c"]})),
        (json!({"expected": 100}), json!({"expected": "100.00"})),
        (json!({"expected": "2026-11"}), json!({"expected": "2026-11-20"})),
        (json!({"expected": "2026-11-20"}), json!({"expected": "20261120"})),
        (json!({"expected": "2026-11-20T10:00:00Z"}), json!({"expected": "2026-11-20T11:00:00+01:00"})),
        (json!({"expected": "https://a.example/Patient/1"}), json!({"expected": "Patient/1"})),
        (json!({"op": "greaterThan", "expected": 5}), json!({"op": "lessThan", "expected": 6})),
        (json!({"op": "lessThan", "expected": 3}), json!({"op": "lessThan", "expected": 3})),
        (json!({"op": "between", "expected": [1, 10]}), json!({"op": "between", "expected": [3, 4]})),
        (json!({"op": "contains", "expected": "a"}), json!({"op": "contains", "expected": "b"})),
        (json!({"op": "notEquals", "expected": "a"}), json!({"op": "notEquals", "expected": "b"})),
        (json!({"expected": null}), json!({"op": "notEquals", "expected": "a", "absent": "pass"})),
        (json!({"expected": "a"}), json!({"expected": "b", "quantifier": "none"})),
    ] {
        assert!(!claim(one.clone()).excludes(&claim(other.clone())), "{one} {other}");
    }
}

fn field() -> impl Strategy<Value = Value> {
    let value = prop_oneof![(0..4i64).prop_map(Value::from), "[ab]{0,2}".prop_map(Value::from), Just(Value::Null)];
    let values = prop::collection::vec(value.clone(), 0..3);
    let ordered = prop::sample::select(vec!["greaterThan", "greaterOrEqual", "lessThan", "lessOrEqual"]);
    prop_oneof![
        value.clone().prop_map(|expected| json!({"expected": expected})),
        value.prop_map(|expected| json!({"op": "notEquals", "expected": expected})),
        values.clone().prop_map(|expected| json!({"op": "in", "expected": expected})),
        values.prop_map(|expected| json!({"op": "notIn", "expected": expected})),
        (ordered, 0..4i64).prop_map(|(op, expected)| json!({"op": op, "expected": expected})),
        (0..4i64, 0..4i64).prop_map(|(low, high)| json!({"op": "between", "expected": [low, high]})),
        "[ab]{1,2}".prop_map(|expected| json!({"op": "contains", "expected": expected})),
        Just(json!({"op": "empty"})),
        Just(json!({"op": "notEmpty"})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(500)))]

    #[test]
    fn no_value_contradicts_what_is_said(one in field(), other in field()) {
        let (one, other) = (field_of(one), field_of(other));
        let excludes = Claim::of(&one, "", true).excludes(&Claim::of(&other, "", true));
        let texts = ["", "a", "b", "aa", "ab", "ba", "0", "1", "2", "3", "1.0", "0.5", "2.5", "9"];
        for text in texts.map(Some).into_iter().chain([None]) {
            let (first, second) = (holds(&one, text), holds(&other, text));
            if excludes {
                prop_assert!(first != Some(true) || second != Some(true), "{:?} satisfies both", text);
            }
        }
    }
}
