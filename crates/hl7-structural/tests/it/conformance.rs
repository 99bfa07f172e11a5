//! The conformance vectors, and the contract of every check.

use candor_hl7_structural::{CHECK, PART};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/hl7-structural");

#[test]
fn vectors() {
    candor_check_testkit::run_vectors(CHECK, &[PART], FOLDER, 700);
}

#[test]
fn contract() {
    candor_check_testkit::uphold_contract(CHECK, &[PART], FOLDER);
}
