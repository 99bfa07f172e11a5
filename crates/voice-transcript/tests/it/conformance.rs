//! The conformance vectors of `voice-transcript`, and the contract of the `Check` trait held over them.

use candor_voice_transcript::{CHECK, PART};

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/voice-transcript");

#[test]
fn vectors() {
    candor_check_testkit::run_vectors(CHECK, &[PART], VECTORS, 1470);
}

#[test]
fn contract() {
    candor_check_testkit::uphold_contract(CHECK, &[PART], VECTORS);
}
