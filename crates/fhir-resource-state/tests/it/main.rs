//! The integration tests of this crate, in one program.

mod answers;
mod conformance;
mod definitions;
mod explain;
mod inputs;
mod models;
mod properties;
mod side_by_side;
mod store_search;
