//! Records that are judged together, and the modules of them that are tested by themselves.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

mod units;

use candor_check::records::{Match, described};

#[path = "../../../src/records/alike.rs"]
mod alike;
#[path = "../../../src/records/clauses.rs"]
mod clauses;
#[path = "../../../src/records/order.rs"]
mod order;
