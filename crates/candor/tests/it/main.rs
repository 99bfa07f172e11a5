//! The integration tests of this crate, in one program.

mod dates;
pub mod examples;
mod inputs;
mod proxies;
mod run;
mod sandbox;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, unreachable_pub, reason = "tests use a part of it")]
#[path = "../../src/input.rs"]
mod input;
