//! Routes.

use candor_json::json;

use crate::dosage::route::{leading, named, of_concept};

#[test]
fn a_route_in_its_forms() {
    for text in ["subcutaneous", "Subcutaneously", "SQ", "SC", "34206005", "http://snomed.info/sct|34206005", "sub-q"] {
        assert_eq!(named(text), Some("subcutaneous"), "{text}");
    }
    assert_eq!(named("by mouth"), Some("oral"));
    assert_eq!(named("somehow"), None);
    let concept = json!({"coding": [{"system": "http://snomed.info/sct", "code": "26643006"}], "text": "IV"});
    assert_eq!(of_concept(&concept), ["oral", "intravenous"]);
    let at = |text: &str| leading(&crate::dosage::words::tokens(text));
    assert_eq!(at("under the skin once daily"), Some((3, "subcutaneous")));
    assert_eq!(at("po bid"), Some((1, "oral")));
    assert_eq!(at("in it"), None);
}
