//! X12 against other readers of it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, unreachable_pub, reason = "helpers of tests")]

mod corpus;
mod loops;
#[cfg(feature = "x12-types")]
mod typed;
mod validation;
