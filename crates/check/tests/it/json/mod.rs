//! Tests of `candor-json`, most of them against `serde_json` with exact numbers, order and raw values.
//!
//! They are here because that crate is optimized in tests, so that its own tests would take twenty seconds to build.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod faults;
mod macros;
mod places;
mod protocol;
mod texts;
mod traps;
mod typed;
mod values;

/// An error as its text and its place.
fn ours(error: &candor_json::Error) -> (String, usize, usize) {
    (error.to_string(), error.line(), error.column())
}

/// As [`ours`], of `serde_json`.
fn theirs(error: &serde_json::Error) -> (String, usize, usize) {
    (error.to_string(), error.line(), error.column())
}
