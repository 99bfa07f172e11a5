//! The modules on servers that are tested by themselves.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]

mod units;

use crate::outcome;

#[path = "../../../src/live/around.rs"]
mod around;
#[path = "../../../src/live/capability.rs"]
mod capability;
#[path = "../../../src/live/ignored.rs"]
mod ignored;
#[path = "../../../src/live/page.rs"]
mod page;
#[path = "../../../src/live/scope.rs"]
mod scope;
