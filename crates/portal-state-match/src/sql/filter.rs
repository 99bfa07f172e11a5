//! Conditions that a database checks. They may select more rows than the assertion does, never fewer: a collation makes
//! more texts equal than are (case, accents, spaces at the end), and equal bytes are equal in every collation. A value is
//! always bound; a clause holds quoted identifiers and nothing else of the assertion.
//!
//! Sources: PostgreSQL's documentation, chapter 8 and section 24.2; MySQL's reference manual, sections 10.8 (collations)
//! and 12.3 (type conversion in expression evaluation); <https://sqlite.org/datatype3.html>, sections 3 and 4.

use std::str::FromStr;

use candor_json::Value;

use super::clause::{Bound, Clause, Compared};
use super::engine::{Column, Engine};
use super::numbers::real;
use crate::selection::{Condition, Wanted};

/// 2^53: below it every integer is a REAL of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The conditions that narrow the rows down: none unless every condition is on a column, as a path into one may select any
/// row, and none for rules and synonyms, which a database does not know.
pub(super) fn filter<E: Engine>(columns: &[Column], conditions: &[Condition]) -> Vec<Clause> {
    let mut clauses = Vec::new();
    for condition in conditions {
        let Some(column) = columns.iter().find(|column| column.name == condition.path.as_str()) else {
            return Vec::new();
        };
        clauses.extend(condition.plain().and_then(|wanted| clause::<E>(column, wanted)));
    }
    clauses
}

/// A clause that holds for every row whose column meets what is wanted; `None` if no clause is sure to.
fn clause<E: Engine>(column: &Column, wanted: &Wanted) -> Option<Clause> {
    let name = quoted(&column.name, E::QUOTE);
    let compared = E::compared(&column.kind)?;
    let alone = |left: String| Some(Clause { left, ..Clause::default() });
    let wanted = match wanted {
        Wanted::NotNull => return alone(format!("{name} IS NOT NULL")),
        Wanted::Value(Value::Null) => return alone(format!("{name} IS NULL")),
        Wanted::Value(wanted) => wanted,
    };
    let text = match wanted {
        Value::Array(_) | Value::Object(_) => return None,
        Value::String(text) => text.clone(),
        wanted => wanted.to_string(),
    };
    let integer = match wanted {
        Value::Bool(truth) => E::ZERO_ONE.then_some(i64::from(*truth)),
        Value::Number(number) => number.as_i64(),
        _ => exact(&text),
    };
    match (compared, integer) {
        // PostgreSQL refuses this character in a text.
        _ if text.contains('\0') => None,
        (Compared::Text(_, "::uuid"), _) if !is_uuid(&text) => alone("1 = 0".to_owned()),
        (Compared::Text(of, cast), _) => Some(Clause { left: name + of, values: vec![Bound::Text(text)], cast }),
        (Compared::Integer(cast) | Compared::Decimal(cast), Some(number)) => {
            Some(Clause { left: name, values: vec![Bound::Integer(number)], cast })
        }
        // An unsigned integer may be larger than those that are bound.
        (Compared::Integer(_), None) if !wanted.is_number() && exact::<u64>(&text).is_none() => {
            alone("1 = 0".to_owned())
        }
        (Compared::Null | Compared::Integer(_) | Compared::Decimal(_), _) => None,
        (Compared::Any, _) => {
            let number = match wanted {
                Value::Number(number) => number.as_f64(),
                _ => text.parse().ok().filter(|number| is_shown(&real(*number), &text)),
            };
            if wanted.is_number() && integer.is_none() && number.is_none_or(|number| number.abs() >= EXACT) {
                return None;
            }
            let numbers = integer.map(Bound::Integer).into_iter().chain(number.map(Bound::Real));
            Some(Clause { left: name, values: numbers.chain([Bound::Text(text)]).collect(), cast: "" })
        }
    }
}

/// The number that is written so.
fn exact<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number: &T| number.to_string() == text)
}

fn is_shown(value: &Value, text: &str) -> bool {
    let written = value.to_string();
    value.as_str() == Some(text) || written == text
}

/// If the server may write a UUID so.
fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'))
}

/// `WHERE … LIMIT …`, each value written by `mark` with its number from 1 on.
pub(super) fn narrowed(filter: &[Clause], most: Option<u64>, mark: impl Fn(usize) -> String) -> String {
    let mut sql = String::new();
    let mut number = 0;
    for clause in filter {
        let marks: Vec<String> = (number + 1..).take(clause.values.len()).map(&mark).collect();
        number += marks.len();
        sql.push_str(if sql.is_empty() { " WHERE " } else { " AND " });
        sql.push_str(&match marks.as_slice() {
            [] => clause.left.clone(),
            [mark] => format!("{} = {mark}{}", clause.left, clause.cast),
            marks => format!("{} IN ({})", clause.left, marks.join(", ")),
        });
    }
    sql + &most.map(|most| format!(" LIMIT {most}")).unwrap_or_default()
}

pub(crate) fn quoted(name: &str, quote: char) -> String {
    format!("{quote}{}{quote}", name.replace(quote, &format!("{quote}{quote}")))
}

#[cfg(test)]
#[cfg(all(feature = "sqlite", feature = "databases"))]
mod tests {
    use super::*;
    use crate::sql::mysql::Mysql;
    use crate::sql::postgres::Postgres;
    use crate::sql::sqlite::Sqlite;
    use candor_json::json;

    /// The conditions of a column, with the values as they are bound.
    fn asked<E: Engine>(kind: &str, wanted: Value) -> String {
        let column = Column { name: "a".to_owned(), kind: kind.to_owned() };
        let Some(clause) = clause::<E>(&column, &Wanted::Value(wanted)) else { return "every row".to_owned() };
        let values: Vec<String> = clause.values.iter().map(|value| format!("{value:?}")).collect();
        narrowed(&[clause], None, |number| values.get(number - 1).cloned().unwrap_or_default()).replace(" WHERE ", "")
    }

    #[test]
    fn what_a_server_is_asked() {
        let number = |text: &str| candor_json::from_str::<Value>(text).unwrap();
        for (kind, wanted, postgres, mysql) in [
            ("text", json!("x"), r#""a" = Text("x")"#, r#"`a` = Text("x")"#),
            ("text", json!(12), r#""a" = Text("12")"#, r#"`a` = Text("12")"#),
            ("text", json!(true), r#""a" = Text("true")"#, r#"`a` = Text("true")"#),
            ("text", json!("a\0b"), "every row", "every row"),
            ("text", json!(["x"]), "every row", "every row"),
            ("text", Value::Null, r#""a" IS NULL"#, "`a` IS NULL"),
            ("bpchar", json!("x"), r#""a" = Text("x")::bpchar"#, "every row"),
            ("enum", json!("x"), r#""a"::text = Text("x")"#, "every row"),
            ("bool", json!(true), r#""a"::text = Text("true")"#, "every row"),
            ("date", json!("2026-02-30"), r#""a"::text = Text("2026-02-30")"#, "every row"),
            ("uuid", json!("X"), "1 = 0", "every row"),
            ("int4", json!("12"), r#""a" = Integer(12)::int8"#, "every row"),
            ("int4", json!("012"), "1 = 0", "every row"),
            ("int4", json!("PA-1"), "1 = 0", "every row"),
            ("int4", json!(true), "1 = 0", "every row"),
            ("int8", number("1e3"), "every row", "every row"),
            ("int", json!("12"), "every row", "`a` = Integer(12)"),
            ("int", json!(true), "every row", "`a` = Integer(1)"),
            ("int", json!("x"), "every row", "1 = 0"),
            ("int", json!(u64::MAX), "every row", "every row"),
            ("int", json!("18446744073709551615"), "every row", "every row"),
            ("numeric", json!(12), r#""a" = Integer(12)::numeric"#, "every row"),
            ("numeric", json!("12.50"), "every row", "every row"),
            ("decimal", json!(12), "every row", "`a` = Integer(12)"),
            ("decimal", json!(12.5), "every row", "every row"),
            ("timestamptz", json!("2026-11-20"), "every row", "every row"),
            ("json", Value::Null, "every row", "every row"),
            ("()", Value::Null, "every row", "`a` IS NULL"),
        ] {
            assert_eq!(asked::<Postgres>(kind, wanted.clone()), postgres, "{kind} {wanted}");
            assert_eq!(asked::<Mysql>(kind, wanted.clone()), mysql, "{kind} {wanted}");
        }
    }

    #[test]
    fn what_sqlite_is_asked() {
        for (wanted, asked_for) in [
            ("null", r#""a" IS NULL"#),
            (r#""PA-1""#, r#""a" = Text("PA-1")"#),
            (r#""012""#, r#""a" = Text("012")"#),
            (r#""12""#, r#""a" IN (Integer(12), Text("12"))"#),
            (r#""12.0""#, r#""a" IN (Real(12.0), Text("12.0"))"#),
            (r#""Infinity""#, r#""a" IN (Real(inf), Text("Infinity"))"#),
            ("12", r#""a" IN (Integer(12), Real(12.0), Text("12"))"#),
            ("0.5", r#""a" IN (Real(0.5), Text("0.5"))"#),
            ("true", r#""a" IN (Integer(1), Text("true"))"#),
            ("9007199254740993.0", "every row"),
            ("[1]", "every row"),
        ] {
            assert_eq!(asked::<Sqlite>("", candor_json::from_str(wanted).unwrap()), asked_for, "{wanted}");
        }
    }

    #[test]
    fn values_are_numbered_and_names_quoted() {
        let clause = |name: &str, values| Clause { left: quoted(name, '"'), values, cast: "::x" };
        let filter = [
            clause("why?", vec![Bound::Integer(1)]),
            clause("a\"?", vec![Bound::Integer(1), Bound::Real(1.0)]),
            clause("b", vec![Bound::Integer(1)]),
        ];
        let sql = narrowed(&filter, Some(7), |number| format!("${number}"));
        assert_eq!(sql, r#" WHERE "why?" = $1::x AND "a""?" IN ($2, $3) AND "b" = $4::x LIMIT 7"#);
        assert_eq!(narrowed(&[], None, |_| String::new()), "");
        assert_eq!(quoted("a`; DROP TABLE x; --", '`'), "`a``; DROP TABLE x; --`");
    }
}
