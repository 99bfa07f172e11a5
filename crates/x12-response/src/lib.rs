//! Asserts what X12 transaction sets answer: `x12-response`.
//!
//! `source` lists what may hold interchanges, `stream` reads each of them, `observe` keeps the transaction sets that
//! the `selection` leaves, and `judge` compares fields and envelopes. The wire format is `candor-x12`; nothing
//! here splits bytes.

mod answer;
mod answered;
mod batch;
mod check;
mod claims;
mod draft;
mod every;
pub mod form;
mod glossed;
mod items;
mod judge;
mod known;
mod limits;
mod lines;
mod observe;
mod operators;
mod order;
mod path;
mod person;
mod records;
mod request;
mod review;
mod safety;
mod seen;
mod selection;
mod settings;
mod source;
mod stream;
pub mod tried;
mod validate;

use candor_check::{CheckType, PartType};

pub use check::X12Response;
pub use claims::RemittedClaim;
pub use operators::OPERATORS;
pub use request::Requests;
pub use seen::{Coded, Content, Seen};

/// The check, to be listed.
pub const CHECK: CheckType = CheckType::of::<X12Response>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::Interchanges>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
