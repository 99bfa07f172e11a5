//! The integration tests of this crate, in one program.

mod corpus;
mod multibyte;
mod paths;
mod properties;
mod reading;
mod stream;
mod values;
