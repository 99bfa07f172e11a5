//! The modules on buckets that are tested by themselves.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

mod units;

#[path = "../../../../src/store/object/trouble.rs"]
mod trouble;
