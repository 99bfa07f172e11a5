//! The integration tests of this crate, in one program. It compiles again the module that is tested by itself.

mod conformance;
mod except;
mod review;

#[path = "../../src/except.rs"]
#[allow(dead_code, reason = "written for the library, which uses more of it than the tests")]
mod exceptions;
