//! Tests of single modules.

mod filled;
mod suite;
