//! X12, HL7 v2 and FHIR files against their standards, without a task; CSV, JSON and XML files, whether they are whole.
//!
//! [`x12`], [`hl7v2`], [`fhir`], [`csv`], [`json`] and [`xml`] read the bytes of a file and give a [`Report`]: what was read, what
//! is wrong and where, and what was not looked at. [`acknowledge`] and [`hl7v2_ack`] write what a gateway would answer; its codes are those of the findings.
//! Nothing here does I/O.

mod codes;
mod finding;
mod lines;
mod standard;
mod whole;
mod x12;
mod x12_ack;

#[cfg(feature = "fhir")]
mod fhir;
#[cfg(feature = "fhir")]
mod fhir_known;
#[cfg(feature = "fhir")]
mod fhir_path;
#[cfg(feature = "fhir")]
mod fhir_values;
#[cfg(feature = "hl7")]
mod hl7v2;
#[cfg(feature = "hl7")]
mod hl7v2_ack;

#[cfg(feature = "hl7")]
pub use candor_hl7_structural::Conformance;
#[cfg(feature = "hl7")]
pub use candor_hl7v2_structure::is_structure;
pub use codes::{code_in_words, codes};
#[cfg(feature = "fhir")]
pub use fhir::fhir;
#[cfg(feature = "fhir")]
pub use fhir_known::Known;
pub use finding::{Finding, Report, Severity};
#[cfg(feature = "hl7")]
pub use hl7v2::{hl7v2, hl7v2_by_profile};
#[cfg(feature = "hl7")]
pub use hl7v2_ack::hl7v2_ack;
pub use standard::Standard;
pub use whole::{csv, json, xml};
pub use x12::{Types, Validated, x12};
pub use x12_ack::{Acknowledgment, Stamp, acknowledge};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
