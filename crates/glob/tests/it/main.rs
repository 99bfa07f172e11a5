//! The tests of this crate, in one program. It compiles again only the module that is tested by itself.

mod globs;
mod units;

#[path = "../../src/name.rs"]
mod name;
