//! Asserts what a workspace holds: the folder that work was done in, and the endpoint that it answers at.
//!
//! Ten kinds: `files` looks at files and the text in them, `placeholders` for what was left unfinished, `command` runs
//! what must succeed in a copy of the folder, `http` asks an endpoint. What a look found, or what kept it from looking,
//! is a `looked::Looked`; every kind judges it without I/O.

mod command;
mod draft;
mod files;
mod http;
mod looked;
mod placeholders;
mod source;
mod text;

use candor_check::{CheckType, Meta, PartType};

pub use placeholders::{Finding, Region, Rules, Scanner};

/// The description that all of them share, except for their names and their schemas.
pub(crate) const fn meta(assert: &'static str, about: &'static str, schema: &'static str) -> Meta {
    Meta { assert, about, part: source::PART, files: &[], evidence_key: "fieldResults", schema }
}

/// Asserts that files are there.
pub const FILE_EXISTS: CheckType = CheckType::of::<files::FileExists>();
/// Asserts that files hold something.
pub const FILE_NOT_EMPTY: CheckType = CheckType::of::<files::FileNotEmpty>();
/// Asserts that nothing was left unfinished.
pub const NO_PLACEHOLDERS: CheckType = CheckType::of::<placeholders::NoPlaceholders>();
/// Asserts that code compiles.
pub const CODE_COMPILES: CheckType = CheckType::of::<command::Command<command::CodeCompiles>>();
/// Asserts that a linter is content.
pub const LINT_PASSES: CheckType = CheckType::of::<command::Command<command::LintPasses>>();
/// Asserts that tests ran and passed.
pub const TESTS_PASS: CheckType = CheckType::of::<command::Command<command::TestsPass>>();
/// Asserts with which status an endpoint answers.
pub const ENDPOINT_RESPONDS: CheckType = CheckType::of::<http::EndpointResponds>();
/// Asserts how fast an endpoint answers.
pub const RESPONSE_TIME: CheckType = CheckType::of::<http::ResponseTime>();
/// Asserts that files contain a text.
pub const CONTENT_CONTAINS: CheckType = CheckType::of::<files::Content<files::Contains>>();
/// Asserts that no file contains a text.
pub const CONTENT_NOT_CONTAINS: CheckType = CheckType::of::<files::Content<files::NotContains>>();

/// The part of a sandbox that all of them read.
pub const WORKSPACE: PartType = PartType::of::<source::WorkspacePart>();

/// All of them, in the order in which tables show them.
pub const ALL: [CheckType; 10] = [
    FILE_EXISTS,
    FILE_NOT_EMPTY,
    NO_PLACEHOLDERS,
    CODE_COMPILES,
    LINT_PASSES,
    TESTS_PASS,
    ENDPOINT_RESPONDS,
    RESPONSE_TIME,
    CONTENT_CONTAINS,
    CONTENT_NOT_CONTAINS,
];

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
