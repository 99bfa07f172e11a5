//! Tests of modules that the library keeps to itself.

mod alike;
mod findings;
mod layout;
mod marks;
#[cfg(feature = "html")]
mod names;
mod numbers;
mod shortened;
