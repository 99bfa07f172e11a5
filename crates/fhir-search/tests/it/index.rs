//! A search with the index finds the same resources as a test of each resource.

use crate::common;

use std::collections::BTreeSet;

use candor_fhir_search::table::{Kind, components, parameters};
use candor_fhir_search::{Index, Resources, Search};
use candor_json::{Value, json};
use common::Shelf;

/// The strings and numbers in some resources.
fn leaves(resources: &[&Value]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = resources.to_vec();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if text.len() < 60 => drop(found.insert(text.clone())),
            Value::Number(number) => drop(found.insert(number.to_string())),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    found
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(',', "\\,").replace('$', "\\$")
}

/// Values worth asking for, of what a parameter selects.
fn probes(kind: Kind, leaves: &BTreeSet<String>) -> Vec<(&'static str, String)> {
    let some = leaves.iter().take(12);
    let mut all: Vec<(&str, String)> = vec![(":missing", "true".to_owned()), (":missing", "false".to_owned())];
    for text in some {
        let plain = escaped(text);
        match kind {
            Kind::Token => {
                let code = plain.replace('|', "\\|");
                all.extend([
                    ("", code.clone()),
                    (":not", code.clone()),
                    ("", format!("|{code}")),
                    ("", format!("{code}|")),
                    (":text", code),
                ]);
            }
            Kind::String => {
                all.extend([
                    ("", plain.clone()),
                    (":exact", plain.clone()),
                    (":contains", plain.chars().skip(1).collect()),
                ]);
            }
            Kind::Reference => all.extend([("", plain.clone()), (":identifier", plain)]),
            Kind::Date => {
                for prefix in ["", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"] {
                    all.push(("", format!("{prefix}{plain}")));
                    all.push(("", format!("{prefix}{}", plain.get(..7).unwrap_or("2000"))));
                }
            }
            Kind::Number | Kind::Quantity => {
                for prefix in ["", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"] {
                    all.push(("", format!("{prefix}{plain}")));
                    all.push(("", format!("{prefix}{plain}|http://unitsofmeasure.org|kg")));
                    all.push(("", format!("{prefix}{plain}||kg")));
                }
            }
            Kind::Uri => all.extend([("", plain.clone()), (":below", plain.clone()), (":above", plain)]),
            Kind::Composite | Kind::Special => {}
        }
    }
    all
}

#[test]
fn every_parameter_over_the_fixtures() {
    let shelf = common::fixtures();
    let index = Index::default();
    let (mut asked, mut found) = (0, 0);
    for resource_type in shelf.types() {
        for parameter in parameters(resource_type) {
            let Ok(path) = candor_fhir_search::path::Path::compile(parameter.expression) else { continue };
            let selected: Vec<&Value> = shelf
                .of_type(resource_type)
                .iter()
                .flat_map(|position| path.select(&shelf.subject(*position).unwrap()))
                .map(|item| item.value)
                .collect();
            for (modifier, value) in probes(parameter.kind, &leaves(&selected)) {
                let name = format!("{}{modifier}", parameter.code);
                let Ok(search) = Search::compile(resource_type, [(name.as_str(), [value.as_str()])]) else { continue };
                let (through, alone) = (search.find(&shelf, &index), shelf.alone(&search));
                assert_eq!(through, alone, "{resource_type}?{name}={value}");
                asked += 1;
                found += usize::from(!alone.is_empty());
            }
        }
    }
    assert!(asked > 10_000 && found > 4_000, "{asked} {found}");
}

#[test]
fn composites_over_the_fixtures() {
    let shelf = common::fixtures();
    let index = Index::default();
    let mut found = 0;
    for (code, values) in [
        (
            "code-value-quantity",
            vec![
                "29463-7$gt10",
                "http://loinc.org|29463-7$lt1000",
                "8302-2$gt100",
                "8302-2$gt1|http://unitsofmeasure.org|m",
            ],
        ),
        ("component-code-value-quantity", vec!["8480-6$gt60", "8462-4$gt200", "8480-6$gt60,8462-4$gt1"]),
        ("combo-code-value-quantity", vec!["8480-6$gt60", "8302-2$gt100"]),
    ] {
        assert_eq!(components("Observation", code).len(), 2);
        for value in values {
            let search = Search::compile("Observation", [(code, [value])]).unwrap();
            let alone = shelf.alone(&search);
            assert_eq!(search.find(&shelf, &index), alone, "{code}={value}");
            found += alone.len();
        }
    }
    assert!(found > 20, "{found}");
}

/// Chains and `_has` the long way round: by the ids of what they lead to.
#[test]
fn chains_over_the_fixtures() {
    let shelf = common::fixtures();
    let ids = |positions: &[usize]| -> Vec<String> {
        positions.iter().filter_map(|position| shelf.id(*position)).map(str::to_owned).collect()
    };
    let mut found = 0;
    for (source, reference, target, name, values) in [
        ("Observation", "patient", "Patient", "name", vec!["a", "b", "h", "s"]),
        ("Encounter", "patient", "Patient", "gender", vec!["male", "female"]),
        ("Condition", "encounter", "Encounter", "status", vec!["finished", "planned"]),
        ("Observation", "subject", "Patient", "birthdate", vec!["lt1980", "ge1960"]),
    ] {
        for value in values {
            let targets = shelf.find(target, name, value);
            let referring = |id: &String| shelf.find(source, &format!("{reference}:{target}"), id);
            let mut expected: Vec<usize> = ids(&targets).iter().flat_map(referring).collect();
            expected.sort_unstable();
            expected.dedup();
            // A reference into `contained` has no id outside.
            let outside =
                |position: &usize| expected.contains(position) || shelf.resources[*position]["contained"].is_null();
            let chained = shelf.find(source, &format!("{reference}:{target}.{name}"), value);
            let chained: Vec<usize> = chained.into_iter().filter(outside).collect();
            assert_eq!(chained, expected, "{source}.{reference}.{name}={value}");
            found += expected.len();
        }
    }
    assert!(found > 0);
    for value in ["final", "amended"] {
        let observations = shelf.find("Observation", "status", value);
        let of = |position: &usize| {
            let reference = shelf.resources[*position]["subject"]["reference"].as_str().unwrap_or_default();
            reference.split("/_history/").next().unwrap_or_default().to_owned()
        };
        let referred: BTreeSet<String> = observations.iter().map(of).collect();
        let is_referred =
            |position: &usize| referred.contains(&format!("Patient/{}", shelf.id(*position).unwrap_or_default()));
        let expected: Vec<usize> = shelf.of_type("Patient").iter().copied().filter(is_referred).collect();
        assert_eq!(shelf.find("Patient", "_has:Observation:patient:status", value), expected);
    }
}

#[test]
fn many_references_to_many_targets() {
    let patients = (0..40).map(|id| json!({"resourceType": "Patient", "id": format!("p{id}"), "active": id % 3 == 0}));
    let observations = (0..200).map(|id| {
        json!({"resourceType": "Observation", "id": format!("o{id}"), "subject": {"reference": format!("Patient/p{}", id % 50)}})
    });
    let shelf = Shelf::new(patients.chain(observations));
    let expected = |active: bool| (0..200).filter(|id| id % 50 < 40 && ((id % 50) % 3 == 0) == active).count();
    assert_eq!(shelf.find("Observation", "patient.active", "true").len(), expected(true));
    assert_eq!(shelf.find("Observation", "patient.active", "false").len(), expected(false));
    assert_eq!(shelf.find("Observation", "patient._id", "p7").len(), 4);
    assert_eq!(shelf.find("Patient", "_has:Observation:patient:_id", "o3,o53,o4").len(), 2);
}

#[test]
fn facts_of_few_and_of_most() {
    let patients = (0..1_000).map(|id| {
        json!({"resourceType": "Patient", "id": id.to_string(), "gender": if id % 3 == 0 { "male" } else { "female" }, "active": id != 7})
    });
    let shelf = Shelf::new(patients);
    assert_eq!(shelf.find("Patient", "gender", "male").len(), 334);
    assert_eq!(shelf.find("Patient", "active", "false"), [7]);
    assert_eq!(shelf.find("Patient", "active:not", "false").len(), 999);
    assert_eq!(shelf.find("Patient", "gender", "male,female").len(), 1_000);
}
