//! The integration tests of this crate, in one program.

mod corpus;
mod counting;
mod leaves;
mod multibyte;
mod paths;
mod properties;
mod reading;
mod stream;
mod trailers;
mod values;

// Private modules of the library, compiled once more: they need nothing else of it.
#[allow(dead_code, reason = "tests use a part of it")]
#[path = "../../src/find.rs"]
mod find;
