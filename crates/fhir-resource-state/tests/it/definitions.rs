//! Right work is never refused: every path and every code of real resources is one that the definitions know.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::path::Path;

use candor_fhir_resource_state::CHECK;
use candor_fhirpath::Expression;
use candor_fhirpath::definitions::Position;
use candor_json::{Value, json};
use proptest::prelude::*;

/// Every resource of the fixtures, those of Bundles and contained ones included.
fn resources() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut resources = Vec::new();
    for folder in ["fhir-r4-official", "fhir-synthea-smart", "fhir-us-core"] {
        let mut files: Vec<_> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
            within(&candor_json::from_slice(&std::fs::read(file).unwrap()).unwrap(), &mut resources);
        }
    }
    resources
}

fn within(value: &Value, resources: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| within(item, resources)),
        Value::Object(members) => {
            if members.contains_key("resourceType") {
                resources.push(value.clone());
            }
            members.values().for_each(|member| within(member, resources));
        }
        _ => {}
    }
}

#[derive(Default)]
struct Looked {
    paths: usize,
    codes: usize,
    /// Members and codes that are not known.
    refused: Vec<String>,
}

impl Looked {
    fn at(&mut self, position: &Position, path: &str, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.at(position, path, item)),
            Value::Object(members) => {
                for (name, value) in members {
                    self.paths += 1;
                    let path = format!("{path}.{name}");
                    match position.member(name) {
                        Ok(next) => self.at(&next, &path, value),
                        Err(unknown) => self.refused.push(format!("{path}: {unknown}")),
                    }
                }
            }
            Value::String(code) => {
                let Some(codes) = position.codes() else { return };
                self.codes += 1;
                if codes.releases(code).is_none() {
                    self.refused.push(format!("{path}: {code}"));
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_path_and_code_of_the_fixtures_is_known() {
    let mut looked = Looked::default();
    let resources = resources();
    for resource in &resources {
        let resource_type = resource.get("resourceType").and_then(Value::as_str).unwrap();
        assert!(Position::of(resource_type).types().is_some(), "{resource_type}");
        looked.at(&Position::of(resource_type), resource_type, resource);
    }
    looked.refused.sort();
    looked.refused.dedup();
    assert_eq!(looked.refused, Vec::<String>::new());
    let counted = (resources.len(), looked.paths, looked.codes);
    assert!(counted.0 > 300 && counted.1 > 15_000 && counted.2 > 1_000, "{counted:?}");
}

#[test]
fn expressions_over_what_is_not_known_for_certain_are_accepted() {
    for (resource_type, text) in [
        ("Patient", "extension.value.foo"),
        ("Patient", "extension('http://a').value.ofType(Coding).code"),
        ("Patient", "birthDate.extension.value"),
        ("Patient", "name.family.id | gender.extension.url"),
        ("Patient", "contained.foo.bar"),
        ("Patient", "contained.where(id = 'a').status"),
        ("Patient", "generalPractitioner.resolve().qualification.code"),
        ("Patient", "descendants().coding.code"),
        ("Patient", "children().family"),
        ("Bundle", "entry.resource.status"),
        ("Bundle", "entry.resource.ofType(Task).restriction.repetitions"),
        ("Parameters", "parameter.resource.name"),
        ("Observation", "value.unit"),
        ("Observation", "valueQuantity.value"),
        ("Observation", "(value as Quantity).value"),
        ("Observation", "value.where($this is Quantity).unit"),
        ("Observation", "component.where(code.coding.exists(code = 'a')).value.ofType(Quantity).value"),
        ("Observation", "Observation.component.select(code.coding | value.ofType(CodeableConcept).coding).code"),
        ("Observation", "iif(value is Quantity, value, component.value).unit"),
        ("Questionnaire", "repeat(item).linkId"),
        ("Questionnaire", "item.item.item.answerOption.value.ofType(Coding).code"),
        ("QuestionnaireResponse", "repeat(item | answer).value"),
        ("Appointment", "reason.concept.text"),
        ("Appointment", "reasonCode.text"),
        ("MedicationRequest", "medication.concept.coding.code"),
        ("MedicationRequest", "medication.ofType(CodeableConcept).coding.code"),
        ("MedicationRequest", "DomainResource.text.div"),
        ("Task", "Resource.id"),
        ("Task", "input.aggregate($total.foo)"),
        ("Task", "defineVariable('a', input).select(%a.foo)"),
        ("Task", "%resource.status & %context.id"),
        ("Task", "restriction.period.start.toString().length()"),
        ("Task", "meta.lastUpdated"),
        ("Task", "code.type().name"),
    ] {
        let reach = Expression::parse(text).unwrap().reach(resource_type);
        assert!(reach.unknown.is_empty(), "{resource_type}: {text}: {:?}", reach.unknown);
    }
}

#[test]
fn expressions_with_an_unknown_element_are_found_at_its_place() {
    for (resource_type, text, at, message) in [
        (
            "Task",
            "restrictions.repetitions.empty()",
            0,
            "Task has no element `restrictions`; did you mean `restriction`?",
        ),
        ("Task", "input.where(tipe.text = 'a')", 12, "Task.input has no element `tipe`; did you mean `type`?"),
        ("Observation", "value.ofType(Quantity).unti", 23, "Quantity has no element `unti`; did you mean `unit`?"),
        ("Observation", "(value as Quantity).amount", 20, "Quantity has no element `amount`"),
        (
            "Bundle",
            "entry.resource.ofType(Task).restrictions",
            28,
            "Task has no element `restrictions`; did you mean `restriction`?",
        ),
        (
            "Patient",
            "contained.ofType(Organization).nmae",
            31,
            "Organization has no element `nmae`; did you mean `name`?",
        ),
        ("Patient", "Observation.status", 0, "the elements here are of the type Patient, not `Observation`"),
        ("Patient", "Patinet.name", 0, "Patient has no element `Patinet`; did you mean `Patient`?"),
        (
            "Patient",
            "name.exists(given.first() = famly)",
            28,
            "HumanName has no element `famly`; did you mean `family`?",
        ),
        ("Patient", "status = 'active'", 0, "Patient has no element `status`"),
        (
            "Patient",
            "name.family.length() > 3 and name.famly.exists()",
            34,
            "HumanName has no element `famly`; did you mean `family`?",
        ),
        ("Patient", "(name | contact.name).famly", 22, "HumanName has no element `famly`; did you mean `family`?"),
        (
            "Patient",
            "name.first().skip(1).last().famly",
            28,
            "HumanName has no element `famly`; did you mean `family`?",
        ),
        ("Patient", "name.select(period).begin", 20, "Period has no element `begin`"),
        ("Patient", "birthDate.year", 10, "date has no element `year`"),
    ] {
        let reach = Expression::parse(text).unwrap().reach(resource_type);
        let found: Vec<_> = reach.unknown.iter().map(|(at, unknown)| (*at, unknown.to_string())).collect();
        assert_eq!(found, [(at, message.to_owned())], "{resource_type}: {text}");
    }
}

proptest! {
    /// Whatever is written as a path, an assertion is read or refused in a sentence; a path of known members is read.
    #[test]
    fn every_path_is_read_or_refused(text in r"[$.a-z\[\]'0-9*?@]{0,20}|(name|contact|\.|\[0\]|\['use'\]|period|value){1,8}") {
        let assertion = json!({"assert": "fhir-resource-state", "resource_type": "Patient", "fields": [{"path": text, "op": "notEmpty"}]});
        if let Err(error) = CHECK.bind(assertion) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn every_expression_has_a_reach(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "name", "value", ".ofType(Quantity)", ".where(", ")", " | ", ".code", "component", ".resolve()", ".first()", " = ", "'a'", ".",
                "$this", "%resource", "extension", ".value", "Observation", "iif(true, ", ", ", ".repeat(", "unti",
            ]),
            1..12,
        ),
    ) {
        if let Ok(expression) = Expression::parse(&parts.concat()) {
            let reach = expression.reach("Observation");
            prop_assert!(reach.unknown.iter().all(|(at, unknown)| *at < expression.text().len() && !unknown.to_string().is_empty()));
        }
    }
}

#[test]
fn comparisons_of_types_that_are_never_equal_are_found_at_their_operator() {
    for (resource_type, text, message) in [
        ("Encounter", "class = 'IMP'", "a Coding never equals a text; did you mean its `code`?"),
        ("Encounter", "'IMP' = class", "a Coding never equals a text; did you mean its `code`?"),
        ("Encounter", "class in ('IMP' | 'ACUTE')", "a Coding never equals a text; did you mean its `code`?"),
        ("Encounter", "class.where($this != 'IMP').exists()", "a Coding never equals a text; did you mean its `code`?"),
        ("Observation", "code ~ '8480-6'", "a CodeableConcept never equals a text; did you mean its `coding.code`?"),
        ("Observation", "subject = 'Patient/1'", "a Reference never equals a text; did you mean its `reference`?"),
        ("Observation", "value.ofType(Quantity) = 'mg'", "a Quantity never equals a text; did you mean its `unit`?"),
        ("Patient", "active = 'true'", "a boolean never equals a text; it is written without quotation marks"),
        ("Patient", "name.family = 3", "a string never equals a number; a text is written in quotation marks"),
        ("Patient", "birthDate = '1980-01-02'", "a date never equals a text; a date is written `@2026-11-20`"),
        ("Patient", "name contains 'Roe'", "a HumanName never equals a text; did you mean its `family`?"),
        ("Encounter", "period = @2026-11-20", "a Period never equals a date; did you mean its `start`?"),
        ("Encounter", "statusHistory = true", "an Encounter.statusHistory never equals a boolean"),
    ] {
        let found = Expression::parse(text).unwrap().reach(resource_type).never_equal;
        assert_eq!(found.first().map(|(_, one)| one.to_string()).as_deref(), Some(message), "{text}");
    }
    for (resource_type, text) in [
        ("Encounter", "class.code = 'IMP'"),
        ("Observation", "value = 'positive'"),
        ("Observation", "value.ofType(Quantity) = 5 'mg'"),
        ("Observation", "value.ofType(Quantity).value = 5"),
        ("Patient", "active = true"),
        ("Patient", "birthDate = @1980-01-02"),
        ("Patient", "meta.lastUpdated > @2026-11-20"),
        ("Patient", "meta.lastUpdated = @2026-11-20T10:00:00Z"),
        ("Patient", "multipleBirth = 2"),
        ("Patient", "multipleBirth = true"),
        ("Patient", "contained.id = 3"),
        ("Patient", "extension.value = 'x'"),
        ("Patient", "name = {}"),
        ("Patient", "name.count() = 1"),
        ("Patient", "name.family = name.given"),
    ] {
        let found = Expression::parse(text).unwrap().reach(resource_type).never_equal;
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}
