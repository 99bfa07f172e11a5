//! The integration tests of this crate, in one program.

mod dates;
mod examples;
mod proxies;
mod sandbox;
