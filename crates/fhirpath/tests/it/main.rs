//! The integration tests of this crate, in one program.

mod context;
mod fhirpathjs;
mod official;
mod properties;
