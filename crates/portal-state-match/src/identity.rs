//! What rows have in common: the values of some columns, so that two rows can be told to be alike.

use candor_check::{Datum, Decimal, Rule, normalized};
use serde_json::Value;

use crate::path::ColumnPath;
use crate::rows::Content;

/// The values of columns; `None` where one is null. Numbers stand for their value, and like truth values are the same as
/// the text they are written as: so `correlate_by` compares, too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity(pub(crate) Vec<Option<String>>);

impl Identity {
    /// The identity, unless one of its columns is null.
    pub(crate) fn whole(self) -> Option<Self> {
        self.0.iter().all(Option::is_some).then_some(self)
    }
}

/// A row's values in columns, texts as the rules leave them.
pub(crate) fn identity(columns: &[ColumnPath], row: &Content, rules: &[Rule]) -> Identity {
    Identity(columns.iter().map(|column| text(&column.values(row), rules)).collect())
}

fn text(values: &[Datum<'_>], rules: &[Rule]) -> Option<String> {
    match values {
        [] => None,
        [one] => Some(one_text(one, rules)),
        // An array is not the text that it is written as.
        several => Some(format!("\0{}", several.iter().map(|one| one_text(one, rules) + "\0").collect::<String>())),
    }
}

fn one_text(datum: &Datum<'_>, rules: &[Rule]) -> String {
    match datum {
        Datum::Json(value) => match value.as_ref() {
            Value::Number(number) => number_text(&number.to_string()),
            Value::String(text) => normalized(rules, text).into_owned(),
            Value::Bool(truth) => truth.to_string(),
            other => format!("\0{other}"),
        },
        Datum::Text(text) => normalized(rules, text).into_owned(),
    }
}

/// A number, however it is written.
fn number_text(number: &str) -> String {
    Decimal::json(number).and_then(|decimal| decimal.to_plain()).unwrap_or_else(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_alike() {
        let columns = [ColumnPath::column("a")];
        let of = |value: Value| identity(&columns, &Content::Typed(json!({"a": value})), &[]);
        let (big, small): (Value, Value) =
            (serde_json::from_str("1E2").unwrap(), serde_json::from_str("100.0").unwrap());
        for (a, b, alike) in [
            (json!(1), json!("1"), true),
            (serde_json::from_str("1.0").unwrap(), json!(1), true),
            (big, small, true),
            (json!("01"), json!(1), false),
            (json!("a"), json!("A"), false),
            (json!(["a", "b"]), json!(["a", "b"]), true),
            (json!(["a", "b"]), json!(["ab"]), false),
            (json!({"x": 1}), json!("{\"x\":1}"), false),
            (json!(true), json!("true"), true),
        ] {
            assert_eq!(of(a.clone()) == of(b.clone()), alike, "{a} {b}");
        }
        assert_eq!(of(Value::Null).whole(), None);
        let case = |value: Value| identity(&columns, &Content::Text(json!({"a": value})), &[Rule::Case]);
        assert_eq!(case(json!("a")), case(json!("A")));
    }
}
