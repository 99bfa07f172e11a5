//! The integration tests of this crate, in one program. It compiles again the modules that are tested by themselves.

mod conclude;
mod fields;
mod folder;
mod items;
mod json;
mod json_path;
mod jsonpath;
mod memory;
mod records;
mod safety;
mod sandbox;
mod units;

use candor_check::{compare, evidence, field, settings, strict_json};

#[path = "../../src/identity.rs"]
#[allow(unreachable_pub, reason = "written for the library, where it is public")]
mod identity;
#[path = "../../src/compare/money.rs"]
mod money;
#[path = "../../src/work/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]
mod work;

// The names by which `work` knows its errors.
mod outcome {
    pub(crate) use candor_check::{Obstacle, Unverifiable};
}
