//! Tests of modules that the library keeps to itself.

mod bucket;
mod listings;
mod section;
