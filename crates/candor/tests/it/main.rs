//! The integration tests of this crate, in one program.

mod dates;
pub mod examples;
mod proxies;
mod run;
mod sandbox;
