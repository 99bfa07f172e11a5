//! Tests of modules that the library keeps to itself.

mod delimiter;
mod identity;
mod mask;
mod safety;
mod timeline;
