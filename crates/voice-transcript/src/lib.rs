//! Checks the words spoken on a call: `voice-transcript`.
//!
//! [`transcript`] reads recordings, [`normalize`] makes text comparable, [`matching`] finds phrases with who said
//! them and whether they were negated. Everything is by rule and table: same call, same answer.

mod check;
mod compare;
mod constraint;
mod draft;
pub mod explain;
mod judge;
mod marks;
pub mod matching;
pub mod normalize;
mod observe;
mod operators;
mod records;
mod review;
mod seen;
mod semantic;
mod settings;
mod source;
mod tables;
pub mod transcript;
pub mod tried;
mod value;
mod vocabulary;
mod words;

use candor_check::{CheckType, PartType};

pub use check::VoiceTranscript;
pub use operators::OPERATORS;
pub use seen::{Call, Seen, UnreadCall};
pub use semantic::Answers;

/// The check, to be listed.
pub const CHECK: CheckType = CheckType::of::<VoiceTranscript>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::Calls>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
