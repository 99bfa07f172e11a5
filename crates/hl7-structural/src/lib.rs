//! Asserts what HL7 v2 messages say: `hl7-structural`.
//!
//! [`source`] reads the messages of `hl7/` and of `hl7_outbound` events, [`correlation`] selects among them, and the
//! check itself judges fields and segment cardinalities. The wire format is `candor-hl7v2`; nothing here splits text.

mod check;
mod correlation;
mod path;
mod segments;
mod source;

use candor_check::CheckType;

pub use check::{Hl7Structural, Message, Seen};

/// The check, to be listed.
pub const CHECK: CheckType = CheckType::of::<Hl7Structural>();
