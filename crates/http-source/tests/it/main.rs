//! The tests of this crate, in one program. It compiles again only the module that is tested by itself.

mod secrets;
mod settings;
#[cfg(feature = "client")]
mod units;
mod url;

#[cfg(feature = "client")]
#[path = "../../src/jwt.rs"]
#[allow(dead_code, reason = "the library uses more of it than the tests")]
mod jwt;
