//! The integration tests of this crate, in one program.

mod dates;
pub mod examples;
mod inputs;
mod proxies;
mod run;
mod sandbox;

// Private modules of the library that stand alone, compiled once more.
#[allow(dead_code, unreachable_pub, reason = "tests use a part of it")]
#[path = "../../src/input.rs"]
mod input;
