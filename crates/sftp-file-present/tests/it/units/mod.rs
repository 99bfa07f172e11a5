//! Tests of modules that the library keeps to itself.

mod alike;
mod draft;
mod encoding;
mod order;
