//! Tests of modules that the library keeps to itself.

mod around;
mod capability;
mod ignored;
mod page;
mod scope;
