//! Tests for every check: the conformance vectors of its folder ([`run_vectors`]) and the contract that the `Check`
//! trait's documentation states ([`uphold_contract`]). A dev-dependency; it panics where a test has to fail.
//!
//! ```no_run
//! # use candor_check::{CheckType, PartType};
//! fn both(check: CheckType, part: PartType) {
//!     let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/x12-response");
//!     candor_check_testkit::run_vectors(check, &[part], folder, 40);
//!     candor_check_testkit::uphold_contract(check, &[part], folder);
//! }
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test kit fails a test by panicking"
)]

mod contract;
mod expectation;
mod figures;
mod memory;
mod messages;
mod once;
mod part;
mod run;
mod server;
mod together;
mod vector;

pub use contract::uphold_contract;
pub use figures::{Figures, figures};
pub use part::uphold_part_contract;
pub use run::run_vectors;
pub use server::{Fault, Served};
pub use together::answered_alike;
pub use vector::{Expected, FileSpec, Vector, VectorFile, fixtures, read_vectors};
