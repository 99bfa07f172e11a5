//! Tests of the answers of a collector.

use crate::export::rejects;
use crate::settings::Protocol;

#[test]
fn a_part_that_was_rejected_is_not_taken_for_all() {
    assert!(rejects(&[0x0a, 0x02, 0x08, 0x01], Protocol::Binary));
    assert!(!rejects(&[], Protocol::Binary) && !rejects(&[0x0a, 0x00], Protocol::Binary));
    assert!(rejects(br#"{"partialSuccess": {"rejectedSpans": "2"}}"#, Protocol::Json));
    for taken in ["", "{}", r#"{"partialSuccess": {}}"#, r#"{"partialSuccess": {"rejectedSpans": "0"}}"#, "<html>"] {
        assert!(!rejects(taken.as_bytes(), Protocol::Json), "{taken}");
    }
}
