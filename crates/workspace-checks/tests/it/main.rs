//! The integration tests of this crate, in one program.

mod conformance;
mod endpoints;
mod placeholders;
mod real;
