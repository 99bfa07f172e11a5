//! The lists of checks and of the parts that they read. Nothing else.

use candor_check::{CheckType, PartType};

/// Every check of this project, in the order in which tables show them.
pub const ALL: &[CheckType] = &[
    candor_fhir_resource_state::CHECK,
    candor_hl7_structural::CHECK,
    candor_portal_state_match::CHECK,
    candor_sftp_file_present::CHECK,
    candor_voice_transcript::CHECK,
    candor_x12_response::CHECK,
    candor_workspace_checks::FILE_EXISTS,
    candor_workspace_checks::FILE_NOT_EMPTY,
    candor_workspace_checks::NO_PLACEHOLDERS,
    candor_workspace_checks::CODE_COMPILES,
    candor_workspace_checks::LINT_PASSES,
    candor_workspace_checks::TESTS_PASS,
    candor_workspace_checks::ENDPOINT_RESPONDS,
    candor_workspace_checks::RESPONSE_TIME,
    candor_workspace_checks::CONTENT_CONTAINS,
    candor_workspace_checks::CONTENT_NOT_CONTAINS,
];

/// Every part of a sandbox that these checks read, in the order of the folders in the guide.
pub const PARTS: &[PartType] = &[
    candor_fhir_resource_state::PART,
    candor_hl7_structural::PART,
    candor_portal_state_match::PART,
    candor_sftp_file_present::PART,
    candor_voice_transcript::PART,
    candor_x12_response::PART,
    candor_workspace_checks::WORKSPACE,
];

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
