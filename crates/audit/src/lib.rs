//! A rubric must be able to go red: proves it, criterion by criterion.
//!
//! [`audit`] changes a sandbox in which the work was done, one thing at a time and in memory, and lets the ordinary engine
//! judge each change. It knows no check: leaves come from the evidence's own places, harms and equivalents from the lists of
//! [`Operator`](candor_check::operators::Operator) that it is given.

mod accept;
mod audit;
mod fate;
mod ground;
mod leaf;
mod report;
mod told;
mod values;

pub use audit::{AuditError, Options, Probe, audit};
pub use report::{CriterionReport, Finding, Grade, Influence, Killed, Report, Survivor, Tried};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
