//! Asserts what HL7 v2 messages say: `hl7-structural`.
//!
//! `source` finds the files of `hl7/` and the `hl7_outbound` events, `observe` selects among their messages by
//! `correlation`, and the check judges each: fields, segment cardinalities, `structure`, `ack`, `same_as`, `document`; and all
//! together: `unique` and `sequence` in `traffic`. The wire format is `candor-hl7v2`, the message structures are `candor-hl7v2-structure`;
//! nothing here splits text.

mod ack;
mod batch;
mod check;
mod correlation;
mod document;
mod draft;
pub mod explain;
mod here;
mod index;
mod items;
mod judge;
mod observe;
mod operators;
mod order;
mod path;
mod profile;
mod records;
mod review;
mod safety;
mod same_as;
mod seen;
mod segments;
mod settings;
mod source;
mod structure;
mod time;
mod traffic;
pub mod tried;

use candor_check::{CheckType, PartType};

pub use ack::{Acknowledged, Acknowledgment};
pub use batch::WrongCount;
pub use check::Hl7Structural;
pub use operators::OPERATORS;
pub use profile::{Conformance, Departure};
pub use same_as::{OtherValue, Others};
pub use seen::{Message, Seen};

/// The check, to be listed.
pub const CHECK: CheckType = CheckType::of::<Hl7Structural>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::MessageSource>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
