//! Sandboxes, and the modules of them that are tested by themselves.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

mod units;

// The name by which `work` knows it.
pub(crate) use candor_check::sandbox::duration_text;

#[path = "../../../src/sandbox/memory.rs"]
mod memory;
#[path = "../../../src/sandbox/password.rs"]
mod password;
#[path = "../../../src/sandbox/setting_file.rs"]
mod setting_file;
