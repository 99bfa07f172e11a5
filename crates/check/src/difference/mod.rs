//! Changes between two sandboxes, record by record. Shared by `candor diff` and the check `state-unchanged`.
//!
//! Knows no concrete part: a part lists its records with a digest each, and reads the fields of those that differ. Of a
//! record that does not differ, only a hash of its name and one of its fields are kept.

mod compare;
mod leaves;
mod recording;
mod told;

pub use compare::{Change, Compared, Difference, FieldChange, differences};
pub use leaves::{canonical_digest, canonical_digest_of_text, leaves};
pub use recording::{Recording, write_part};

/// The path of what a record is as a whole, where that changed: a file that cannot be read as before.
pub const CONTENT: &str = "$content";
