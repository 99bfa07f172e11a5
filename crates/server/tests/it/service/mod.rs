//! The service from outside: a process, a port, tokens.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that meets something else fails"
)]

mod agents;
mod hidden;
mod kill;
mod nemo;
mod pages;
mod refused;
mod runs;
pub(crate) mod support;

/// Not a test of its own: what the process of a service runs.
#[test]
fn the_process_of_a_service() {
    support::be_the_service();
}
