//! The modules on answers over HTTP that are tested by themselves.
#![allow(dead_code, unreachable_pub, reason = "written for the library, which uses more of it than the tests")]

mod units;

#[path = "../../../src/http/address.rs"]
mod address;
#[path = "../../../src/http/envelope.rs"]
mod envelope;
#[path = "../../../src/http/link.rs"]
mod link;
#[path = "../../../src/http/more.rs"]
mod more;
