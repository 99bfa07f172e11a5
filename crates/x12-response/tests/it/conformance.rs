//! The conformance vectors of `x12-response`, and the contract of the `Check` trait held over them.

use candor_x12_response::{CHECK, PART};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/x12-response");

#[test]
fn vectors() {
    candor_check_testkit::run_vectors(CHECK, &[PART], VECTORS, 1078);
}

#[test]
fn contract() {
    candor_check_testkit::uphold_contract(CHECK, &[PART], VECTORS);
}
