//! The integration tests of this crate, in one program.

mod tables;
mod units;
