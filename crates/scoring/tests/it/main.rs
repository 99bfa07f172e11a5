//! The integration tests of this crate, in one program. It compiles again only the module that is tested by itself.

mod benchmark;
mod influence;
mod laws;
mod numbers;
mod stored;
mod support;
mod task;
mod units;

#[path = "../../src/stored/json.rs"]
#[allow(dead_code, reason = "the library uses more of it than the tests")]
mod json;
