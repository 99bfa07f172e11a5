//! Whole paths through the project, and what the fuzz targets run.

mod binary;
pub mod clouds;
pub mod collector;
pub mod database;
pub mod fuzz_bundle;
pub mod fuzz_engine;
pub mod fuzz_fhir;
pub mod fuzz_fhir_search;
pub mod fuzz_fhirpath;
pub mod fuzz_hl7v2;
pub mod fuzz_items;
pub mod fuzz_one_pass;
pub mod fuzz_portal;
pub mod fuzz_report;
pub mod fuzz_scoring;
pub mod fuzz_service;
pub mod fuzz_sftp;
pub mod fuzz_state;
pub mod fuzz_traffic;
pub mod fuzz_ucum;
pub mod fuzz_validate;
pub mod fuzz_verification;
pub mod fuzz_voice;
pub mod fuzz_workspace;
pub mod fuzz_x12;
pub mod fuzz_x12_guides;
pub mod grade;
pub mod http;
pub mod peer;
pub mod proxy;
pub mod reachable;
pub mod right_work;
pub mod sshd;
pub mod state;
pub mod throttle;

pub use binary::{candor, cargo};

/// Compiles and runs the programs of the page for hosts.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;

/// Compiles and runs the READMEs of crates that have no other examples, in one program.
#[cfg(doctest)]
#[doc = include_str!("../../crates/audit/README.md")]
#[doc = include_str!("../../crates/bundle/README.md")]
#[doc = include_str!("../../crates/state/README.md")]
#[doc = include_str!("../../crates/state-unchanged/README.md")]
struct Readmes;
