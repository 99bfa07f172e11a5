//! Tests of modules that the library keeps to itself.

mod additions;
mod distinct;
mod fields;
mod names;
mod paths;
mod values;
