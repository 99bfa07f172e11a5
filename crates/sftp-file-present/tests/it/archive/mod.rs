//! The modules on archives and wrapped files that are tested by themselves.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

mod units;

#[path = "../../../src/archive/extract.rs"]
mod extract;
#[path = "../../../src/archive/gathering.rs"]
mod gathering;
#[path = "../../../src/archive/keys.rs"]
mod keys;
#[path = "../../../src/archive/member_name.rs"]
mod member_name;
#[cfg(feature = "pgp")]
#[path = "../../../src/archive/pgp.rs"]
mod pgp;
#[cfg(feature = "pgp")]
#[path = "../../../src/archive/ring.rs"]
mod ring;
#[path = "../../../src/archive/shape.rs"]
mod shape;
#[path = "../../../src/archive/tar.rs"]
mod tar;
#[path = "../../../src/archive/tar_header.rs"]
mod tar_header;
#[path = "../../../src/archive/trouble.rs"]
mod trouble;
#[path = "../../../src/archive/unwrap.rs"]
mod unwrap;
#[path = "../../../src/archive/zip.rs"]
mod zip;
#[path = "../../../src/archive/zip_bytes.rs"]
mod zip_bytes;
#[path = "../../../src/archive/zip_directory.rs"]
mod zip_directory;
#[path = "../../../src/archive/zip_name.rs"]
mod zip_name;
