//! The server's answer against our own search over the same resources.

use candor_json::{Value, json};
use candor_tests::http::{Reply, Server};

use crate::fhir_live::grade::{Graded, appointment, booked, on, page};

/// An appointment of somebody else, which the server finds all the same.
fn of_another() -> Value {
    let mut other = appointment("a9", "MRI");
    other["participant"][0]["actor"]["reference"] = json!("Patient/mary-jones");
    other
}

fn found(resources: Vec<Value>, assertion: Value) -> Graded {
    let server = Server::start(move |_| Reply::fhir(200, page(&resources, &[])));
    on(&server.url, assertion)
}

#[test]
fn a_resource_that_does_not_meet_the_search_earns_nothing() {
    found(vec![of_another()], booked())
        .is("unverifiable undecidable", &["finds Appointment/a9", "patient=Patient/john-smith", "Patient/mary-jones"]);
    // The server may or may not have one more.
    let mut counted = booked();
    counted["count"] = json!(1);
    found(vec![appointment("a1", "MRI"), of_another()], counted).is("unverifiable undecidable", &["Appointment/a9"]);
    let mut none = booked();
    none["count"] = json!(0);
    found(vec![of_another()], none).is("unverifiable undecidable", &[]);
}

#[test]
fn what_does_not_hang_on_it_is_concluded_as_ever() {
    found(vec![of_another(), appointment("a1", "MRI")], booked()).is("passed", &[]);
    let mut too_many = booked();
    too_many["count"] = json!(1);
    let three = vec![of_another(), appointment("a1", "MRI"), appointment("a2", "MRI")];
    found(three, too_many).is("failed count_mismatch", &[]);
}

#[test]
fn a_resource_that_the_search_overlooked_is_no_absence() {
    let server = Server::start(|request| {
        let all = if request.target.contains('?') { vec![] } else { vec![appointment("a1", "MRI")] };
        Reply::fhir(200, page(&all, &[]))
    });
    on(&server.url, booked())
        .is("unverifiable undecidable", &["Appointment/a1 meets the search", "an index may be behind"]);
}

#[test]
fn elements_that_r5_has_moved_are_found() {
    let request = json!({
        "resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
        "medication": {"concept": {"coding": [{"system": "http://rxnorm.example", "code": "1"}]}}
    });
    let assertion = json!({
        "assert": "fhir-resource-state", "resource_type": "MedicationRequest", "search": {"code": "http://rxnorm.example|1"},
        "fields": [{"path": "medication.concept.coding.code", "expected": "1"}]
    });
    let speaking = |version: &'static str| {
        let request = request.clone();
        let server = Server::start(move |asked| match asked.path() {
            "/metadata" => Reply::fhir(200, json!({"resourceType": "CapabilityStatement", "fhirVersion": version})),
            _ => Reply::fhir(200, page(std::slice::from_ref(&request), &[])),
        });
        on(&server.url, assertion.clone())
    };
    for version in ["5.0.0", "4.0.1"] {
        speaking(version).is("passed", &["1 of 1 MedicationRequest resource"]);
    }
}

#[test]
fn what_r5_has_not_moved_is_compared() {
    let r5 = |resource: Value, search: Value| {
        let assertion = json!({
            "assert": "fhir-resource-state", "resource_type": resource["resourceType"], "search": search
        });
        let server = Server::start(move |asked| match asked.path() {
            "/metadata" => Reply::fhir(200, json!({"resourceType": "CapabilityStatement", "fhirVersion": "5.0.0"})),
            _ => Reply::fhir(200, page(std::slice::from_ref(&resource), &[])),
        });
        on(&server.url, assertion)
    };
    let patient = json!({"resourceType": "Patient", "id": "p1", "name": [{"family": "X"}]});
    r5(patient, json!({"birthdate": "1974-12-25"})).is("unverifiable undecidable", &["there is nothing there"]);
    let encounter = |start: &str| {
        json!({"resourceType": "Encounter", "id": "e1", "status": "planned", "actualPeriod": {"start": start},
            "class": [{"coding": [{"code": "IMP"}]}]})
    };
    r5(encounter("2026-11-20"), json!({"date": "ge2026"})).is("passed", &["1 of 1 Encounter resource"]);
    r5(encounter("2025-11-20"), json!({"date": "2026"})).is("unverifiable undecidable", &[]);
    r5(encounter("2026-11-20"), json!({"location": "Location/1"})).is("unverifiable undecidable", &[]);
    r5(encounter("2026-11-20"), json!({"class": "AMB"})).is("unverifiable undecidable", &[]);
}

#[test]
fn the_order_matters_where_it_is_asked_for() {
    let at = |id: &str, start: &str| {
        let mut one = appointment(id, "MRI");
        one["start"] = json!(start);
        one
    };
    let wrong = || vec![at("a1", "2026-11-20T10:00:00Z"), at("a2", "2026-11-19T10:00:00Z")];
    let sorted = |matching: &str| {
        json!({"assert": "fhir-resource-state", "resource_type": "Appointment", "search": {"_sort": "date"},
            "match": matching, "fields": [{"path": "status", "expected": "booked"}]})
    };
    found(wrong(), sorted("all")).is("passed", &[]);
    found(wrong(), sorted("any")).is("passed", &[]);
    found(wrong(), sorted("first")).is("unverifiable undecidable", &["_sort"]);
    found(wrong(), sorted("last")).is("unverifiable undecidable", &["_sort"]);
}

#[test]
fn an_expression_follows_references_on_the_server() {
    let asking = |reply: fn() -> Reply| {
        let server = Server::start(move |request| match request.path() {
            "/Patient/john-smith" => reply(),
            _ => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
        });
        let mut assertion = booked();
        assertion["fields"] = json!([{
            "fhirpath": "participant.actor.resolve().ofType(Patient).birthDate", "expected": "1980-05-04"
        }]);
        let graded = on(&server.url, assertion);
        (graded, server.requests().len())
    };
    let (graded, requests) =
        asking(|| Reply::fhir(200, json!({"resourceType": "Patient", "id": "john-smith", "birthDate": "1980-05-04"})));
    graded.is("passed", &[]);
    assert_eq!(requests, 2);
    asking(|| Reply::fhir(200, json!({"resourceType": "Patient", "id": "john-smith", "birthDate": "1999-01-01"})))
        .0
        .is("failed field_mismatch", &["1999-01-01"]);
    asking(|| {
        Reply::fhir(
            404,
            json!({"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-found"}]}),
        )
    })
    .0
    .is("failed field_mismatch", &[]);
    asking(|| Reply::status(403)).0.is("unverifiable undecidable", &[]);
}

/// A server whose search for appointments ignores its parameters, and that has one patient.
fn ignoring(patient: fn() -> Reply) -> Server {
    Server::start(move |request| match request.path() {
        "/Patient/john-smith" => patient(),
        "/Appointment" => Reply::fhir(200, page(&[appointment("a1", "MRI")], &[])),
        _ => Reply::fhir(
            404,
            json!({"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": "not-found"}]}),
        ),
    })
}

fn john() -> Reply {
    Reply::fhir(200, json!({"resourceType": "Patient", "id": "john-smith", "name": [{"family": "Smith"}]}))
}

fn by(name: &str, value: &str, count: Option<u64>) -> Value {
    let mut assertion =
        json!({"assert": "fhir-resource-state", "resource_type": "Appointment", "search": {name: value}});
    if let Some(count) = count {
        assertion["count"] = json!(count);
    }
    assertion
}

#[test]
fn what_a_chain_finds_is_held_against_what_it_leads_to() {
    let server = ignoring(john);
    on(&server.url, by("patient.name", "smith", None)).is("passed", &[]);
    for (name, value) in
        [("patient.name", "jones"), ("patient:Patient.name", "jones"), ("_filter", "patient.name eq jones")]
    {
        on(&server.url, by(name, value, None)).is("unverifiable undecidable", &["Appointment/a1", value]);
        on(&server.url, by(name, value, Some(0))).is("unverifiable undecidable", &[]);
        on(&server.url, by(name, value, Some(1))).is("unverifiable undecidable", &[]);
    }
    on(&server.url, by("_list", "42", None)).is("unverifiable undecidable", &["_list=42"]);
    let denied = ignoring(|| Reply::status(403));
    on(&denied.url, by("patient.name", "smith", None)).is("unverifiable undecidable", &["as far as could be read"]);
    let negated = by("_filter", "not (patient.name eq jones)", None);
    on(&server.url, negated.clone()).is("passed", &[]);
    on(&denied.url, negated).is("unverifiable undecidable", &["as far as could be read"]);
}

#[test]
fn what_has_finds_is_held_against_what_refers_to_it() {
    let with = |code: &'static str| {
        let patient = json!({"resourceType": "Patient", "id": "p1"});
        let observation = json!({
            "resourceType": "Observation", "id": "o1", "status": "final", "subject": {"reference": "Patient/p1"},
            "code": {"coding": [{"code": code}]}
        });
        Server::start(move |request| match request.path() {
            "/Patient" => Reply::fhir(200, page(std::slice::from_ref(&patient), &[])),
            _ => Reply::fhir(200, page(std::slice::from_ref(&observation), &[])),
        })
    };
    let assertion = json!({
        "assert": "fhir-resource-state", "resource_type": "Patient", "search": {"_has:Observation:patient:code": "x"}
    });
    on(&with("x").url, assertion.clone()).is("passed", &[]);
    on(&with("y").url, assertion).is("unverifiable undecidable", &["Patient/p1", "_has:Observation:patient:code=x"]);
}

#[test]
fn what_refers_in_turn_is_read_too() {
    let with = |agent: &'static str| {
        let referring = |kind: &str, id: &str, member: &str, to: &str| json!({"resourceType": kind, "id": id, member: {"reference": to}, "recorded": "2026-11-20T10:00:00Z"});
        let patient = json!({"resourceType": "Patient", "id": "p1"});
        let observation = referring("Observation", "o1", "subject", "Patient/p1");
        let mut provenance = referring("Provenance", "v1", "location", "Location/l1");
        provenance["target"] = json!([{"reference": "Observation/o1"}]);
        provenance["agent"] = json!([{"who": {"reference": agent}}]);
        let encounter = referring("Encounter", "e1", "subject", "Patient/p1");
        Server::start(move |request| {
            let one = match request.path() {
                "/Patient" => &patient,
                "/Observation" => &observation,
                "/Provenance" => &provenance,
                "/Encounter" => &encounter,
                "/Patient/p1" => return Reply::fhir(200, patient.clone()),
                _ => return Reply::status(404),
            };
            Reply::fhir(200, page(std::slice::from_ref(one), &[]))
        })
    };
    let nested = json!({
        "assert": "fhir-resource-state", "resource_type": "Patient",
        "search": {"_has:Observation:patient:_has:Provenance:target:agent": "Practitioner/d1"}
    });
    on(&with("Practitioner/d1").url, nested.clone()).is("passed", &[]);
    on(&with("Practitioner/d2").url, nested).is("unverifiable undecidable", &["Patient/p1"]);
    let chained = |code: &str| {
        json!({
            "assert": "fhir-resource-state", "resource_type": "Encounter",
            "search": {"patient._has:Observation:patient:_id": code}
        })
    };
    on(&with("Practitioner/d1").url, chained("o1")).is("passed", &[]);
    on(&with("Practitioner/d1").url, chained("o2")).is("unverifiable undecidable", &["Encounter/e1"]);
}

#[test]
fn another_resource_in_the_place_of_a_target_is_none() {
    let evil = || Reply::fhir(200, json!({"resourceType": "Patient", "id": "other", "birthDate": "1980-05-04"}));
    let pages = || Reply::fhir(200, page(&[], &[]));
    for reply in [evil as fn() -> Reply, pages] {
        let server = ignoring(reply);
        for (expression, expected) in [
            ("participant.actor.resolve().birthDate", json!("1980-05-04")),
            ("participant.actor.resolve().empty()", json!(true)),
        ] {
            let mut assertion = by("status", "booked", None);
            assertion["fields"] = json!([{"fhirpath": expression, "expected": expected}]);
            on(&server.url, assertion).is("unverifiable undecidable", &[]);
        }
    }
}
