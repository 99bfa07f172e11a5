//! Tests of modules that the library keeps to itself.

mod member_name;
mod packed;
#[cfg(feature = "pgp")]
mod pgp;
mod shape;
mod tar_header;
mod unwrap;
mod zip_name;
