//! Containers: what a file's name says it is wrapped in (`.gz`, `.pgp`), and the members of archives (`.zip`, `.tar`).
//! Everything here works on bytes that were read; nothing is written anywhere, and nothing comes out beyond the limits.

mod extract;
mod member_name;
#[cfg(feature = "pgp")]
mod pgp;
mod shape;
mod tar;
mod tar_header;
mod trouble;
mod unwrap;
mod zip;
mod zip_directory;
mod zip_name;

pub(crate) use extract::{Extracted, Extraction, Wanted, extract};
pub(crate) use shape::shape;
pub(crate) use trouble::{Bounds, Trouble};
pub(crate) use unwrap::{Keys, unwrapped};
