//! Tests of modules that the library keeps to itself.

mod client;
mod jwt;
