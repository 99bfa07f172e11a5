//! The JSON of bodies.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails them by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_json::{Value, json};

use crate::body::{batch, strict, text, to_grade};
use crate::error::ApiError;

fn refused(read: Result<Value, ApiError>) -> String {
    read.unwrap_err().message
}

#[test]
fn a_member_that_occurs_twice_is_named_with_its_place() {
    assert_eq!(strict(" {\"a\": {\"a\": 1}}\n").unwrap(), json!({"a": {"a": 1}}));
    let twice = "An object has the member `b` twice, line 2, column 13; send it once.";
    assert_eq!(refused(strict("{\"a\": [\n {\"b\": \"1\", \"\\u0062\": 2}]}")), twice);
    for wrong in ["", "{", "{\"a\": 1}}", "[1,]"] {
        assert_eq!(text(wrong.as_bytes()).unwrap_err().code, "malformed_json", "{wrong}");
    }
    assert!(text(b"{\"a\": \"\xff\"}").unwrap_err().message.ends_with("line 1, column 8."));
    assert!(refused(strict("{\"a\":\n \"\\ud800\"}")).contains("line 2, column "));
}

#[test]
fn records_that_can_be_read_in_two_ways_are_graded_as_a_file() {
    let twice = r#"{"a":1,"a":2}"#;
    let file = STANDARD.encode(twice);
    for (sandbox, read) in [
        (format!(r#"{{"fhir": {twice}}}"#), json!({"fhir": file})),
        (format!(r#"{{"portal": {{"t": {twice}, "u": []}}}}"#), json!({"portal": {"t": file, "u": []}})),
        (format!(r#"{{"voice": {{"c.json": {twice}}}}}"#), json!({"voice": {"c.json": file}})),
    ] {
        let request = format!(r#" {{"task": {{}}, "baseline": {sandbox}, "sandbox": {sandbox}}}"#);
        let both = json!({"task": {}, "baseline": read, "sandbox": read});
        assert_eq!(to_grade(&request, &request).unwrap(), both);
        let row = format!(r#"{{"candor": {request}, "response": {{}}}}"#);
        assert_eq!(to_grade(&row, &row).unwrap(), json!({"candor": both, "response": {}}));
        // What surrounds records is read in one way, or not at all. The place is one of the body.
        let request = format!("{{\n\"sandbox\": {sandbox}, \"task\": {twice}}}");
        let column = request.rfind("\"a\"").unwrap() - 1;
        let expected = format!("An object has the member `a` twice, line 2, column {column}; send it once.");
        assert_eq!(refused(to_grade(&request, &request)), expected);
        assert!(strict(&request.replace(twice, "1").replace("task", "sandbox")).is_err());
    }
    let wrapped = format!(r#"{{"sandbox": {{"files": {{"a": {twice}}}}}}}"#);
    assert!(to_grade(&wrapped, &wrapped).is_err());
}

#[test]
fn the_entries_of_a_batch_are_read_one_by_one() {
    let text = r#"{"entries": {"a": {"x": 1, "x": 2}, "b": {"y": [1]}}}"#;
    let (body, entries) = batch(text).unwrap();
    assert_eq!(body, json!({"entries": {"a": null, "b": null}}));
    let read: Vec<_> = entries.iter().map(|(key, entry)| (&**key, to_grade(text, entry).ok())).collect();
    assert_eq!(read, [("a", None), ("b", Some(json!({"y": [1]})))]);
    assert!(refused(to_grade(text, entries[0].1)).contains("`x` twice, line 1, column 28"));
    for twice in [r#"{"entries": {"a": {}, "a": {}}}"#, r#"{"entries": {}, "entries": {}}"#] {
        assert!(refused(batch(twice).map(|(body, _)| body)).contains("twice"), "{twice}");
    }
    let deep = format!(r#"{{"entries": {{"a": {}1{}, "b": 1, "b": 2}}}}"#, "[".repeat(200), "]".repeat(200));
    assert!(refused(batch(&deep).map(|(body, _)| body)).contains("`b` twice"));
}
