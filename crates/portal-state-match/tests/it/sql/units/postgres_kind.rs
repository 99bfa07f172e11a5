//! Values of PostgreSQL in JSON.

use candor_json::Value;

use crate::sql::postgres_kind::value;

#[test]
fn texts_of_the_server() {
    for (kind, text, expected) in [
        ("bool", "true", "true"),
        ("numeric", "120.50", "120.50"),
        ("numeric", "NaN", "\"NaN\""),
        ("float8", "1e+20", "1e+20"),
        ("money", "-1234.50", "-1234.50"),
        ("jsonb", "{\"a\": [1, 2.50]}", "{\"a\":[1,2.50]}"),
        ("json", "{\"a\": 1, \"a\": 2}", "\"{\\\"a\\\": 1, \\\"a\\\": 2}\""),
        ("timestamp", "2026-11-20 10:30:00.5", "\"2026-11-20T10:30:00.5\""),
        ("timestamptz", "2026-11-20 10:30:00+00", "\"2026-11-20T10:30:00Z\""),
        ("timestamptz", "infinity", "\"infinity\""),
        ("date", "2026-11-20", "\"2026-11-20\""),
        ("bytea", "3q2+\n7w==", "{\"base64\":\"3q2+7w==\"}"),
        ("enum", "open", "\"open\""),
        ("text", "5", "\"5\""),
    ] {
        assert_eq!(value(kind, Some(text)).to_string(), expected, "{kind}");
    }
    assert_eq!(value("text", None), Value::Null);
}
