//! Asserts what was said on a call.

pub mod matching;
pub mod normalize;
mod tables;
pub mod transcript;
