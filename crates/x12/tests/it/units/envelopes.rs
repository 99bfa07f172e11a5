//! The codes of findings, the functional ids, and control numbers that come again.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::envelopes::{CODES, ControlNumbers, Seen, functional_id};

#[test]
fn codes_are_unique() {
    let unique: HashSet<_> = CODES.iter().collect();
    assert_eq!(unique.len(), CODES.len());
}

#[test]
fn the_table_is_well_formed() {
    let mut ids = HashSet::new();
    for line in include_str!("../../../data/functional-ids.tsv").lines() {
        if line.starts_with('#') {
            continue;
        }
        let (id, code) = line.split_once('\t').unwrap();
        assert_eq!((id.len(), code.len()), (3, 2), "{line}");
        assert!(ids.insert(id), "{line} is there twice");
    }
    assert_eq!(functional_id("271"), Some("HB"));
    assert_eq!(functional_id("123"), None);
}

#[test]
fn numbers_in_order_take_one_entry() {
    let mut seen = ControlNumbers::default();
    for number in 1..100_000_u32 {
        assert_eq!(seen.insert(&format!("{number:09}"), 4), Seen::New);
    }
    assert_eq!(seen.runs.len(), 1);
    assert_eq!(seen.insert("7", 4), Seen::Again);
    assert_eq!(seen.insert("A7", 4), Seen::New);
    assert_eq!(seen.insert("A7", 4), Seen::Again);
    assert_eq!(seen.insert("500000", 4), Seen::New);
    assert_eq!(seen.insert("600000", 4), Seen::New);
    assert_eq!(seen.insert("700000", 4), Seen::Full);
    assert_eq!(seen.insert("600001", 4), Seen::New);
}

proptest! {
    #[test]
    fn control_numbers_are_a_set(values in proptest::collection::vec(0_u64..60, 0..80)) {
        let mut seen = ControlNumbers::default();
        let mut reference = HashSet::new();
        for value in values {
            let expected = if reference.insert(value) { Seen::New } else { Seen::Again };
            prop_assert_eq!(seen.insert(&value.to_string(), 1000), expected);
        }
    }
}
