//! The conformance vectors of `state-unchanged`, and the contract of the `Check` trait held over them.

use candor_check::PartType;
use candor_state_unchanged::CHECK;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/state-unchanged");

const PARTS: [PartType; 7] = [
    candor_fhir_resource_state::PART,
    candor_hl7_structural::PART,
    candor_portal_state_match::PART,
    candor_sftp_file_present::PART,
    candor_voice_transcript::PART,
    candor_x12_response::PART,
    candor_workspace_checks::WORKSPACE,
];

#[test]
fn vectors() {
    candor_check_testkit::run_vectors(CHECK, &PARTS, VECTORS, 45);
}

#[test]
fn contract() {
    candor_check_testkit::uphold_contract(CHECK, &PARTS, VECTORS);
}
