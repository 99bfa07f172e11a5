//! Messages in both encodings.

use crate::message::{Wire, attributes, binary, field, json, text};

#[test]
fn both_encodings_are_as_the_specifications_show_them() {
    // The example of the encoding's documentation: field 1, 150.
    assert_eq!(binary(&[field(1, "a", Wire::Int(150))]), [0x08, 0x96, 0x01]);
    assert_eq!(binary(&[text(2, "b", "testing")]), b"\x12\x07testing");
    assert_eq!(binary(&[field(3, "c", Wire::Message(vec![field(1, "a", Wire::Int(150))]))]), [0x1a, 3, 8, 0x96, 1]);
    assert_eq!(binary(&[field(16, "d", Wire::Bool(true))]), [0x80, 0x01, 0x01]);
    let message = [
        field(1, "traceId", Wire::Id(vec![0x5b, 0x8e])),
        field(7, "startTimeUnixNano", Wire::Fixed(1_544_712_660_000_000_000)),
        field(6, "kind", Wire::Enum(1)),
        field(9, "attributes", attributes(vec![("n", Wire::Int(2)), ("b", Wire::Bool(false))])),
        field(6, "bucketCounts", Wire::Fixeds(vec![1])),
    ];
    assert_eq!(
        json(&message),
        candor_json::json!({
            "traceId": "5b8e", "startTimeUnixNano": "1544712660000000000", "kind": 1,
            "attributes": [{"key": "n", "value": {"intValue": "2"}}, {"key": "b", "value": {"boolValue": false}}],
            "bucketCounts": ["1"],
        })
    );
}
