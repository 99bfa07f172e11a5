//! The conformance vectors, and the contract of every check.

use candor_sftp_file_present::{CHECK, PART};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/sftp-file-present");

#[test]
fn vectors() {
    candor_check_testkit::run_vectors(CHECK, &[PART], FOLDER, 430);
}

#[test]
fn contract() {
    candor_check_testkit::uphold_contract(CHECK, &[PART], FOLDER);
}
