//! The forms of a reference.

use candor_fhir_search::literal::Literal::{self, Contained, Other, Restful};

#[test]
fn forms() {
    let relative = |resource_type, id, version| Restful { base: None, resource_type, id, version };
    let absolute = |base, resource_type, id| Restful { base: Some(base), resource_type, id, version: None };
    for (text, expected) in [
        ("Patient/1", relative("Patient", "1", None)),
        ("Patient/1/", relative("Patient", "1", None)),
        ("Patient/1/_history/2", relative("Patient", "1", Some("2"))),
        ("https://a/b/Patient/1", absolute("https://a/b", "Patient", "1")),
        ("http://a/Patient/1", absolute("http://a", "Patient", "1")),
        ("#p", Contained("p")),
        ("urn:uuid:8d1e0c5e-0000-4000-8000-000000000000", Other("urn:uuid:8d1e0c5e-0000-4000-8000-000000000000")),
        ("Patient?identifier=x|1", Other("Patient?identifier=x|1")),
        ("patient/1", Other("patient/1")),
        ("Patient/", Other("Patient/")),
        ("Patient/1/2", Other("Patient/1/2")),
        ("x/Patient/1", Other("x/Patient/1")),
        ("http://hl7.org/fhir/ValueSet/a|2", Other("http://hl7.org/fhir/ValueSet/a|2")),
        ("", Other("")),
        ("/", Other("/")),
    ] {
        assert_eq!(Literal::parse(text), expected, "{text}");
    }
}
