//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves.

mod conclude;
mod fields;
mod folder;
mod items;
mod json;
mod jsonpath;
mod memory;
mod safety;
mod units;

#[path = "../../src/compare/money.rs"]
mod money;
