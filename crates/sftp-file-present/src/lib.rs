//! Asserts which files were dropped, and what they hold: the check `sftp-file-present`.
//!
//! `observe` lists what the glob's literal prefix covers, matches names, and reads only what something is asserted of;
//! `judge` parses again what was kept and compares.

mod alike;
mod archive;
mod check;
mod content;
mod draft;
mod encoding;
mod format;
mod hygiene;
mod items;
mod judge;
mod members;
mod near;
mod observe;
mod operators;
mod order;
mod records;
mod resource;
mod review;
mod seen;
mod settings;
mod source;
mod store;
mod trailer;
mod unproven;

pub use archive::{ArchiveMember, archive_members, unwrapped_content};
pub use candor_glob::{Glob, GlobError};
pub use check::SftpFilePresent;
pub use content::{
    Align, Column, Content, Malformed, Shape, Table, Xml, parse as parse_content, pdf_text, read as read_content,
};
pub use format::Format;
pub use operators::OPERATORS;
#[cfg(feature = "cloud")]
pub use store::{ListingPage, sift_listing};

use candor_check::{CheckType, PartType};

/// The check.
pub const CHECK: CheckType = CheckType::of::<SftpFilePresent>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::Files>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
