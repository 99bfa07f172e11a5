//! Conditions that MySQL and MariaDB check. Text is compared by the column's collation, which makes more texts equal than
//! are (case, accents, spaces at the end), never fewer; numbers are compared as numbers only with numbers.
//! Source: MySQL's reference manual, sections 10.8 (collations) and 12.3 (type conversion in expression evaluation).

use serde_json::Value;

use crate::selection::Wanted;
use crate::sql::engine::Column;
use crate::sql::filter::{Bound, Clause, quoted};
use crate::sql::numbers::{Whole, is_plain_decimal, whole};

pub(super) fn clause(column: &Column, wanted: &Wanted) -> Option<Clause> {
    let name = quoted(&column.name, '`');
    let kind = column.kind.as_str();
    let wanted = match wanted {
        Wanted::NotNull => return Some(Clause::new(format!("{name} IS NOT NULL"), Vec::new())),
        // JSON has a null of its own. And a day that is NOT NULL and all zeros IS NULL.
        Wanted::Value(Value::Null) if ["json", "date", "datetime"].contains(&kind) => return None,
        Wanted::Value(Value::Null) => return Some(Clause::new(format!("{name} IS NULL"), Vec::new())),
        Wanted::Value(wanted) => wanted,
    };
    let text = match wanted {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => match kind {
            "int" => return Some(Clause::new(format!("{name} = ?"), vec![Bound::Integer(i64::from(*truth))])),
            _ => truth.to_string(),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    match kind {
        "text" => Some(Clause::new(format!("{name} = ?"), vec![Bound::Text(text)])),
        // Beyond 64 signed bits there are unsigned ones.
        "int" => match whole(wanted) {
            Whole::Is(number) => Some(Clause::new(format!("{name} = ?"), vec![Bound::Integer(number)])),
            Whole::Never if text.len() < 19 => Some(Clause::never()),
            Whole::Never => None,
        },
        "decimal" if is_plain_decimal(&text, 30) => {
            Some(Clause::new(format!("{name} = CAST(? AS DECIMAL(65, 30))"), vec![Bound::Text(text)]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(kind: &str, wanted: Value) -> Option<(String, Vec<Bound>)> {
        let column = Column { name: "a`b".to_owned(), kind: kind.to_owned() };
        clause(&column, &Wanted::Value(wanted)).map(|clause| (clause.sql, clause.values))
    }

    #[test]
    fn what_the_server_is_asked() {
        let asked = |sql: &str, value: Bound| Some((sql.to_owned(), vec![value]));
        assert_eq!(of("text", json!("x")), asked("`a``b` = ?", Bound::Text("x".into())));
        assert_eq!(of("text", json!(12)), asked("`a``b` = ?", Bound::Text("12".into())));
        assert_eq!(of("int", json!("12")), asked("`a``b` = ?", Bound::Integer(12)));
        assert_eq!(of("int", json!(true)), asked("`a``b` = ?", Bound::Integer(1)));
        assert_eq!(of("int", json!("012")), Some(("1 = 0".to_owned(), Vec::new())));
        assert_eq!(of("int", json!("18446744073709551615")), None);
        assert_eq!(
            of("decimal", json!("12.50")),
            asked("`a``b` = CAST(? AS DECIMAL(65, 30))", Bound::Text("12.50".into()))
        );
        assert_eq!(of("date", Value::Null), None);
        assert_eq!(of("json", json!("x")), None);
        assert_eq!(of("bytes", json!("x")), None);
    }
}
