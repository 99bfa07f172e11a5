//! The integration tests of this crate, in one program.

mod data_types;
mod structures;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/datatype.rs"]
mod datatype;
