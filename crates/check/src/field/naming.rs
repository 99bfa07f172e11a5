//! Which values an assertion names. What is named is asserted, also where it says that the work was not done.

use super::{Expected, Field, FieldPath, Quantifier};
use crate::compare::{Comparison, Datum, MatchMode, References, equal};

impl<P: FieldPath> Field<P> {
    /// True if the assertion names this value, which its path selected: by `equals` or `in`. Other operators, such as
    /// `notEmpty` and `notEquals`, name no value, and `quantifier: none` names what must not be there.
    #[must_use]
    pub fn names(&self, datum: &Datum<'_>, references: &References) -> bool {
        let named = match &self.expected {
            _ if self.quantifier == Quantifier::None => return false,
            Expected::Equals(candor_json::Value::Array(items)) | Expected::In(items) => items.as_slice(),
            Expected::Equals(value) => std::slice::from_ref(value),
            _ => return false,
        };
        let (rules, zone) = (self.rules.as_slice(), self.zone.as_ref());
        let manner = MatchMode { read_as: self.read_as, rules, dates: P::DATES, references, zone, types: None };
        named.iter().any(|value| !value.is_null() && equal(datum, value, &manner) == Comparison::Holds)
    }
}

#[cfg(test)]
mod tests {
    use candor_json::{Value, json};

    use super::*;
    use crate::field::PathProblem;

    #[derive(Debug)]
    struct Any;

    impl FieldPath for Any {
        const DATES: &'static [crate::compare::DateForm] = &[];

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
            let datum = Datum::Json(std::borrow::Cow::Borrowed(&value));
            assert_eq!(field.names(&datum, &References::default()), expected, "{field:?} {value}");
        }
    }
}
