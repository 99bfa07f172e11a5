//! The codes that required bindings allow.

use std::collections::HashSet;

use candor_fhirpath::definitions::Codes;

use crate::table::Type;

const ROWS: &str = include_str!("../../../data/required-codes.tsv");

#[test]
fn codes_by_release() {
    let codes = Codes::of("MedicationRequest.status").unwrap();
    assert!(codes.releases("active").unwrap().has_r4());
    assert_eq!(codes.releases("ended").unwrap().to_string(), "R5");
    assert_eq!(codes.releases("Active"), None);
    assert_eq!((codes.nearest("ACTIVE"), codes.nearest("canceled")), (Some("active"), Some("cancelled")));
    assert_eq!(Codes::of("Task.code"), None);
    assert_eq!(codes.nearest(&"a".repeat(1_000_000)), None);
}

#[test]
fn every_row_has_its_element() {
    let paths: HashSet<&str> = ROWS.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(paths.len(), 442);
    for path in paths {
        assert!(Codes::of(path).is_some(), "{path}");
        let (of, name) = path.rsplit_once('.').unwrap();
        let of = Type::named(of).unwrap_or_else(|| panic!("{path}"));
        assert!(of.elements().iter().any(|element| element.name == name), "{path}");
    }
}
