//! Tests of modules that the library keeps to itself.

mod address;
mod envelope;
mod link;
mod more;
