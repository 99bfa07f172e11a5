//! MySQL's types: what a value is in JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_json::{Value, json};
use mysql::consts::{ColumnFlags, ColumnType};

use crate::sql::clause::{Compared, Dialect};
use crate::sql::engine::{number, real};

pub(super) const DIALECT: Dialect = Dialect { zero_one: true, quote: '`', compared };

/// The number of the character set of bytes that are not text.
const BINARY: u16 = 63;

pub(super) fn name(column: &mysql::Column) -> &'static str {
    use ColumnType as C;
    let flags = column.flags();
    match column.column_type() {
        C::MYSQL_TYPE_TINY
        | C::MYSQL_TYPE_SHORT
        | C::MYSQL_TYPE_INT24
        | C::MYSQL_TYPE_LONG
        | C::MYSQL_TYPE_LONGLONG
        | C::MYSQL_TYPE_YEAR => "int",
        C::MYSQL_TYPE_DECIMAL | C::MYSQL_TYPE_NEWDECIMAL => "decimal",
        C::MYSQL_TYPE_FLOAT | C::MYSQL_TYPE_DOUBLE => "float",
        C::MYSQL_TYPE_BIT => "bit",
        C::MYSQL_TYPE_JSON => "json",
        C::MYSQL_TYPE_DATE | C::MYSQL_TYPE_NEWDATE => "date",
        C::MYSQL_TYPE_DATETIME | C::MYSQL_TYPE_DATETIME2 => "datetime",
        C::MYSQL_TYPE_TIMESTAMP | C::MYSQL_TYPE_TIMESTAMP2 => "timestamp",
        C::MYSQL_TYPE_TIME | C::MYSQL_TYPE_TIME2 => "time",
        C::MYSQL_TYPE_GEOMETRY => "bytes",
        C::MYSQL_TYPE_ENUM | C::MYSQL_TYPE_SET => "enum",
        _ if flags.intersects(ColumnFlags::ENUM_FLAG | ColumnFlags::SET_FLAG) => "enum",
        _ if column.character_set() == BINARY => "bytes",
        _ => "text",
    }
}

/// Numbers are compared as numbers with numbers only.
fn compared(kind: &str) -> Option<Compared> {
    match kind {
        "text" => Some(Compared::Text("")),
        "int" | "decimal" => Some(Compared::Number("")),
        _ => None,
    }
}

/// A value as JSON; `None` for a text that is not UTF-8.
pub(super) fn value(kind: &str, value: mysql::Value) -> Option<Value> {
    use mysql::Value as V;
    Some(match value {
        V::NULL => Value::Null,
        V::Int(number) => json!(number),
        V::UInt(number) => json!(number),
        V::Float(value) if value.is_finite() => number(&format!("{value:?}")),
        V::Float(value) => real(value.into()),
        V::Double(number) => real(number),
        V::Date(year, month, day, hour, minute, second, micros) => {
            let day = format!("{year:04}-{month:02}-{day:02}");
            Value::String(match kind {
                "date" => day,
                kind => {
                    let zone = if kind == "timestamp" && year > 0 { "Z" } else { "" };
                    format!("{day}T{hour:02}:{minute:02}:{second:02}{}{zone}", fraction(micros))
                }
            })
        }
        V::Time(negative, days, hours, minutes, seconds, micros) => {
            let sign = if negative { "-" } else { "" };
            let hours = u64::from(days) * 24 + u64::from(hours);
            Value::String(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros)))
        }
        V::Bytes(bytes) => match kind {
            "bytes" => json!({"base64": BASE64_STANDARD.encode(bytes)}),
            "bit" if bytes.len() <= 8 => json!(bytes.iter().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte))),
            kind => {
                let text = String::from_utf8(bytes).ok()?;
                match kind {
                    "decimal" => number(&text),
                    "json" => candor_json::from_str(&text).unwrap_or(Value::String(text)),
                    _ => Value::String(text),
                }
            }
        },
    })
}

fn fraction(micros: u32) -> String {
    match micros {
        0 => String::new(),
        micros => format!(".{micros:06}").trim_end_matches('0').to_owned(),
    }
}
