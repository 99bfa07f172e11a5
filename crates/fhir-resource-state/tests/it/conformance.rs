//! The check's conformance vectors, and the contract of checks.

use candor_check_testkit::{run_vectors, uphold_contract};
use candor_fhir_resource_state::{CHECK, PART};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/fhir-resource-state");

#[test]
fn vectors() {
    run_vectors(CHECK, &[PART], VECTORS, 1060);
}

#[test]
fn contract() {
    uphold_contract(CHECK, &[PART], VECTORS);
}
