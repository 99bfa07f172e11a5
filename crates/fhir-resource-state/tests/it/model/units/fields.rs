//! From a resource to field assertions.

use candor_json::json;

use crate::model::fields::of;

#[test]
fn every_value_has_its_field() {
    let resource = json!({
        "resourceType": "Patient", "id": "p1",
        "meta": {"versionId": "3", "lastUpdated": "2026-11-20T09:00:00Z", "tag": [{"code": "vip"}]},
        "active": true, "birthDate": "1974-12-25", "_birthDate": {"extension": [{"url": "u", "valueString": "x"}]},
        "name": [{"given": [null, "Peter"], "_given": [{"id": "g"}, null]}],
        "deceasedDateTime": "2026-11-20T09:00:00Z",
        "generalPractitioner": [{"reference": "Practitioner/1"}]
    });
    assert_eq!(
        of(&resource).unwrap(),
        [
            json!({"path": "meta.tag.0.code", "expected": "vip"}),
            json!({"path": "active", "expected": true}),
            json!({"path": "birthDate", "expected": "1974-12-25"}),
            json!({"path": "_birthDate.extension.0.url", "expected": "u"}),
            json!({"path": "_birthDate.extension.0.valueString", "expected": "x"}),
            json!({"path": "name.0.given.1", "expected": "Peter"}),
            json!({"path": "name.0._given.0.id", "expected": "g"}),
            json!({"path": "deceasedDateTime", "as": "date", "expected": "2026-11-20T09:00:00Z"}),
            json!({"path": "generalPractitioner.0.reference", "using": ["reference"], "expected": "Practitioner/1"}),
        ]
    );
}

#[test]
fn what_is_no_value_is_refused() {
    for (resource, what) in [
        (json!({"value": null}), "value has a value that JSON does not have"),
        (json!({"a": {"b": [1, null]}}), "a.b.1 has a value that JSON does not have"),
        (json!({"name": [{}]}), "name.0 is an element without content, which FHIR does not have"),
        (json!({"name": []}), "name is an element without content, which FHIR does not have"),
    ] {
        assert_eq!(of(&resource).unwrap_err().to_string(), what);
    }
}

#[test]
fn depth_has_an_end() {
    let deep = (0..200).fold(json!("x"), |inner, _| json!({ "a": inner }));
    assert!(of(&deep).unwrap_err().to_string().contains("deeper than 127"));
}
