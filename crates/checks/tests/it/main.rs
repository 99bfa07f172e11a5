//! The integration tests of this crate, in one program.

#[cfg(feature = "default")]
mod list;
#[cfg(feature = "default")]
mod review;
