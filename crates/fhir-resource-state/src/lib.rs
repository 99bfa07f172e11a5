//! `fhir-resource-state`: asserts what FHIR resources hold.
//!
//! [`store`] reads the files of `fhir/` to resources, [`candor_fhir_search`] selects among them as an R4 server would, and
//! [`unsafe_match`] finds the modifiers that reverse what a resource says. The check itself is [`CHECK`].

mod alike;
mod check;
mod concepts;
mod definitions;
mod dosage;
mod draft;
pub mod explain;
mod items;
mod judge;
pub mod live;
#[cfg(feature = "fhir-sdk")]
pub mod models;
mod observe;
mod operators;
mod orders;
mod outcome;
mod packed;
mod part;
mod path;
mod records;
mod relation;
mod resolved;
mod review;
mod seen;
mod settings;
mod source;
mod states;
pub mod store;
pub mod tried;
mod types;
pub mod unsafe_match;

use candor_check::{CheckType, PartType};
use candor_fhir_search as search;

pub use check::FhirResourceState;
pub use operators::OPERATORS;
pub use path::FhirPath;
pub use resolved::Resolved;
pub use seen::{Content, State};

/// The check, for the list of checks.
pub const CHECK: CheckType = CheckType::of::<FhirResourceState>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<part::FhirPart>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
