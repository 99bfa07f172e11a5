//! Fields that assert a meaning, whatever form it is written in: `concept`, and what a check adds (`dosage`).

mod concept;
mod systems;
mod words;

use std::fmt;

use candor_json::Value;

pub use concept::{Coded, Coding, Concept};
pub use systems::canonical_system;
pub use words::words_of;

/// A meaning that is asserted.
pub trait Meaning: fmt::Debug + Send + Sync {
    /// The member that asserts it: `concept`.
    fn member(&self) -> &'static str;

    /// Holds the values that a path selects against it. References are followed before.
    fn understood(&self, values: &[Value]) -> Understood;
}

/// The result of holding values against a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood {
    /// The result itself.
    pub state: Understanding,
    /// The values that were read, each part quoted; null if nothing was read.
    pub actual: Value,
    /// A second form that contradicts the meaning, as evidence quotes it.
    pub contradiction: Option<String>,
}

/// The possible results of holding values against a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Understanding {
    /// They do.
    Holds,
    /// They mean something else.
    Fails,
    /// There are several where one is expected.
    Several,
    /// There is nothing.
    Absent,
    /// They are not of a kind that has such a meaning.
    Mismatch,
    /// No table knows what is written.
    Unknown,
}
