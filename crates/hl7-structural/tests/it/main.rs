//! The integration tests of this crate, in one program.

mod conformance;
mod explain;
mod side_by_side;
mod together;
