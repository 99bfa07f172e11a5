//! The modules on sources that are tested by themselves.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]

mod units;

pub(crate) use part::PART;

#[path = "../../../src/source/facts.rs"]
pub(crate) mod facts;
#[path = "../../../src/source/folder.rs"]
mod folder;
#[path = "../../../src/source/keys.rs"]
mod keys;
#[path = "../../../src/source/paged.rs"]
pub(crate) mod paged;
#[path = "../../../src/source/part.rs"]
mod part;
#[path = "../../../src/source/section.rs"]
mod section;
