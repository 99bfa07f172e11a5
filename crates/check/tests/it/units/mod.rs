//! Tests of single modules.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

mod compare;
mod concept;
mod delimited;
mod difference;
mod draft;
mod edit;
mod identity;
mod naming;
mod review;
mod settings;
mod strict_json;
mod tried;
mod within;
mod work;
