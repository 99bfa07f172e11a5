//! Grading of single assertions on one server, through the engine.

use candor_json::{Value, json};
pub(crate) use candor_tests::grade::{Graded, described, within};

/// Grades on a server, with time enough for a machine that is busy.
pub(crate) fn on(url: &str, assertion: Value) -> Graded {
    on_within("30s", url, assertion)
}

/// Grades on a server, in so much time at most.
pub(crate) fn on_within(timeout: &str, url: &str, assertion: Value) -> Graded {
    described(&format!("[fhir]\nurl = \"{url}\"\n[limits]\ntimeout = \"{timeout}\"\n"), assertion)
}

/// The assertion of these tests: a booked appointment of a patient, with a doctor.
pub(crate) fn booked() -> Value {
    json!({
        "assert": "fhir-resource-state", "resource_type": "Appointment",
        "search": {"patient": "Patient/john-smith", "status": "booked"},
        "fields": [{"path": "description", "expected": "MRI"}]
    })
}

/// An appointment as a server holds it.
pub(crate) fn appointment(id: &str, description: &str) -> Value {
    json!({
        "resourceType": "Appointment", "id": id, "meta": {"versionId": "1"}, "status": "booked",
        "description": description,
        "participant": [{"actor": {"reference": "Patient/john-smith"}, "status": "accepted"}]
    })
}

/// A page of a searchset.
pub(crate) fn page(resources: &[Value], links: &[(&str, &str)]) -> Value {
    let entries = resources.iter().map(|resource| {
        json!({
            "fullUrl": format!("https://ehr.example/r4/{}/{}", resource["resourceType"].as_str().unwrap(),
                resource["id"].as_str().unwrap_or("none")),
            "resource": resource, "search": {"mode": "match"}
        })
    });
    let links = links.iter().map(|(relation, url)| json!({"relation": relation, "url": url}));
    json!({
        "resourceType": "Bundle", "type": "searchset",
        "link": links.collect::<Vec<_>>(), "entry": entries.collect::<Vec<_>>()
    })
}
