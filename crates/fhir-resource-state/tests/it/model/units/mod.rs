//! Tests of modules that the library keeps to itself.

mod fields;
mod lost;
