//! Asserts what X12 transaction sets answer: `x12-response`.
//!
//! [`source`] lists what may hold interchanges, [`observe`] streams each of them and keeps the transaction sets that the
//! [`selection`] leaves, and the [`check`] itself judges fields and envelopes. The wire format is `candor-x12`; nothing
//! here splits bytes.

mod answer;
mod check;
mod lines;
mod observe;
mod path;
mod request;
mod seen;
mod selection;
mod settings;
mod source;
mod validate;

use candor_check::{CheckType, PartType};

pub use check::{Seen, X12Response};
pub use request::Requests;
pub use seen::Content;

/// The check, to be listed.
pub const CHECK: CheckType = CheckType::of::<X12Response>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::Interchanges>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
