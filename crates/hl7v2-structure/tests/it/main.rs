//! The integration tests of this crate, in one program.

mod data_types;
mod structures;

// Private modules of the library that stand alone, compiled once more.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/datatype.rs"]
mod datatype;
