//! The content of a sandbox as files, and the differences between two sandboxes.
//!
//! [`capture`] writes the sources of a sandbox into a folder; [`diff`] compares two sandboxes record by record. Both see a part
//! as a [`PartType`](candor_check::PartType) and know none of them.

mod capture;
mod diff;
mod parts;

pub use capture::{CaptureError, capture};
pub use diff::{Diff, Nothing, Unread, diff, diff_of_work};
