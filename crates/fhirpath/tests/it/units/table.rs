//! The tables of elements.

use std::collections::{HashMap, HashSet};

use crate::table::{Releases, Type};

const R4: &str = include_str!("../../../data/r4-elements.tsv");
const LATER: &str = include_str!("../../../data/later-elements.tsv");
const REQUIRED: &str = include_str!("../../../data/required-elements.tsv");

/// Every element of both tables has a type that is in them.
#[test]
fn every_element_is_read() {
    let written = |text: &str| {
        let cells = text.lines().flat_map(|line| line.split('\t').nth(2).unwrap().split_ascii_whitespace());
        cells.map(|cell| cell.split('|').count()).sum::<usize>()
    };
    let mut read = 0;
    let names: HashSet<&str> = R4.lines().chain(LATER.lines()).filter_map(|line| line.split('\t').next()).collect();
    for name in &names {
        let of = Type::named(name).unwrap();
        read += of.elements().iter().filter(|element| element.owner == *name).count();
    }
    assert_eq!(read, written(R4) + written(LATER));
    assert_eq!(names.len(), 1_000);
    assert!(LATER.lines().map(|line| line.split('\t').next()).is_sorted());
}

#[test]
fn every_required_element_is_there() {
    let rows: HashMap<&str, &str> = REQUIRED.lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(rows.len(), 409);
    for (path, names) in rows {
        let elements = Type::named(path).unwrap_or_else(|| panic!("{path}")).elements();
        for name in names.split_ascii_whitespace() {
            assert!(elements.iter().any(|element| element.name == name), "{path}.{name}");
        }
    }
    assert!(REQUIRED.lines().map(|line| line.split('\t').next()).is_sorted());
}

#[test]
fn types_have_bases() {
    let named = |name| Type::named(name).unwrap();
    assert!(named("Patient").is_resource() && named("Transport").is_resource() && !named("HumanName").is_resource());
    assert!(named("Age").is_a(named("Quantity")) && !named("Quantity").is_a(named("Age")));
    assert_eq!(named("Patient.contact").base(), Type::named("BackboneElement"));
    assert_eq!(Type::named("patient"), None);
}

#[test]
fn releases_by_name() {
    assert_eq!(Releases::marked("B5").to_string(), "R4B and R5");
    assert_eq!(Releases::marked("5").to_string(), "R5");
    assert!(Releases::ALL.has_r4() && !Releases::marked("B5").has_r4());
}
