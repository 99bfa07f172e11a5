//! Amounts.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::cmp::Ordering;

use candor_json::{Value, json};
use candor_ucum::SYSTEM;
use proptest::prelude::*;

use crate::dosage::amount::Amount;

fn same(one: &str, other: &Value) -> Option<Ordering> {
    Amount::parse(one).unwrap().compare(&Amount::of_quantity(other)?)
}

#[test]
fn one_amount_in_several_units() {
    for quantity in [
        json!({"value": 40, "unit": "mg"}),
        json!({"value": 40.0, "unit": "milligrams"}),
        json!({"value": 0.04, "unit": "g", "system": SYSTEM, "code": "g"}),
        json!({"value": 40000, "code": "ug", "system": SYSTEM}),
        json!({"value": 40000, "unit": "mcg"}),
    ] {
        assert_eq!(same("40 mg", &quantity), Some(Ordering::Equal), "{quantity}");
    }
    assert_eq!(same("40 mg", &json!({"value": 80, "unit": "mg"})), Some(Ordering::Less));
    assert_eq!(same("40 mg", &json!({"value": 1, "unit": "tablet"})), None);
    assert_eq!(same("5000 units", &json!({"value": 5000, "unit": "U"})), Some(Ordering::Equal));
    assert_eq!(same("2 tablets", &json!({"value": 2, "unit": "tab", "code": "{tbl}"})), Some(Ordering::Equal));
    assert_eq!(same("40 mg", &json!({"value": 40, "unit": "mg", "comparator": "<"})), None);
    assert_eq!(same("40 mg", &json!({"value": 40})), None);
    assert!(matches!(Amount::parse("40 mgg"), Err(Some("mgg"))));
    assert!(matches!(Amount::parse("mg"), Err(None)));
    assert!(matches!(Amount::parse("40"), Err(None)));
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,60}") {
        let _ = (Amount::parse(&text), Amount::named_unit(&text));
    }
}
