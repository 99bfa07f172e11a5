//! The integration tests of this crate, in one program.

mod completions;
mod left_out;
