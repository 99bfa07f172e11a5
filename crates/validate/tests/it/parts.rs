//! Parts of validating: standards, lines, places and amounts of acknowledgments.

use candor_validate::Standard;

use crate::amounts::{amount, cents};
use crate::lines::Lines;
use crate::place::place;

#[test]
fn the_type_of_a_resource_lies_at_the_top() {
    for (text, standard) in [
        (r#"{"resourceType": "Patient"}"#, Standard::Fhir),
        (r#"{"id": "\"}", "resourceType" : "Pat"#, Standard::Fhir),
        (r#"[{"a": {}}, {"resourceType": "Patient"}]"#, Standard::Fhir),
        ("{\"a\": 1}\n{\"resourceType\": \"Patient\"}\n", Standard::Fhir),
        (r#"{"order": {"resourceType": "Patient"}}"#, Standard::Json),
        (r#"{"data": [{"resourceType": "Patient"}]}"#, Standard::Json),
        (r#"{"a": "resourceType", "b": ["resourceType"]}"#, Standard::Json),
        (r#"{"a\"resourceType": 1, "resourceType"#, Standard::Json),
    ] {
        assert_eq!(Standard::of("a.json", text.as_bytes()), Some(standard), "{text}");
    }
}

#[test]
fn every_end_is_one() {
    let lines = Lines::of(b"a\rb\r\nc\nd");
    assert_eq!([0, 1, 2, 4, 5, 6, 7].map(|at| lines.line(at)), [1, 1, 2, 2, 3, 3, 4]);
}

#[test]
fn places_are_those_of_erl() {
    for (path, erl) in [("PID", "PID^1"), ("OBX[2].5[3]", "OBX^2^5^3"), ("MSH.9.2", "MSH^1^9^1^2")] {
        assert_eq!(place(path, '^'), erl);
    }
}

#[test]
fn amounts_are_summed_in_hundredths() {
    for (text, value) in
        [("150", Some(15000)), ("1.5", Some(150)), ("-.05", Some(-5)), ("", None), ("1.234", None), ("x", None)]
    {
        assert_eq!(cents(text), value, "{text}");
    }
    assert_eq!([amount(15000), amount(150), amount(-5), amount(0)], ["150", "1.5", "-0.05", "0"]);
}
