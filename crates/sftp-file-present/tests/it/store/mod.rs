//! The modules on stores that are tested by themselves. None of them asks a server.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

#[cfg(feature = "cloud")]
mod object;
#[cfg(feature = "sftp")]
mod sftp;
mod units;

pub(crate) use files::{Listing, Store, StoredFile};
pub(crate) use section::Decryption;
pub(crate) use until::Listed;

#[path = "../../../src/store/bucket.rs"]
mod bucket;
#[path = "../../../src/store/files.rs"]
mod files;
#[path = "../../../src/store/listings.rs"]
mod listings;
#[path = "../../../src/store/section.rs"]
mod section;
#[path = "../../../src/store/until.rs"]
mod until;
