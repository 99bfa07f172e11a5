//! PostgreSQL's types: how a column is asked for as text, and what that text is in JSON.

use candor_json::{Value, json};
use tokio_postgres::types::{Kind, Type};

use crate::sql::clause::{Compared, Dialect};
use crate::sql::engine::number;

pub(super) const DIALECT: Dialect = Dialect { zero_one: false, quote: '"', compared };

/// The name of a type that clauses and values depend on: its own, or `[]`, `()` and `enum` for types made of others.
pub(super) fn name(kind: &Type) -> String {
    match kind.kind() {
        Kind::Array(_) => "[]".to_owned(),
        Kind::Composite(_) => "()".to_owned(),
        Kind::Enum(_) => "enum".to_owned(),
        Kind::Domain(of) => name(of),
        _ => kind.name().to_owned(),
    }
}

/// A value is bound as text, which the server reads as the type it is cast to; every row is read where it refuses.
fn compared(kind: &str) -> Option<Compared> {
    match kind {
        "text" | "varchar" | "citext" => Some(Compared::Text("")),
        "bpchar" => Some(Compared::Text("::bpchar")),
        "uuid" => Some(Compared::Text("::uuid")),
        "int2" | "int4" | "int8" => Some(Compared::Number("::int8")),
        "numeric" => Some(Compared::Number("::numeric")),
        _ => None,
    }
}

pub(super) fn expression(column: &str, kind: &str) -> String {
    match kind {
        "[]" | "()" => format!("pg_catalog.to_json({column})::text"),
        "bytea" => format!("pg_catalog.encode({column}, 'base64')"),
        // As text it is in the money of the server's locale.
        "money" => format!("{column}::pg_catalog.numeric::text"),
        _ => format!("{column}::text"),
    }
}

pub(super) fn value(kind: &str, text: Option<&str>) -> Value {
    let Some(text) = text else { return Value::Null };
    match kind {
        "bool" => Value::Bool(text == "true"),
        "int2" | "int4" | "int8" | "oid" | "float4" | "float8" | "numeric" | "money" => number(text),
        "json" | "jsonb" | "[]" | "()" => parsed(text),
        "bytea" => json!({"base64": text.replace('\n', "")}),
        "timestamp" => Value::String(text.replacen(' ', "T", 1)),
        "timestamptz" => match text.strip_suffix("+00") {
            Some(instant) => Value::String(format!("{}Z", instant.replacen(' ', "T", 1))),
            None => Value::String(text.to_owned()),
        },
        _ => Value::String(text.to_owned()),
    }
}

/// JSON as it is; text where its meaning is not one (a member twice), as it is in a column of text.
fn parsed(text: &str) -> Value {
    match candor_check::strict_json::check(text) {
        Ok(()) => candor_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        Err(_) => Value::String(text.to_owned()),
    }
}
