//! The conditions that a database is asked.

use candor_json::{Value, json};

use crate::selection::Wanted;
use crate::sql::clause::{Bound, Clause, Dialect, clause, narrowed, quoted};
use crate::sql::engine::Column;
use crate::sql::file::SQLITE;
use crate::sql::{mysql_kind, postgres_kind};

/// The conditions of a column, with the values as they are bound.
fn asked(dialect: &Dialect, kind: &str, wanted: Value) -> String {
    let column = Column { name: "a".to_owned(), kind: kind.to_owned() };
    let Some(clause) = clause(dialect, &column, &Wanted::Value(wanted)) else { return "every row".to_owned() };
    let values: Vec<String> = clause.values.iter().map(|value| format!("{value:?}")).collect();
    narrowed("", &[clause], "", |number| values.get(number - 1).cloned().unwrap_or_default()).replace(" WHERE ", "")
}

#[test]
fn what_a_server_is_asked() {
    let number = |text: &str| candor_json::from_str::<Value>(text).unwrap();
    for (kind, wanted, postgres, mysql) in [
        ("text", json!("x"), r#""a" IN (Text("x"))"#, r#"`a` IN (Text("x"))"#),
        ("text", json!(12), r#""a" IN (Text("12"))"#, r#"`a` IN (Text("12"))"#),
        ("text", json!(true), r#""a" IN (Text("true"))"#, r#"`a` IN (Text("true"))"#),
        ("text", json!("a\0b"), "every row", "every row"),
        ("text", json!(["x"]), "every row", "every row"),
        ("text", Value::Null, "every row", "every row"),
        ("bpchar", json!("x"), r#""a" IN (Text("x")::bpchar)"#, "every row"),
        ("uuid", json!("X"), r#""a" IN (Text("X")::uuid)"#, "every row"),
        ("enum", json!("x"), "every row", "every row"),
        ("bool", json!(true), "every row", "every row"),
        ("date", json!("2026-02-30"), "every row", "every row"),
        ("int4", json!("12"), r#""a" IN (Integer(12)::int8)"#, "every row"),
        ("int4", json!("012"), r#""a" IN (Integer(12)::int8)"#, "every row"),
        ("int4", json!("PA-1"), "every row", "every row"),
        ("int4", json!(true), "every row", "every row"),
        ("int8", number("1e3"), "every row", "every row"),
        ("int", json!("12"), "every row", "`a` IN (Integer(12))"),
        ("int", json!(true), "every row", "`a` IN (Integer(1))"),
        ("int", json!("x"), "every row", "every row"),
        ("int", json!(u64::MAX), "every row", "every row"),
        ("int", json!("18446744073709551615"), "every row", "every row"),
        ("numeric", json!(12), r#""a" IN (Integer(12)::numeric)"#, "every row"),
        ("numeric", json!("12.50"), "every row", "every row"),
        ("decimal", json!(12), "every row", "`a` IN (Integer(12))"),
        ("decimal", json!(12.5), "every row", "every row"),
        ("timestamptz", json!("2026-11-20"), "every row", "every row"),
        ("json", Value::Null, "every row", "every row"),
        ("()", Value::Null, "every row", "every row"),
    ] {
        assert_eq!(asked(&postgres_kind::DIALECT, kind, wanted.clone()), postgres, "{kind} {wanted}");
        assert_eq!(asked(&mysql_kind::DIALECT, kind, wanted.clone()), mysql, "{kind} {wanted}");
    }
}

#[test]
fn what_sqlite_is_asked() {
    for (wanted, asked_for) in [
        ("null", "every row"),
        (r#""PA-1""#, r#""a" IN (Text("PA-1"))"#),
        (r#""012""#, r#""a" IN (Integer(12), Real(12.0), Text("012"))"#),
        (r#""12""#, r#""a" IN (Integer(12), Real(12.0), Text("12"))"#),
        (r#""12.0""#, r#""a" IN (Real(12.0), Text("12.0"))"#),
        (r#""Infinity""#, r#""a" IN (Real(inf), Text("Infinity"))"#),
        ("12", r#""a" IN (Integer(12), Real(12.0), Text("12"))"#),
        ("0.5", r#""a" IN (Real(0.5), Text("0.5"))"#),
        ("true", r#""a" IN (Integer(1), Text("true"))"#),
        ("9007199254740993.0", "every row"),
        ("[1]", "every row"),
    ] {
        assert_eq!(asked(&SQLITE, "", candor_json::from_str(wanted).unwrap()), asked_for, "{wanted}");
    }
}

#[test]
fn values_are_numbered_and_names_quoted() {
    let clause = |name: &str, values| Clause { column: quoted(name, '"'), values, cast: "::x" };
    let filter = [
        clause("why?", vec![Bound::Integer(1)]),
        clause("a\"?", vec![Bound::Integer(1), Bound::Real(1.0)]),
        clause("b", vec![Bound::Integer(1)]),
    ];
    let sql = narrowed("SELECT 1", &filter, " LIMIT 7", |number| format!("${number}"));
    let expected = r#"SELECT 1 WHERE "why?" IN ($1::x) AND "a""?" IN ($2::x, $3::x) AND "b" IN ($4::x) LIMIT 7"#;
    assert_eq!(sql, expected);
    assert_eq!(narrowed("SELECT 1", &[], "", |_| String::new()), "SELECT 1");
    assert_eq!(quoted("a`; DROP TABLE x; --", '`'), "`a``; DROP TABLE x; --`");
}
