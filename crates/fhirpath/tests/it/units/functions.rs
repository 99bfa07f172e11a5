//! The table of functions.

use std::collections::HashSet;

use crate::functions::FUNCTIONS;

#[test]
fn every_name_stands_once() {
    let names: HashSet<&str> = FUNCTIONS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), FUNCTIONS.len());
    assert!(FUNCTIONS.iter().all(|row| row.least <= row.most && row.function.name() == row.name));
}
