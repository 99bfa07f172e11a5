//! The integration tests of this crate, in one program.

mod common;
mod fhirpath;
mod found;
mod index;
mod properties;
mod table;
