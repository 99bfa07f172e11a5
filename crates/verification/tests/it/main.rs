//! The integration tests of this crate, in one program.

mod adversarial;
mod bounded;
mod common;
mod delegates;
mod evaluated;
#[cfg(all(feature = "script", feature = "http"))]
mod harness_scripts;
#[cfg(feature = "script")]
mod hook_file;
mod replayed;
#[cfg(feature = "script")]
mod script;
mod test_suite;
