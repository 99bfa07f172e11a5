//! Input of a sandbox in memory, as files.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use candor_json::{Value, json};

use crate::input::Records;

fn file(records: impl Into<Records>) -> (&'static str, String) {
    let (extension, contents) = records.into().into_file();
    (extension, String::from_utf8(contents.0.to_vec()).unwrap())
}

#[test]
fn values_become_lines() {
    let two = "{\"id\":\"1\"}\n{\"id\":\"2\"}\n";
    assert_eq!(file(json!({"id": "1"})), ("ndjson", "{\"id\":\"1\"}\n".to_owned()));
    assert_eq!(file(json!([{"id": "1"}, {"id": "2"}])), ("ndjson", two.to_owned()));
    assert_eq!(file(vec![json!({"id": "1"}), json!({"id": "2"})]), ("ndjson", two.to_owned()));
    assert_eq!(file(Vec::<Value>::new()), ("ndjson", String::new()));
}

#[test]
fn bytes_keep_every_byte_and_say_what_they_are() {
    for (bytes, expected) in [
        ("{\"id\": \"1\"}", "ndjson"),
        ("{\"id\": \"1\"}\r\n{\"id\": \"2\"}\r\n", "ndjson"),
        ("\u{feff}\n{\"id\": \"1\"}\n", "ndjson"),
        ("{\n  \"resourceType\": \"Bundle\"\n}\n", "json"),
        ("[{\"id\": \"1\"}]", "json"),
        ("not JSON", "json"),
        ("", "json"),
    ] {
        assert_eq!(file(bytes), (expected, bytes.to_owned()));
        assert_eq!(file(bytes.as_bytes()), file(bytes.to_owned()));
    }
}
