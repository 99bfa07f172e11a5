//! Quantities and their units.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_json::{Value, json};

use crate::quantity::{Quantity, Stored};

fn finds(wanted: &str, value: &Value) -> bool {
    let stored = Stored::of(value).unwrap();
    Quantity::parse(wanted).unwrap().finds(&stored, &stored.interval().unwrap())
}

#[test]
fn units() {
    let milligrams = json!({"value": 5.4, "unit": "mg", "system": "http://unitsofmeasure.org", "code": "mg"});
    for (wanted, expected) in [
        ("5.4", true),
        ("5.4||mg", true),
        ("5.4||g", false),
        ("5.4|http://unitsofmeasure.org|mg", true),
        ("5.4|http://example.org|mg", false),
        ("0.0054|http://unitsofmeasure.org|g", true),
        ("0.0055|http://unitsofmeasure.org|g", false),
        ("5.40e-3|http://unitsofmeasure.org|g", true),
        ("lt1|http://unitsofmeasure.org|g", true),
        ("5.4|http://unitsofmeasure.org|mL", false),
        ("ne5.4|http://unitsofmeasure.org|mL", false),
    ] {
        assert_eq!(finds(wanted, &milligrams), expected, "{wanted}");
    }
    assert!(finds("5.4||milligram", &json!({"value": 5.4, "unit": "milligram"})));
    assert!(finds("120|urn:iso:std:iso:4217|USD", &json!({"value": 120.00, "currency": "USD"})));
    assert!(!finds("120|urn:iso:std:iso:4217|USD", &json!({"value": 120.00, "currency": "EUR"})));
}

#[test]
fn ranges() {
    let range = json!({"low": {"value": 5, "unit": "a"}, "high": {"value": 8, "unit": "a"}});
    for (wanted, expected) in
        [("6", false), ("ge6", true), ("gt8", false), ("ap5", true), ("sa4||a", true), ("sa5", false)]
    {
        assert_eq!(finds(wanted, &range), expected, "{wanted}");
    }
    assert!(finds("gt1000", &json!({"low": {"value": 5}})));
    assert!(Stored::of(&json!({"low": {"value": 5, "unit": "d"}, "high": {"value": 8, "unit": "a"}})).is_none());
    assert!(Stored::of(&json!({"origin": {"value": 5}, "period": 1})).is_none());
}

#[test]
fn what_is_no_quantity_is_refused() {
    for text in
        ["5|mg", "5|a|b|c", "|a|b", "5|http://unitsofmeasure.org|", "5||", "5|http://unitsofmeasure.org|bogus unit"]
    {
        assert!(Quantity::parse(text).is_err(), "{text}");
    }
}
