//! `sftp-file-present` on buckets: moto as Amazon S3, fake-gcs-server as Google Cloud Storage, Azurite as Azure Blob
//! Storage; servers of our own for what those do not do.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod cloud;
mod faults;
mod grade;
mod keys;
mod listings;
mod login;
mod suite;
