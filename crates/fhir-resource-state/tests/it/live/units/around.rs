//! References that are followed around.

use candor_json::json;

use crate::live::around::targets;

#[test]
fn what_is_elsewhere_is_not_asked_for() {
    let resource = json!({
        "subject": {"reference": "Patient/1"}, "performer": [{"reference": "https://a.example/r4/Practitioner/2"}],
        "encounter": {"reference": "https://b.example/r4/Encounter/3"}, "focus": {"reference": "urn:uuid:4"},
        "note": "Patient/5"
    });
    let mut found = targets(&resource, "https://ehr.example/r4", "https://a.example/r4");
    found.sort();
    let found: Vec<&str> = found.iter().map(|target| target.full_url.as_str()).collect();
    assert_eq!(found, ["https://ehr.example/r4/Patient/1", "https://a.example/r4/Practitioner/2"]);
}
