//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod copies;
mod diagnostics;
mod lay;
mod limits;
mod units;
mod words;

#[path = "../../src/copied.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod copied;
#[path = "../../src/copy.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod copy;
#[path = "../../src/ending.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod ending;
#[path = "../../src/held.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod held;
