//! Tests of modules that the library keeps to itself.

mod arrived;
mod checksum_file;
mod companions;
mod decimals;
mod name;
mod partials;
mod pgp;
