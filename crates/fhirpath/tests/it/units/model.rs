//! The types and elements of R4.

use crate::model::{Child, model};

#[test]
fn knows_the_elements_of_r4() {
    let model = model();
    assert_eq!(model.types.iter().filter(|definition| !definition.is_later).count(), 695);
    let id = |name: &str| model.named(name).unwrap();
    assert!(model.is_a(id("Age"), id("Quantity")));
    assert!(model.is_a(id("Patient"), id("DomainResource")));
    assert!(model.is_resource(id("Bundle")) && !model.is_resource(id("HumanName")));
    assert!(matches!(model.element(id("Patient"), "id"), Some(Child::One(t)) if t == id("id")));
    assert!(matches!(model.element(id("Observation"), "value"), Some(Child::Choice)));
    let item = model.element(id("Questionnaire.item"), "item");
    assert!(matches!(item, Some(Child::One(t)) if t == id("Questionnaire.item")));
    assert_eq!(model.name(id("Patient.contact")), "BackboneElement");
    assert_eq!(model.of_suffix("DateTime"), Some(id("dateTime")));
    assert_eq!(model.of_suffix("humanName"), None);
}

#[test]
fn every_child_that_is_written_is_known() {
    for line in include_str!("../../../data/r4-elements.tsv").lines() {
        let mut columns = line.split('\t');
        let of = model().named(columns.next().unwrap()).unwrap();
        for child in columns.nth(1).unwrap().split_ascii_whitespace() {
            let (name, _) = child.split_once(':').unwrap();
            assert!(model().element(of, name).is_some(), "{line}: {name}");
        }
    }
}
