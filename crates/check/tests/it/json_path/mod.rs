//! Paths over JSON, and the modules of them that are tested by themselves.
#![allow(dead_code, reason = "written for the library, which uses more of it than the tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

mod units;

#[path = "../../../src/json_path/cost.rs"]
mod cost;
#[path = "../../../src/json_path/plain.rs"]
mod plain;
#[path = "../../../src/json_path/reach.rs"]
mod reach;
#[path = "../../../src/json_path/segments.rs"]
mod segments;
#[path = "../../../src/json_path/text.rs"]
mod text;
