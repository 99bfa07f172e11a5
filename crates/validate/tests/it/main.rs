//! The integration tests of this crate, in one program.

mod acknowledgments;
mod fhir;
mod whole;
