//! The parts of a sandbox in a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_json::json;

use crate::parts::Parts;

#[test]
fn parts_are_read_as_they_are_written() {
    let parts = Parts::read(&json!({
        "fhir": [{"resourceType": "Patient"}, {"resourceType": "Bundle", "type": "transaction", "entry": [
            {"fullUrl": "urn:uuid:1", "resource": {"resourceType": "Patient", "id": "p"}},
            {"resource": {"resourceType": "Appointment", "participant": [{"actor": {"reference": "urn:uuid:1"}}]}}]}],
        "hl7": {"a.hl7": "MSH|^~\\&|", "b.hl7": "TVNIfA=="},
        "files": {"out/1.json": "e30=", "t.txt": {"text": "test"}},
        "voice": {"call.json": [{"speaker": "agent", "text": "Hi"}]},
        "portal": {"orders": [{"id": 1}], "none": []},
    }))
    .unwrap();
    let ids: Vec<_> = parts.fhir.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["w1", "p", "w3"]);
    assert_eq!(parts.fhir[2]["participant"][0]["actor"]["reference"], "Patient/p");
    assert_eq!(parts.files["hl7/a.hl7"], b"MSH|^~\\&|");
    assert_eq!(parts.files["hl7/b.hl7"], b"MSH|");
    assert_eq!(parts.files["files/out/1.json"], b"{}");
    assert_eq!(parts.files["files/t.txt"], b"test");
    assert_eq!(parts.files["voice/call.json"], br#"[{"speaker":"agent","text":"Hi"}]"#);
    assert_eq!(parts.portal["orders"].len(), 1);
    assert!(parts.given.contains("portal") && !parts.given.contains("x12"));
}

#[test]
fn a_member_that_occurs_twice_in_a_file_is_kept_as_it_is() {
    let file = |text: &str| STANDARD.encode(text);
    let parts = Parts::read(&json!({
        "fhir": file("{\"resourceType\": \"Patient\",\n\"id\": \"a\", \"id\": \"b\"}"),
        "portal": {
            "a": file("[{\"x\": 1},\n {\"x\":\n 1, \"x\": 2}]"),
            "b": file("{\"x\": 1}\n{\"x\": 1, \"x\": 2}\n"),
            "c": file("[{\"x\": {\"x\": 1}}]"),
        },
    }))
    .unwrap();
    assert_eq!(parts.ambiguous, ["fhir", "portal.a", "portal.b"]);
    let kept = |path: &str| String::from_utf8(parts.files[path].clone()).unwrap();
    assert_eq!(kept("fhir/handed-in.ndjson"), "{\"resourceType\": \"Patient\", \"id\": \"a\", \"id\": \"b\"}\n");
    assert_eq!(kept("portal/a.ndjson"), "{\"x\": 1}\n{\"x\":  1, \"x\": 2}\n");
    assert_eq!(kept("portal/b.ndjson"), "{\"x\": 1}\n{\"x\": 1, \"x\": 2}");
    assert_eq!((parts.portal.len(), parts.fhir.len()), (1, 0));
}

#[test]
fn what_is_wrong_is_named_by_its_place() {
    for (value, place) in [
        (json!([]), ""),
        (json!({"fihr": []}), "fihr"),
        (json!({"fhir": [{"resourceType": "Patiant"}]}), "fhir[0]"),
        (json!({"fhir": [{"resourceType": "Patient", "id": "a b"}]}), "fhir[0]"),
        (json!({"fhir": [{"resourceType": "Patient", "id": "a"}, {"resourceType": "Patient", "id": "a"}]}), "fhir[1]"),
        (json!({"files": {"../x": ""}}), "files.../x"),
        (json!({"files": {"a": "", "a/b": ""}}), "files.a"),
        (json!({"files": {"a": "no base64!"}}), "files.a"),
        (json!({"hl7": {"a.hl7": 1}}), "hl7.a.hl7"),
        (json!({"portal": {"a": [1]}}), "portal.a[0]"),
        (json!({"portal": {"a/b": []}}), "portal.a/b"),
    ] {
        assert_eq!(Parts::read(&value).unwrap_err().place, place, "{value}");
    }
}
