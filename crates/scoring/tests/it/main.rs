//! The integration tests of this crate, in one program.

mod benchmark;
mod laws;
mod numbers;
mod stored;
mod support;
mod task;
