//! Tests of modules that the library keeps to itself.

mod bytes;
mod copy;
mod counts;
mod language;
mod markers;
mod rank;
mod report;
mod shell;
mod source;
mod status;
mod text;
