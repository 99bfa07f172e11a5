//! The part of the sandbox that rows are read from.

pub(crate) const PART: &str = "portal";
