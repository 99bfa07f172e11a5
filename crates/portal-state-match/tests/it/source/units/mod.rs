//! Tests of modules that the library keeps to itself.

mod folder;
mod keys;
mod paged;
mod section;
