//! Tests of modules that the library keeps to itself.

mod clock;
mod comments;
mod observed;
mod placeholder;
