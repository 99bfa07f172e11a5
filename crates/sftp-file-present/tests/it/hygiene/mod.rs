//! The modules on how a drop is done that are tested by themselves.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

mod units;

pub(crate) use pgp::SeenPgp;

#[path = "../../../src/hygiene/arrived.rs"]
mod arrived;
#[path = "../../../src/hygiene/checksum_file.rs"]
mod checksum_file;
#[path = "../../../src/hygiene/companions.rs"]
mod companions;
#[path = "../../../src/hygiene/decimals.rs"]
mod decimals;
#[path = "../../../src/hygiene/digests.rs"]
mod digests;
#[path = "../../../src/hygiene/name.rs"]
mod name;
#[path = "../../../src/hygiene/partials.rs"]
mod partials;
#[path = "../../../src/hygiene/pgp.rs"]
mod pgp;
