//! The list of checks.
