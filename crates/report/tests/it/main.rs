//! The integration tests of this crate, in one program. It compiles again only the modules that are tested by themselves.

mod comparison;
mod conversions;
mod excerpts;
mod formats;
mod golden;
mod loop_run;
mod units;

// For the modules below, which find these two in the library.
use candor_report::{Style, model};

#[path = "../../src/page/alike.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod alike;
#[path = "../../src/text/findings.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod findings;
#[path = "../../src/text/layout.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod layout;
#[path = "../../src/page/marks.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod marks;
#[cfg(feature = "html")]
#[path = "../../src/page/names.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod names;
#[path = "../../src/numbers.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod numbers;
#[path = "../../src/bench/shortened.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod shortened;
