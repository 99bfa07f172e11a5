//! The modules on SFTP servers that are tested by themselves.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "written for the library, which uses more of it than the tests"
)]

mod units;

#[path = "../../../../src/store/sftp/address.rs"]
mod address;
#[path = "../../../../src/store/sftp/known_hosts.rs"]
mod known_hosts;
#[path = "../../../../src/store/sftp/private_key.rs"]
mod private_key;
#[path = "../../../../src/store/sftp/trouble.rs"]
mod trouble;
#[path = "../../../../src/store/sftp/walk.rs"]
mod walk;
