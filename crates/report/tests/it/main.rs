//! The integration tests of this crate, in one program.

mod conversions;
mod excerpts;
mod formats;
mod golden;
mod loop_run;
