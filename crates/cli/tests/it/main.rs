//! The integration tests of this crate, in one program. It compiles again two modules that are tested by themselves.

mod completions;
mod help;
mod init;
mod left_out;
mod units;
mod version;

#[path = "../../src/commands/bench/filled.rs"]
mod filled;
#[path = "../../src/commands/verify_loop/suite.rs"]
mod suite;
