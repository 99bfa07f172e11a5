//! Runs the findings of fuzzing again: `tests/regressions/TARGET/`, a file a finding.

use std::fs;
use std::path::Path;

use candor_tests::{
    fuzz_bundle, fuzz_engine, fuzz_fhir, fuzz_fhir_search, fuzz_fhirpath, fuzz_hl7v2, fuzz_items, fuzz_one_pass,
    fuzz_portal, fuzz_report, fuzz_scoring, fuzz_service, fuzz_sftp, fuzz_state, fuzz_traffic, fuzz_ucum,
    fuzz_validate, fuzz_verification, fuzz_voice, fuzz_workspace, fuzz_x12, fuzz_x12_guides,
};

/// The body of a fuzz target.
type Body = fn(&[u8]);

/// Every fuzz target with its body.
const TARGETS: [(&str, Body); 38] = [
    ("bucket_listing", fuzz_sftp::bucket_listing),
    ("bundle", fuzz_bundle::bundle),
    ("fhir_answer", fuzz_fhir::fhir_answer),
    ("fhir_search", fuzz_fhir_search::fhir_search),
    ("fhir_store", fuzz_fhir::fhir_store),
    ("fhirpath", fuzz_fhirpath::fhirpath),
    ("field", fuzz_engine::field),
    ("file_archive", fuzz_sftp::file_archive),
    ("file_content", fuzz_sftp::file_content),
    ("file_pdf", fuzz_sftp::pdf),
    ("glob", fuzz_sftp::glob),
    ("hl7_profile", fuzz_traffic::hl7_profile),
    ("hl7v2", fuzz_hl7v2::hl7v2),
    ("hl7v2_path", fuzz_hl7v2::hl7v2_path),
    ("hl7v2_stream", fuzz_traffic::hl7v2_stream),
    ("hl7v2_structure", fuzz_traffic::hl7v2_structure),
    ("hook_file", fuzz_verification::hook_file),
    ("items", fuzz_items::items),
    ("loop_settings", fuzz_verification::loop_settings),
    ("mllp", fuzz_traffic::mllp),
    ("one_pass", fuzz_one_pass::one_pass),
    ("placeholders", fuzz_workspace::placeholders),
    ("portal_answer", fuzz_portal::portal_answer),
    ("portal_rows", fuzz_portal::portal_rows),
    ("service_bodies", fuzz_service::service_bodies),
    ("state", fuzz_state::state),
    ("stored_result", fuzz_report::stored_result),
    ("stored_runs", fuzz_scoring::stored_runs),
    ("task_file", fuzz_engine::task_file),
    ("ucum", fuzz_ucum::ucum),
    ("validate", fuzz_validate::validate),
    ("voice_normalize", fuzz_voice::normalize),
    ("voice_transcript", fuzz_voice::transcript),
    ("voice_turns", fuzz_voice::turns),
    ("x12", fuzz_x12::x12),
    ("x12_answers", fuzz_x12_guides::x12_answers),
    ("x12_guides", fuzz_x12_guides::x12_guides),
    ("x12_path", fuzz_x12::x12_path),
];

#[test]
fn no_finding_comes_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    let mut ran = 0;
    for folder in fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let (_, body) = TARGETS.iter().find(|(target, _)| *target == name).expect("a folder is named as its target");
        for finding in fs::read_dir(folder).unwrap() {
            body(&fs::read(finding.unwrap().path()).unwrap());
            ran += 1;
        }
    }
    assert!(ran > 0);
}

#[test]
fn every_target_is_listed_and_survives_the_usual_suspects() {
    let shims = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/fuzz_targets");
    let mut found: Vec<String> = fs::read_dir(shims)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    assert_eq!(found, TARGETS.map(|(name, _)| name));
    let suspects: [&[u8]; 8] =
        [b"", b"\0", b"\xff\xfe\0\0", b"\xef\xbb\xbf{}", b"[[[[[[[[", b"\"\\ud800\"", b"\r\n\r\n", &[0x80; 300]];
    for (_, body) in TARGETS {
        suspects.iter().for_each(|suspect| body(suspect));
    }
}
