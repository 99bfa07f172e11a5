//! Values of MySQL in JSON.

use crate::sql::mysql_kind::value;

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
