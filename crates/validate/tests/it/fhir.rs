//! FHIR: each damage of a valid resource has its finding, and nothing else has one.
#![cfg(feature = "fhir")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use candor_json::{Value, json};
use candor_validate::{Finding, Known, Severity, fhir};
use proptest::prelude::*;

/// The codes and paths of the findings.
fn found(text: &str) -> Vec<(String, String)> {
    let mut known = Known::default();
    known.add(text.as_bytes());
    let findings = fhir("a.json", text.as_bytes(), &known).findings;
    findings.into_iter().map(|finding| (finding.code, finding.path)).collect()
}

fn patient() -> Value {
    json!({
        "resourceType": "Patient", "id": "p-1.A", "meta": {"lastUpdated": "2026-11-20T10:00:60.5+14:00"}, "language": "de-AT",
        "implicitRules": "http://example.org/rules",
        "text": {"status": "generated", "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\">A</div>"},
        "contained": [{"resourceType": "Organization", "id": "o", "name": "A"}],
        "extension": [{"url": "http://example.org/e", "valueUuid": "urn:uuid:c757873d-ec9a-4326-a141-556f43239520"}],
        "active": true, "name": [{"family": "A", "given": ["B", null], "_given": [null, {"extension": [{"url": "http://e"}]}]}],
        "_birthDate": {"extension": [{"url": "http://e", "valueDateTime": "2026"}]}, "birthDate": "2024-02-29",
        "multipleBirthInteger": 2, "photo": [{"contentType": "image/png", "data": "AAAA\r\nAA==", "size": 0}],
        "contact": [{"name": {"text": "C"}, "telecom": [{"system": "phone", "value": "1", "rank": 1}]}],
        "communication": [{"language": {"text": "German"}, "preferred": true}], "managingOrganization": {"reference": "#o"},
        "link": [{"other": {"reference": "Patient/p-1.A"}, "type": "seealso"}]
    })
}

fn observation() -> Value {
    json!({
        "resourceType": "Observation", "id": "o1", "status": "final", "code": {"text": "A"},
        "effectiveDateTime": "2026-11-20T10:00:00Z", "issued": "2026-11-20T10:00:00.123Z",
        "component": [
            {"code": {"text": "A"}, "valueQuantity": {"value": 1.50, "unit": "mg"}},
            {"code": {"text": "B"}, "valueTime": "23:59:59"},
            {"code": {"text": "C"}, "valueInteger": -2_147_483_648}
        ]
    })
}

fn request() -> Value {
    json!({
        "resourceType": "MedicationRequest", "id": "m1", "_status": {"extension": [{"url": "http://e", "valueCode": "unknown"}]},
        "intent": "order", "medicationCodeableConcept": {"text": "A"}, "subject": {"display": "B"}
    })
}

/// Sets what a pointer leads to; `None` takes it away.
fn damaged(mut resource: Value, pointer: &str, value: Option<Value>) -> String {
    let (outer, name) = pointer.rsplit_once('/').unwrap();
    let outer = resource.pointer_mut(outer).unwrap_or_else(|| panic!("{pointer}"));
    match (outer, value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name.to_owned(), value)),
        (Value::Object(members), None) => drop(members.shift_remove(name).unwrap()),
        (Value::Array(items), Some(value)) => *items.get_mut(name.parse::<usize>().unwrap()).unwrap() = value,
        _ => panic!("{pointer}"),
    }
    resource.to_string()
}

#[test]
fn valid_resources_have_no_findings() {
    for resource in [patient(), observation(), request()] {
        assert_eq!(found(&resource.to_string()), []);
    }
}

#[test]
fn each_damage_has_its_finding() {
    let date = "a date that the calendar does not have";
    let table: [(&str, &str, Value); 72] = [
        ("wrong-type", "/active", json!("true")),
        ("wrong-type", "/active", json!(1)),
        ("wrong-type", "/active", json!({"value": true})),
        ("wrong-type", "/multipleBirthInteger", json!("2")),
        ("wrong-type", "/birthDate", json!(2024)),
        ("wrong-type", "/name/0/family", json!({"text": "A"})),
        ("wrong-type", "/name/0/given/0", json!(["A"])),
        ("wrong-type", "/name/0", json!("A B")),
        ("wrong-type", "/name", json!({"family": "A"})),
        ("wrong-type", "/name", json!("A")),
        ("wrong-type", "/managingOrganization", json!("#o")),
        ("wrong-type", "/contained", json!({"resourceType": "Organization", "id": "o", "name": "A"})),
        ("not-repeated", "/managingOrganization", json!([{"reference": "#o"}])),
        ("not-repeated", "/birthDate", json!(["2024-02-29"])),
        ("empty", "/name/0/family", json!("")),
        ("empty", "/extension/0/valueUuid", json!("")),
        ("empty", "/name", json!([])),
        ("empty", "/name/0", json!({})),
        ("empty", "/name/0", json!(null)),
        ("empty", "/managingOrganization", json!({})),
        ("empty", "/_birthDate", json!({})),
        ("empty", "/birthDate", json!(null)),
        ("empty", "/name/0/given/0", json!(null)),
        ("empty", "/name/0/_given/1", json!(null)),
        ("invalid-value", "/name/0/family", json!(" \t")),
        ("invalid-value", "/name/0/family", json!("A\u{1}")),
        ("invalid-value", "/multipleBirthInteger", json!(1.0)),
        ("invalid-value", "/multipleBirthInteger", json!(2_147_483_648_i64)),
        ("invalid-value", "/photo/0/size", json!(-1)),
        ("invalid-value", "/contact/0/telecom/0/rank", json!(0)),
        ("invalid-value", "/birthDate", json!("2023-02-29")),
        ("invalid-value", "/birthDate", json!("1900-02-29")),
        ("invalid-value", "/birthDate", json!("2024-04-31")),
        ("invalid-value", "/birthDate", json!("2024-13")),
        ("invalid-value", "/birthDate", json!("2024-00-01")),
        ("invalid-value", "/birthDate", json!("0000")),
        ("invalid-value", "/birthDate", json!("24")),
        ("invalid-value", "/birthDate", json!("20240229")),
        ("invalid-value", "/birthDate", json!("2024-02-29-01")),
        ("invalid-value", "/birthDate", json!("2024-02-29T10:00:00Z")),
        ("invalid-value", "/birthDate", json!("29.02.2024")),
        ("invalid-value", "/birthDate", json!(date)),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00:00")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T24:00:00Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:60:00Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00:61Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00:00.Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00:00+14:01")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20T10:00:00+0100")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-31T10:00:00Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11-20 10:00:00Z")),
        ("invalid-value", "/meta/lastUpdated", json!("2026-11T10:00:00Z")),
        ("invalid-value", "/id", json!("p_1")),
        ("invalid-value", "/id", json!("a".repeat(65))),
        ("invalid-value", "/contained/0/id", json!("ö")),
        ("invalid-value", "/language", json!(" de")),
        ("invalid-value", "/language", json!("de  AT")),
        ("invalid-value", "/language", json!("de ")),
        ("invalid-value", "/implicitRules", json!("http://example.org/a b")),
        ("invalid-value", "/photo/0/data", json!("AAA")),
        ("invalid-value", "/photo/0/data", json!("A===")),
        ("invalid-value", "/photo/0/data", json!("AA=A")),
        ("invalid-value", "/photo/0/data", json!("AA-_")),
        ("invalid-value", "/photo/0/data", json!(" ")),
        ("code-invalid", "/link/0/type", json!("see-also")),
        ("unknown-element", "/link/0/kind", json!("seealso")),
        ("unknown-element", "/name/0/resourceType", json!("HumanName")),
        ("unknown-type", "/contained/0/resourceType", json!("Organisation")),
        ("too-deep", "/extension/0/extension", deep()),
        ("reference-not-found", "/link/0/other/reference", json!("Patient/p2")),
    ];
    for (code, pointer, value) in table {
        let text = damaged(patient(), pointer, Some(value));
        let all = found(&text);
        let codes: Vec<&str> = all.iter().map(|(code, _)| code.as_str()).collect();
        // A text in place of a list of names has two faults. Without its id the organization is not found, either.
        let is_more = codes.len() == 2 && codes.first() == Some(&code);
        assert!(codes == [code] || is_more, "{code} {pointer}: {all:?} in {text}");
        let path = format!("Patient{}", pointer.replace('/', "."));
        assert!(all.iter().any(|(_, at)| at.starts_with(&path)), "{path}: {all:?}");
    }
}

/// Extensions in extensions, deeper than is read.
fn deep() -> Value {
    (0..55).fold(json!([{"url": "http://e"}]), |inner, _| json!([{"url": "http://e", "extension": inner}]))
}

#[test]
fn forms_of_other_elements() {
    let table = [
        (observation(), "/effectiveDateTime", json!("2026-11-20T10:00:00"), "invalid-value"),
        (observation(), "/component/0/valueQuantity/value", json!("1.50"), "wrong-type"),
        (observation(), "/component/1/valueTime", json!("24:00:00"), "invalid-value"),
        (observation(), "/component/1/valueTime", json!("10:00"), "invalid-value"),
        (observation(), "/component/1/valueTime", json!("10:00:00Z"), "invalid-value"),
        (observation(), "/component/2/valueInteger", json!(-2_147_483_649_i64), "invalid-value"),
    ];
    for (resource, pointer, value, code) in table {
        let path = format!("Observation{}", pointer.replace('/', "."));
        assert_eq!(found(&damaged(resource, pointer, Some(value))), [(code.to_owned(), path)]);
    }
}

/// R4 has one subject of a Composition, and R5 a list of them.
#[test]
fn a_release_is_enough() {
    let composition = |subject: Value| {
        json!({
            "resourceType": "Composition", "status": "final", "type": {"text": "A"}, "date": "2026", "title": "A",
            "author": [{"display": "B"}], "subject": subject
        })
    };
    let subject = json!({"display": "C"});
    assert_eq!(found(&composition(subject.clone()).to_string()), []);
    assert_eq!(found(&composition(json!([subject])).to_string()), []);
    // R5 names expressions by a code, and R4 by an id.
    let library = json!({
        "resourceType": "ActivityDefinition", "status": "draft",
        "dynamicValue": [{"path": "a", "expression": {"name": "a_b", "language": "text/cql", "expression": "1"}}]
    });
    assert_eq!(found(&library.to_string()), []);
    // R4 requires `actual`, which R5 does not have.
    let group = json!({"resourceType": "Group", "type": "person", "membership": "definitional"});
    assert_eq!(found(&group.to_string()), []);
}

#[test]
fn a_member_may_be_there_once() {
    let twice = |text: &str| {
        let findings = fhir("a", text.as_bytes(), &Known::default()).findings;
        findings.into_iter().map(|finding| (finding.code, finding.line)).collect::<Vec<_>>()
    };
    let damage = [("duplicate-member".to_owned(), Some(2))];
    assert_eq!(twice("{\"resourceType\": \"Patient\", \"id\": \"1\",\n\"id\": \"2\"}"), damage);
    let lines = "\u{feff}{\"resourceType\":\"Patient\",\"id\":\"1\"}\n{\"resourceType\":\"Patient\",\"id\":\"2\",\"id\":\"3\"}\n";
    assert_eq!(twice(lines), damage);
}

#[test]
fn white_space_alone_is_a_warning() {
    let text = damaged(patient(), "/name/0/family", Some(json!("  ")));
    let report = fhir("a", text.as_bytes(), &Known::default());
    let is_it = |finding: &Finding| finding.code == "invalid-value" && finding.severity == Severity::Warning;
    assert!(report.is_sound() && report.findings.iter().any(is_it), "{:?}", report.findings);
    assert!(report.not_looked_at.iter().any(|what| what.contains("extensions") && !what.contains("required elements")));
}

/// Where a required element is: the resource, the pointer to it, and the path of the finding.
const REQUIRED: &[(&str, &str, &str)] = &[
    ("Patient", "/text/status", "Patient.text.status"),
    ("Patient", "/text/div", "Patient.text.div"),
    ("Patient", "/communication/0/language", "Patient.communication.0.language"),
    ("Patient", "/link/0/other", "Patient.link.0.other"),
    ("Patient", "/link/0/type", "Patient.link.0.type"),
    ("Observation", "/status", "Observation.status"),
    ("Observation", "/code", "Observation.code"),
    ("Observation", "/component/0/code", "Observation.component.0.code"),
    ("MedicationRequest", "/_status", "MedicationRequest.status"),
    ("MedicationRequest", "/intent", "MedicationRequest.intent"),
    ("MedicationRequest", "/medicationCodeableConcept", "MedicationRequest.medication[x]"),
    ("MedicationRequest", "/subject", "MedicationRequest.subject"),
];

/// A resource as a file, alone, contained in another, or in a Bundle: its text, and the path to it.
fn wrapped(resource: &str, how: u8) -> (String, &'static str) {
    let resource: Value = candor_json::from_str(resource).unwrap();
    match how {
        0 => (resource.to_string(), ""),
        1 => (
            json!({"resourceType": "Basic", "code": {"text": "A"}, "contained": [resource]}).to_string(),
            "Basic.contained.0",
        ),
        _ => (
            json!({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": resource}]}).to_string(),
            "Bundle.entry.0.resource",
        ),
    }
}

fn json_like() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "resourceType",
        "id",
        "_id",
        "name",
        "given",
        "_given",
        "contained",
        "extension",
        "valueDate",
        "entry",
        "resource",
        "status",
        "link",
        "reference",
        "component",
        "value",
        "x",
    ]);
    let texts = prop::sample::select(vec![
        "",
        " ",
        "Patient",
        "Bundle",
        "Observation",
        "2024-02-29",
        "2024-02-29T",
        "-",
        "#",
        "é",
        "+",
        "urn:oid:",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        texts.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..6)
                .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn what_is_taken_away_is_what_is_missing(required in prop::sample::select(REQUIRED.to_vec()), how in 0_u8..3) {
        let (kind, pointer, path) = required;
        let resource = match kind { "Patient" => patient(), "Observation" => observation(), _ => request() };
        let whole = damaged(resource, pointer, None);
        // A contained resource contains none.
        prop_assume!(how != 1 || kind != "Patient");
        let (text, outer) = wrapped(&whole, how);
        let path = if outer.is_empty() { path.to_owned() } else { path.replacen(kind, outer, 1) };
        prop_assert_eq!(found(&text), [("missing-element".to_owned(), path)]);
    }

    #[test]
    fn no_json_is_too_much(value in json_like(), kind in prop::sample::select(vec!["Patient", "Bundle", "Observation", "X"])) {
        let mut value = value;
        found(&value.to_string());
        if let Value::Object(members) = &mut value {
            members.insert("resourceType".to_owned(), kind.into());
            found(&value.to_string());
        }
        let text = value.to_string();
        found(&format!("[{text},{text}]\n"));
        found(&format!("{text}\n{text}\n"));
    }
}

/// A name or an id may be a megabyte, and there may be thousands of findings in it.
#[test]
fn long_names_are_cut() {
    let long = "x".repeat(1_000_000);
    let many: Vec<Value> = (0..200_000).map(|_| json!("")).collect();
    let resource = json!({"resourceType": "Patient", "id": long, "extension": [{"url": "http://e", long: many}]});
    let report = fhir("a", resource.to_string().as_bytes(), &Known::default());
    assert_eq!(report.findings.len() + report.more_findings, 200_001);
    assert!(report.findings.iter().all(|finding| finding.path.len() + finding.unit.len() < 400));
}
