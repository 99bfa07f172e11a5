//! The modules on the content of files that are tested by themselves.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

mod units;

use malformed::{Malformed, span};

#[path = "../../../src/content/blanks.rs"]
mod blanks;
#[path = "../../../src/content/malformed.rs"]
mod malformed;
#[path = "../../../src/content/rows/mod.rs"]
mod rows;
#[path = "../../../src/content/text.rs"]
mod text;
#[path = "../../../src/content/xml/mod.rs"]
mod xml;
