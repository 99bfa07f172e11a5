//! Models of `fhir-sdk` as expectations and as what was seen: `cargo test -p candor-fhir-resource-state --features fhir-sdk`.
#![cfg(feature = "fhir-sdk")]

use candor_check::{Check, Evidence};
use candor_fhir_resource_state::FhirResourceState;
use candor_fhir_resource_state::models::{Handed, Model, assertion_of, fields_of, read};
use candor_json::{Value, json};
use fhir_sdk::{r4b, r5};

fn r4b(value: Value) -> r4b::resources::Resource {
    read(value.to_string().as_bytes()).unwrap()
}

fn r5(value: Value) -> r5::resources::Resource {
    read(value.to_string().as_bytes()).unwrap()
}

fn check(mut assertion: Value) -> FhirResourceState {
    assertion.as_object_mut().unwrap().remove("assert");
    candor_json::from_value(assertion).unwrap()
}

fn judged(check: &FhirResourceState, resources: &[impl Model], handed: &Handed) -> Evidence {
    check.judge(&check.seen_in(resources, handed).unwrap())
}

/// Status and reason in one.
fn outcome(evidence: &Evidence) -> String {
    let reason = evidence.reason().map_or("", |reason| reason.name());
    format!("{} {reason}", evidence.status().name()).trim_end().to_owned()
}

fn whole() -> Handed {
    Handed::whole("https://ehr.example/r4")
}

fn patient() -> Value {
    json!({
        "resourceType": "Patient", "birthDate": "1974-12", "deceasedDateTime": "2026-11-20T09:00:00.500+01:00",
        "name": [{"family": "Chalmers", "given": ["Peter", "James"]}], "multipleBirthInteger": 2
    })
}

fn appointment(status: &str) -> Value {
    json!({
        "resourceType": "Appointment", "status": status, "description": "MRI", "minutesDuration": 30,
        "start": "2026-11-20T09:00:00Z", "end": "2026-11-20T09:30:00Z",
        "participant": [{"actor": {"reference": "Patient/john-smith"}, "status": "accepted"}]
    })
}

fn with(mut resource: Value, name: &str, value: Value) -> Value {
    resource[name] = value;
    resource
}

/// The same patient and appointment, in both releases, pass against themselves; each changed element fails.
#[test]
fn a_model_expects_what_it_holds() {
    fn holds<M: Model>(model: fn(Value) -> M) {
        for (wanted, red) in [
            (patient(), ("birthDate", json!("1974-12-25"))),
            (patient(), ("deceasedDateTime", json!("2026-11-20T09:00:00.501+01:00"))),
            (patient(), ("name", json!([{"family": "Chalmers", "given": ["Peter"]}]))),
            (appointment("booked"), ("status", json!("cancelled"))),
            (appointment("booked"), ("start", json!("2026-11-20T09:00:01Z"))),
            (appointment("booked"), ("minutesDuration", json!(31))),
            (
                appointment("booked"),
                ("participant", json!([{"actor": {"reference": "Patient/jon-smith"}, "status": "accepted"}])),
            ),
        ] {
            let check = FhirResourceState::expecting(&model(wanted.clone())).unwrap();
            let there = with(wanted, "id", json!("a1"));
            let more = with(there.clone(), "language", json!("en"));
            assert_eq!(outcome(&judged(&check, &[model(more)], &whole())), "passed");
            let evidence = judged(&check, &[model(with(there, red.0, red.1.clone()))], &whole());
            assert_eq!(outcome(&evidence), "failed field_mismatch", "{red:?}: {}", evidence.details());
        }
    }
    holds(r4b);
    holds(r5);
}

#[test]
fn builders_and_enums_are_models_too() {
    use fhir_sdk::r5::resources::{Patient, Resource};
    let mut one: Patient = candor_json::from_str(r#"{"resourceType": "Patient"}"#).unwrap();
    one.active = Some(true);
    one.birth_date = Some(fhir_sdk::Date::Year(1974));
    let fields = fields_of(&Resource::from(one)).unwrap();
    assert_eq!(fields, [json!({"path": "active", "expected": true}), json!({"path": "birthDate", "expected": "1974"})]);
}

/// An instant is written in one form of several; the moment counts.
#[test]
fn moments_are_compared_as_such() {
    let check = FhirResourceState::expecting(&r4b(appointment("booked"))).unwrap();
    let there = with(appointment("booked"), "start", json!("2026-11-20T10:00:00+01:00"));
    assert_eq!(outcome(&judged(&check, &[r4b(there)], &whole())), "passed");
}

#[test]
fn an_id_is_read_and_a_search_is_added() {
    let mut named = assertion_of(&r5(with(appointment("booked"), "id", json!("a1")))).unwrap();
    assert_eq!((&named["resource_type"], &named["read"]), (&json!("Appointment"), &json!({"id": "a1"})));
    let other = [r5(with(appointment("booked"), "id", json!("a2")))];
    assert_eq!(outcome(&judged(&check(named.clone()), &other, &whole())), "failed no_candidate");
    named.as_object_mut().unwrap().remove("read");
    named["search"] = json!({"patient": "Patient/john-smith"});
    assert_eq!(outcome(&judged(&check(named.clone()), &other, &whole())), "passed");
    named["search"] = json!({"patient": "Patient/nobody"});
    let evidence = judged(&check(named), &other, &whole());
    assert_eq!(outcome(&evidence), "failed no_candidate");
    assert!(evidence.details().contains("https://ehr.example/r4"), "{}", evidence.details());
    assert!(assertion_of(&r5(with(patient(), "id", json!("no id!")))).unwrap_err().to_string().contains("no id"));
}

/// An incomplete source decides nothing that depends on the rest, and still passes what it shows.
#[test]
fn a_part_is_no_whole() {
    let part = Handed::part("https://ehr.example/r4/Appointment?_count=1", "the next page was not read");
    let there = [r4b(with(appointment("booked"), "id", json!("a1")))];
    let none = check(json!({"resource_type": "Appointment", "search": {"status": "cancelled"}, "count": 0}));
    assert_eq!(outcome(&judged(&none, &there, &whole())), "passed");
    assert_eq!(outcome(&judged(&none, &there, &part)), "unverifiable source_unavailable");
    let cancelled = FhirResourceState::expecting(&r4b(appointment("cancelled"))).unwrap();
    assert_eq!(outcome(&judged(&cancelled, &there, &part)), "unverifiable source_unavailable");
    assert_eq!(outcome(&judged(&cancelled, &there, &whole())), "failed field_mismatch");
    let booked = FhirResourceState::expecting(&r4b(appointment("booked"))).unwrap();
    let evidence = judged(&booked, &there, &part);
    assert_eq!(outcome(&evidence), "passed");
    let value = evidence.to_value("fieldResults");
    assert!(value.to_string().contains("https://ehr.example/r4/Appointment?_count=1"), "{value}");
    assert!(!value.to_string().contains("models.ndjson"), "{value}");
}

#[test]
fn nothing_handed_in_is_no_candidate() {
    let check = FhirResourceState::expecting(&r4b(patient())).unwrap();
    let nothing: [r4b::resources::Resource; 0] = [];
    assert_eq!(outcome(&judged(&check, &nothing, &whole())), "failed no_candidate");
    let part = Handed::part("https://ehr.example/r4", "the server did not answer");
    assert_eq!(outcome(&judged(&check, &nothing, &part)), "unverifiable source_unavailable");
}

/// References between what is handed in are followed, and of two versions the later counts.
#[test]
fn resources_are_those_of_one_source() {
    let check = check(json!({
        "resource_type": "Appointment",
        "fields": [{"fhirpath": "participant.actor.resolve().name.family", "expected": "Smith"}]
    }));
    let smith = |version: &str, family: &str| {
        r4b(json!({
            "resourceType": "Patient", "id": "john-smith", "meta": {"versionId": version}, "name": [{"family": family}]
        }))
    };
    let booked = || r4b(with(appointment("booked"), "id", json!("a1")));
    let now = judged(&check, &[booked(), smith("1", "Jones"), smith("2", "Smith")], &whole());
    assert_eq!(outcome(&now), "passed", "{}", now.details());
    let before = judged(&check, &[booked(), smith("3", "Jones"), smith("2", "Smith")], &whole());
    assert_eq!(outcome(&before), "failed field_mismatch");
}

/// A searchset with more matches than entries is a part by its own word.
#[test]
fn a_bundle_is_read_as_one() {
    let bundle = |total: u32| {
        r4b(json!({
            "resourceType": "Bundle", "type": "searchset", "total": total,
            "entry": [{"resource": with(appointment("booked"), "id", json!("a1"))}]
        }))
    };
    let two = check(json!({"resource_type": "Appointment", "count": 1}));
    assert_eq!(outcome(&judged(&two, &[bundle(1)], &whole())), "passed");
    assert!(outcome(&judged(&two, &[bundle(2)], &whole())).starts_with("unverifiable"));
}

fn weight(value: f64) -> r4b::resources::Resource {
    let text = r#"{"resourceType": "Observation", "status": "final", "code": {"text": "weight"}}"#;
    let mut one: r4b::resources::Observation = candor_json::from_str(text).unwrap();
    let mut quantity: r4b::types::Quantity = candor_json::from_str(r#"{"code": "kg"}"#).unwrap();
    quantity.value = Some(value);
    one.value = Some(r4b::resources::ObservationValue::Quantity(quantity));
    r4b::resources::Resource::from(one)
}

/// Models hold decimals in binary floating point; up to 15 digits what was written comes out again.
#[test]
fn decimals_keep_their_value() {
    for value in [7.2, 0.1, 100.0, 123_456_789.012_345, -0.000_001] {
        let check = FhirResourceState::expecting(&weight(value)).unwrap();
        assert_eq!(outcome(&judged(&check, &[weight(value)], &whole())), "passed", "{value}");
        let other = judged(&check, &[weight(value * 1.000_000_1)], &whole());
        assert_eq!(outcome(&other), "failed field_mismatch", "{value}");
    }
    let fields = fields_of(&weight(7.2)).unwrap();
    assert!(fields.contains(&json!({"path": "valueQuantity.value", "expected": 7.2})), "{fields:?}");
}

#[test]
fn numbers_that_are_none_are_refused() {
    for value in [f64::NAN, f64::INFINITY] {
        let error = fields_of(&weight(value)).unwrap_err().to_string();
        assert_eq!(error, "valueQuantity.value has a value that JSON does not have");
        let check = check(json!({"resource_type": "Observation"}));
        let error = check.seen_in(&[weight(1.0), weight(value)], &whole()).unwrap_err().to_string();
        assert!(error.starts_with("resource 2 of those handed in: valueQuantity.value"), "{error}");
    }
}

/// The treatment of JSON by `fhir-sdk`, as the documentation has it, and by [`read`].
#[test]
fn what_fhir_sdk_drops_and_refuses() {
    let plain = |value: &Value| candor_json::from_str::<r4b::resources::Resource>(&value.to_string());
    let kept = |value: &Value| read::<r4b::resources::Resource>(value.to_string().as_bytes());
    // A member that its type does not have.
    let unknown = with(appointment("booked"), "subject", json!({"reference": "x"}));
    assert_eq!(candor_json::to_value(plain(&unknown).unwrap()).unwrap().get("subject"), None);
    assert_eq!(kept(&unknown).unwrap_err().to_string(), "fhir-sdk does not keep subject unchanged from the JSON");
    // A code outside a required value set, a time without a zone, a decimal where an integer is.
    for refused in [
        appointment("booked-ish"),
        with(appointment("booked"), "start", json!("2026-11-20T09:00:00")),
        with(appointment("booked"), "minutesDuration", json!(30.5)),
    ] {
        assert!(plain(&refused).is_err());
        assert!(kept(&refused).unwrap_err().to_string().starts_with("fhir-sdk refuses it: "));
    }
    // A decimal in a choice of types, whose text candor_json keeps as a map; one of more digits than it holds.
    let weight = |value: &str| {
        let text = r#"{"resourceType": "Observation", "status": "final", "code": {"text": "w"}, "valueQuantity": {"value": 0}}"#;
        candor_json::from_str::<Value>(&text.replace(": 0}", &format!(": {value}}}"))).unwrap()
    };
    assert_eq!(candor_json::to_value(plain(&weight("7.20")).unwrap()).unwrap().get("valueQuantity"), None);
    assert_eq!(candor_json::to_value(kept(&weight("7.20")).unwrap()).unwrap()["valueQuantity"]["value"], json!(7.2));
    assert!(kept(&weight("1.234567890123456789")).unwrap_err().to_string().contains("valueQuantity.value"));
    assert!(kept(&json!([])).is_err());
    assert!(
        read::<r4b::resources::Resource>(br#"{"resourceType": "Patient", "active": true, "active": false}"#).is_err()
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(candor_test_size::cases(200)))]

    #[test]
    fn what_is_read_passes_against_itself(units in -999_999_999_i64..999_999_999, scale in 0_u32..6, text in "[a-zéß ]{1,8}") {
        let value = format!("{}.{:0width$}", units / 10_i64.pow(scale), (units % 10_i64.pow(scale)).abs(), width = scale as usize);
        let json = format!(
            r#"{{"resourceType": "Observation", "status": "final", "code": {{"text": {text:?}}}, "valueQuantity": {{"value": {value}0}}}}"#
        );
        let model = read::<r5::resources::Resource>(json.as_bytes()).unwrap();
        let check = FhirResourceState::expecting(&model).unwrap();
        proptest::prop_assert_eq!(outcome(&judged(&check, &[model], &whole())), "passed");
    }

    #[test]
    fn any_bytes_are_a_model_or_refused(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..100)) {
        if let Err(error) = read::<r4b::resources::Resource>(&bytes) {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
