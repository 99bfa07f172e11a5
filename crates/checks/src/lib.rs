//! The list of checks. Nothing else.

use candor_check::CheckType;

/// Every check of this project, in the order in which tables show them.
pub const ALL: &[CheckType] = &[
    candor_fhir_resource_state::CHECK,
    candor_hl7_structural::CHECK,
    candor_portal_state_match::CHECK,
    candor_sftp_file_present::CHECK,
    candor_voice_transcript::CHECK,
    candor_x12_response::CHECK,
];
