//! The formats and the encodings of a document in a message.

use base64::Engine as _;
use proptest::prelude::*;

use crate::encoded;
use crate::format::{format_named, is_beyond, xml};

#[test]
fn formats_are_told() {
    for (format, bytes, holds) in [
        ("json", &b"{}"[..], true),
        ("json", b"{", false),
        ("ndjson", b"{}\n{}\n", true),
        ("xml", b"<a/>", true),
        ("xml", b"<a>", false),
        ("pdf", b"%PDF-1.4 x %%EOF", true),
        ("pdf", b"%PDF-1.4 x", false),
        ("text", b"\xFF", false),
        ("hl7", b"MSH|^~\\&|A", true),
        ("hl7", b"PID|", false),
        ("fhir", b"{\"resourceType\": \"Patient\"}", true),
        ("fhir", b"{}", false),
        ("bytes", b"", true),
    ] {
        assert_eq!(format_named(format).unwrap().problem(bytes).is_none(), holds, "{format} {bytes:?}");
    }
}

#[test]
fn deep_xml_costs_no_stack() {
    let nested = |levels: usize| xml(("<a>".repeat(levels) + &"</a>".repeat(levels)).as_bytes());
    assert_eq!(nested(256), Ok(()));
    for levels in [257, 100_000] {
        assert_eq!(nested(levels), Err("elements more than 256 levels deep".to_owned()));
        assert!(is_beyond("<a>".repeat(levels).as_bytes()));
    }
    for no_xml in ["<a>", "<!DOCTYPE a><a/>"] {
        assert!(xml(no_xml.as_bytes()).is_err() && !is_beyond(no_xml.as_bytes()), "{no_xml}");
    }
}

proptest! {
    #[test]
    fn what_was_encoded_is_decoded(bytes in prop::collection::vec(any::<u8>(), 1..200), width in 1_usize..80) {
        let standard = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let wrapped: Vec<String> = standard.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        prop_assert_eq!(encoded::base64(&wrapped.join("\r\n")), Some(bytes.clone()));
        prop_assert_eq!(encoded::base64(standard.trim_end_matches('=')), Some(bytes.clone()));
        let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        prop_assert_eq!(encoded::hex(&digits), Some(bytes));
    }
}
