//! Tests of modules that the library keeps to itself.

mod key;
mod zip;
