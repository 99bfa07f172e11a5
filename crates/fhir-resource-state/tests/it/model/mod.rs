//! The modules on models that are tested by themselves. They need no model, and no feature.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]

mod units;

use std::fmt;

#[path = "../../../src/models/fields.rs"]
mod fields;
#[path = "../../../src/models/lost.rs"]
mod lost;

/// In place of the error of the library, which is there with its models only.
#[derive(Debug)]
pub(crate) struct ModelError(String);

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
