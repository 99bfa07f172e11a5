//! The tests of this crate, in one program. It compiles again only the modules that they test.

mod units;

#[path = "../../src/additions.rs"]
#[allow(dead_code, reason = "the library uses more of it than the tests")]
mod additions;
#[path = "../../src/distinct.rs"]
mod distinct;
#[path = "../../src/draft/fields.rs"]
mod fields;
#[path = "../../src/draft/names.rs"]
mod names;
#[path = "../../src/paths.rs"]
mod paths;
#[path = "../../src/values.rs"]
mod values;
