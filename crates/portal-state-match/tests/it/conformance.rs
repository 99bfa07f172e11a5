//! The check's vectors, and the contract that every check holds to.

use candor_check_testkit::{run_vectors, uphold_contract};
use candor_portal_state_match::{CHECK, PART};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/portal-state-match");

#[test]
fn vectors() {
    run_vectors(CHECK, &[PART], FOLDER, 430);
}

#[test]
fn contract() {
    uphold_contract(CHECK, &[PART], FOLDER);
}
