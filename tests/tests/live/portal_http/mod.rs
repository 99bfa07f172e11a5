//! `portal-state-match` on rows that a server gives out over HTTP, page by page, and that break in every way.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod captured;
mod faults;
mod more;
mod pages;
mod portal;
mod told;
