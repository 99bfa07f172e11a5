//! Conditions that SQLite checks. A column holds values of any type, whatever it is declared as, and compares text by its
//! collation. `IN` over every form in which the wanted value may be stored finds them all by an index: a collation makes
//! more texts equal than are, never fewer, and a column's affinity changes a bound value as it changed the stored one.
//! Source: <https://sqlite.org/datatype3.html>, sections 3 and 4.

use serde_json::Value;

use crate::selection::Wanted;
use crate::sql::engine::Column;
use crate::sql::filter::{Bound, Clause, quoted};
use crate::sql::numbers::{self, Whole, whole};

pub(super) fn clause(column: &Column, wanted: &Wanted) -> Option<Clause> {
    let name = quoted(&column.name, '"');
    let wanted = match wanted {
        Wanted::NotNull => return Some(Clause::new(format!("{name} IS NOT NULL"), Vec::new())),
        Wanted::Value(Value::Null) => return Some(Clause::new(format!("{name} IS NULL"), Vec::new())),
        Wanted::Value(wanted) => wanted,
    };
    let forms = forms(wanted)?;
    let marks = vec!["?"; forms.len()].join(", ");
    Some(Clause::new(format!("{name} IN ({marks})"), forms))
}

/// Every form in which what selection takes for equal may be stored. `None` for what no plain value is.
fn forms(wanted: &Value) -> Option<Vec<Bound>> {
    let text = match wanted {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => {
            let number = Bound::Integer(i64::from(*truth));
            return Some(vec![Bound::Text(truth.to_string()), number, Bound::Real(f64::from(*truth))]);
        }
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let mut forms = Vec::new();
    if let Whole::Is(number) = whole(wanted) {
        forms.push(Bound::Integer(number));
    }
    let real = text.parse::<f64>().ok().filter(|number| !number.is_nan());
    let is_same = |number: &f64| wanted.is_number() || scalar(&numbers::real(*number)) == text;
    forms.extend(real.filter(is_same).map(Bound::Real));
    forms.push(Bound::Text(text));
    Some(forms)
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_is_bound() {
        let forms = |value: Value| forms(&value).unwrap();
        assert_eq!(forms(json!("PA-1")), [Bound::Text("PA-1".into())]);
        assert_eq!(forms(json!("12")), [Bound::Integer(12), Bound::Text("12".into())]);
        assert_eq!(forms(json!("12.0")), [Bound::Real(12.0), Bound::Text("12.0".into())]);
        assert_eq!(forms(json!(12)), [Bound::Integer(12), Bound::Real(12.0), Bound::Text("12".into())]);
        assert_eq!(forms(json!(true)).len(), 3);
        assert_eq!(forms(json!("Infinity")).len(), 2);
        assert_eq!(super::forms(&json!([1])), None);
    }
}
