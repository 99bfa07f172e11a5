//! `fhir-resource-state` on live servers: one of our own that breaks in every way, and an independent one.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod captured;
mod compared;
mod faults;
mod grade;
mod login;
mod pages;
mod proxied;
mod read;
mod real;
#[cfg(feature = "fhir-sdk")]
mod sdk;
mod tls;
mod waiting;
