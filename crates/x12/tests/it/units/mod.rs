//! Tests of modules that the library keeps to itself.

mod delimiters;
mod envelopes;
mod header;
