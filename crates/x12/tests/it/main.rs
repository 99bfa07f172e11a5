//! The integration tests of this crate, in one program.

mod common;
mod envelope;
mod paths;
mod props;
mod real;
mod walk;
