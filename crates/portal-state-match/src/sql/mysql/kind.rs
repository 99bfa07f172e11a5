//! MySQL's types: what a value is in JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_json::{Value, json};
use mysql::consts::{ColumnFlags, ColumnType};

use crate::sql::clause::Compared;
use crate::sql::numbers::{number, real, single};

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
pub(super) fn compared(kind: &str) -> Option<Compared> {
    Some(match kind {
        "text" => Compared::Text("", ""),
        "int" => Compared::Integer(""),
        "decimal" => Compared::Decimal(""),
        // JSON has a null of its own. And a day that is NOT NULL and all zeros IS NULL.
        "json" | "date" | "datetime" => return None,
        _ => Compared::Null,
    })
}

/// A value as JSON; `None` for a text that is not UTF-8.
pub(super) fn value(kind: &str, value: mysql::Value) -> Option<Value> {
    use mysql::Value as V;
    Some(match value {
        V::NULL => Value::Null,
        V::Int(number) => json!(number),
        V::UInt(number) => json!(number),
        V::Float(number) => single(number),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_server() {
        use mysql::Value as V;
        for (kind, given, expected) in [
            ("int", V::Int(-1), "-1"),
            ("int", V::UInt(u64::MAX), "18446744073709551615"),
            ("decimal", V::Bytes(b"120.50".to_vec()), "120.50"),
            ("float", V::Float(0.1), "0.1"),
            ("float", V::Double(0.1), "0.1"),
            ("bit", V::Bytes(vec![1, 0]), "256"),
            ("date", V::Date(0, 0, 0, 0, 0, 0, 0), "\"0000-00-00\""),
            ("datetime", V::Date(2026, 11, 20, 10, 30, 0, 500_000), "\"2026-11-20T10:30:00.5\""),
            ("timestamp", V::Date(2026, 11, 20, 0, 0, 0, 0), "\"2026-11-20T00:00:00Z\""),
            ("time", V::Time(true, 1, 2, 3, 4, 0), "\"-26:03:04\""),
            ("json", V::Bytes(b"{\"a\": 1.50}".to_vec()), "{\"a\":1.50}"),
            ("bytes", V::Bytes(vec![0xde, 0xad]), "{\"base64\":\"3q0=\"}"),
            ("text", V::Bytes("ü".as_bytes().to_vec()), "\"ü\""),
            ("text", V::NULL, "null"),
        ] {
            assert_eq!(value(kind, given).unwrap().to_string(), expected, "{kind}");
        }
        assert_eq!(value("text", V::Bytes(vec![0xff])), None);
    }
}
