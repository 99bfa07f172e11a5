//! Which values an assertion names.

use std::borrow::Cow;

use candor_check::compare::{DateForm, Datum, References};
use candor_check::field::{Field, FieldPath, PathProblem};
use candor_json::{Value, json};

#[derive(Debug)]
struct Any;

impl FieldPath for Any {
    const DATES: &'static [DateForm] = &[];

    fn parse(_: &str) -> Result<Self, PathProblem> {
        Ok(Self)
    }
}

#[test]
fn only_equals_and_in_name_a_value() {
    for (mut field, value, expected) in [
        (json!({"expected": "cancelled"}), json!("cancelled"), true),
        (json!({"expected": "booked"}), json!("cancelled"), false),
        (json!({"expected": "CANCELLED", "using": ["case"]}), json!("cancelled"), true),
        (json!({"op": "in", "expected": ["booked", "cancelled"]}), json!("cancelled"), true),
        (json!({"expected": ["booked", "cancelled"]}), json!("cancelled"), true),
        (json!({"expected": "cancelled", "quantifier": "none"}), json!("cancelled"), false),
        (json!({"op": "notEmpty"}), json!("cancelled"), false),
        (json!({"op": "notEquals", "expected": "booked"}), json!("cancelled"), false),
        (json!({"op": "contains", "expected": "cancel"}), json!("cancelled"), false),
        (json!({"op": "matches", "expected": "cancel.*"}), json!("cancelled"), false),
        (json!({"expected": null}), Value::Null, false),
        (json!({"expected": true}), json!(true), true),
    ] {
        field["path"] = json!("status");
        let field: Field<Any> = candor_json::from_value(field).unwrap();
        let datum = Datum::Json(Cow::Borrowed(&value));
        assert_eq!(field.names(&datum, &References::default()), expected, "{field:?} {value}");
    }
}
