//! `sftp-file-present` on every kind of store: one suite that all of them pass, and what breaks each of them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod clouds;
mod faults;
mod folder;
mod logins;
mod odd;
mod sftp;
mod suite;
