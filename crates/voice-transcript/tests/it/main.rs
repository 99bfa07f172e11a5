//! The integration tests of this crate, in one program.

mod asr_pairs;
mod canonical;
mod conformance;
mod explain;
mod held_back;
mod matching;
mod normalize;
mod transcript;
mod version;
