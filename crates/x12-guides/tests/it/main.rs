//! The integration tests of this crate, in one program.

mod directory;
mod explain;
