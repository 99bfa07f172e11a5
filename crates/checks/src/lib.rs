//! The lists of checks and of the parts that they read. Nothing else.
//!
//! Each check has a feature. [`ALL`] has the checks of this build; [`KNOWN`] also names those that it leaves out, so that a
//! task which asks for one ends unverifiable, with the feature that brings it, and not as a task with a wrong name.

mod schema;

use candor_check::operators::Operator;
use candor_check::{CheckType, Meta, PartType};

pub use schema::{SANDBOX as SANDBOX_SCHEMA, schema};

/// Makes both lists from one table: the feature, what it brings, and the names that remain known without it.
macro_rules! checks {
    ($($feature:literal: $check:path, $assert:literal, $part:literal, $files:expr, $evidence_key:literal;)*) => {
        /// Every check of this build, in the order in which tables show them.
        pub const ALL: &[CheckType] = &[$(#[cfg(feature = $feature)] $check,)*];

        /// Every check of this project, in the same order. A check that this build leaves out is there by name alone
        /// ([`CheckType::left_out`]): give this list to an engine that is to say which feature is missing.
        pub const KNOWN: &[CheckType] = &[$(
            #[cfg(feature = $feature)]
            $check,
            #[cfg(not(feature = $feature))]
            CheckType::left_out(&by_name($assert, $part, $files, $evidence_key), $feature),
        )*];

        /// The names that this crate keeps of each check, whether or not the build has it.
        #[doc(hidden)]
        pub const NAMES: &[Meta] = &[$(by_name($assert, $part, $files, $evidence_key),)*];
    };
}

checks! {
    "fhir": candor_fhir_resource_state::CHECK, "fhir-resource-state", "fhir", &[], "fieldResults";
    "hl7": candor_hl7_structural::CHECK, "hl7-structural", "hl7", &["profile"], "field_results";
    "portal": candor_portal_state_match::CHECK, "portal-state-match", "portal", &[], "assertionResults";
    "files": candor_sftp_file_present::CHECK, "sftp-file-present", "files", &[], "fieldResults";
    "voice": candor_voice_transcript::CHECK, "voice-transcript", "voice", &[], "phraseResults";
    "x12": candor_x12_response::CHECK, "x12-response", "x12", &[], "fieldResults";
    "state": candor_state_unchanged::CHECK, "state-unchanged", "baseline", &[], "fieldResults";
    "workspace": candor_workspace_checks::FILE_EXISTS, "file-exists", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::FILE_NOT_EMPTY, "file-not-empty", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::NO_PLACEHOLDERS, "no-placeholders", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::CODE_COMPILES, "code-compiles", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::LINT_PASSES, "lint-passes", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::TESTS_PASS, "tests-pass", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::ENDPOINT_RESPONDS, "endpoint-responds", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::RESPONSE_TIME, "response-time", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::CONTENT_CONTAINS, "content-contains", "workspace", &[], "fieldResults";
    "workspace": candor_workspace_checks::CONTENT_NOT_CONTAINS, "content-not-contains", "workspace", &[], "fieldResults";
}

const fn by_name(
    assert: &'static str,
    part: &'static str,
    files: &'static [&'static str],
    evidence_key: &'static str,
) -> Meta {
    Meta { assert, about: "left out of this build", part, files, evidence_key, schema: r#"{"type": "object"}"# }
}

/// Makes the lists of operators: the feature, and what the check crate lists.
macro_rules! operators {
    ($($feature:literal: $operators:path;)*) => {
        /// The changes that an audit makes to the records of each part, a list for each check crate.
        pub const OPERATORS: &[&[Operator]] = &[$(
            #[cfg(feature = $feature)]
            $operators,
        )*];
    };
}

operators! {
    "fhir": candor_fhir_resource_state::OPERATORS;
    "hl7": candor_hl7_structural::OPERATORS;
    "portal": candor_portal_state_match::OPERATORS;
    "files": candor_sftp_file_present::OPERATORS;
    "voice": candor_voice_transcript::OPERATORS;
    "x12": candor_x12_response::OPERATORS;
    "state": candor_state_unchanged::OPERATORS;
}

/// Makes the list of parts: the feature, the part, and the name that remains known without it.
macro_rules! parts {
    ($($feature:literal: $part:path, $name:literal;)*) => {
        /// Every part of a sandbox that the checks of this project read, in the order of the folders in
        /// `docs/sandboxes.md`. A part that this build leaves out is in the list by its name, so that its table in
        /// `sandbox.toml` is not an unknown one.
        pub const PARTS: &[PartType] = &[$(
            #[cfg(feature = $feature)]
            $part,
            #[cfg(not(feature = $feature))]
            PartType::left_out($name),
        )*];
    };
}

parts! {
    "fhir": candor_fhir_resource_state::PART, "fhir";
    "hl7": candor_hl7_structural::PART, "hl7";
    "portal": candor_portal_state_match::PART, "portal";
    "files": candor_sftp_file_present::PART, "files";
    "voice": candor_voice_transcript::PART, "voice";
    "x12": candor_x12_response::PART, "x12";
    "workspace": candor_workspace_checks::WORKSPACE, "workspace";
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
