//! The tests of this crate, in one program.

#[cfg(feature = "client")]
mod authorities;
#[cfg(feature = "client")]
mod failure;
mod host;
mod retry;
