//! Conditions that PostgreSQL checks. A value is bound as text and read as the column's type by the server, and only when
//! it is sure to be readable as that; text that can equal no value of the type selects nothing.
//! Source: PostgreSQL's documentation, chapter 8 and, for collations, 24.2: what is equal byte by byte is equal in all.

use candor_check::compare::{Date, DateForm, Precision};
use serde_json::Value;

use crate::selection::Wanted;
use crate::sql::engine::Column;
use crate::sql::filter::{Bound, Clause, quoted};
use crate::sql::numbers::{Whole, is_plain_decimal, whole};

pub(super) fn clause(column: &Column, wanted: &Wanted) -> Option<Clause> {
    let name = quoted(&column.name, '"');
    let kind = column.kind.as_str();
    let wanted = match wanted {
        Wanted::NotNull => return Some(Clause::new(format!("{name} IS NOT NULL"), Vec::new())),
        // JSON has a null of its own, which is none of the database's.
        Wanted::Value(Value::Null) if ["json", "jsonb"].contains(&kind) => return None,
        Wanted::Value(Value::Null) => return Some(Clause::new(format!("{name} IS NULL"), Vec::new())),
        Wanted::Value(Value::Array(_) | Value::Object(_)) => return None,
        Wanted::Value(wanted) => wanted,
    };
    let text = match wanted {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    // A character that no text of the server's can hold.
    if text.contains('\0') {
        return Some(Clause::never());
    }
    let equal = |cast: &str, text: String| Some(Clause::new(format!("{name} = ?{cast}"), vec![Bound::Text(text)]));
    match kind {
        "text" | "varchar" | "citext" => equal("", text),
        "bpchar" => equal("::bpchar", text),
        "name" => equal("::name", text),
        "enum" => Some(Clause::new(format!("{name}::text = ?"), vec![Bound::Text(text)])),
        "int2" | "int4" | "int8" => match whole(wanted) {
            Whole::Is(number) => equal("::int8", number.to_string()),
            Whole::Never => Some(Clause::never()),
        },
        "numeric" if is_plain_decimal(&text, 100) => equal("::numeric", text),
        "uuid" if is_uuid(&text) => equal("::uuid", text),
        "uuid" => Some(Clause::never()),
        "date" if is_day(&text) => equal("::date", text),
        "bool" if ["true", "false"].contains(&text.as_str()) => equal("::bool", text),
        _ => None,
    }
}

fn is_uuid(text: &str) -> bool {
    let digit = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
    };
    text.len() == 36 && text.bytes().enumerate().all(digit)
}

/// Whether a text is a day of the calendar, `2026-11-20`.
fn is_day(text: &str) -> bool {
    text.len() == 10
        && !text.starts_with("0000")
        && Date::parse(text, DateForm::Iso).is_some_and(|date| date.precision() == Precision::Day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(kind: &str, wanted: Value) -> Option<(String, Vec<Bound>)> {
        let column = Column { name: "a\"b".to_owned(), kind: kind.to_owned() };
        clause(&column, &Wanted::Value(wanted)).map(|clause| (clause.sql, clause.values))
    }

    #[test]
    fn what_the_server_is_asked() {
        let asked = |sql: &str, text: &str| Some((sql.to_owned(), vec![Bound::Text(text.to_owned())]));
        let never = Some(("1 = 0".to_owned(), Vec::new()));
        assert_eq!(of("text", json!("x")), asked("\"a\"\"b\" = ?", "x"));
        assert_eq!(of("varchar", json!(12)), asked("\"a\"\"b\" = ?", "12"));
        assert_eq!(of("int4", json!("12")), asked("\"a\"\"b\" = ?::int8", "12"));
        assert_eq!(of("int4", json!("012")), never);
        assert_eq!(of("int8", json!(1.5)), never);
        assert_eq!(of("numeric", json!("12.50")), asked("\"a\"\"b\" = ?::numeric", "12.50"));
        assert_eq!(of("numeric", json!("NaN")), None);
        assert_eq!(of("date", json!("2026-11-20")), asked("\"a\"\"b\" = ?::date", "2026-11-20"));
        assert_eq!(of("date", json!("2026-02-30")), None);
        assert_eq!(of("uuid", json!("X")), never);
        assert_eq!(of("bool", json!(true)), asked("\"a\"\"b\" = ?::bool", "true"));
        assert_eq!(of("text", json!("a\0b")), never);
        assert_eq!(of("timestamptz", json!("2026-11-20")), None);
        assert_eq!(of("jsonb", Value::Null), None);
        assert_eq!(of("text", Value::Null), Some(("\"a\"\"b\" IS NULL".to_owned(), Vec::new())));
    }
}
