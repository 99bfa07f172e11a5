//! The integration tests of this crate, in one program.

mod conclude;
mod fields;
mod folder;
mod items;
mod json;
mod jsonpath;
mod memory;
mod safety;
