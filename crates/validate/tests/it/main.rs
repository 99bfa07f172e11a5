//! The integration tests of this crate, in one program.

mod acknowledgments;
mod damages;
mod fhir;
mod whole;
