//! Asserts the rows behind a portal: of JSON, NDJSON and CSV files, of SQLite files, PostgreSQL, MySQL and MariaDB, and of
//! servers that give rows out over HTTP.
//!
//! [`rows`] turns bytes into rows with their spans and knows no assertion; the source keeps what was read; selection
//! is by column; judging is the shared one of `candor-check`.

mod check;
mod draft;
mod history;
pub mod http;
mod identity;
mod items;
mod judge;
mod look;
mod mask;
mod observe;
mod operators;
mod path;
mod review;
pub mod rows;
mod safety;
mod seen;
mod selection;
mod settings;
mod source;
#[cfg_attr(
    not(all(feature = "sqlite", feature = "databases")),
    allow(dead_code, reason = "what only a database uses that this build leaves out")
)]
mod sql;
mod synonyms;
mod unique;

use candor_check::{CheckType, PartType};

pub use check::PortalStateMatch;
pub use operators::OPERATORS;
pub use path::ColumnPath;
pub use seen::{Missing, Seen};
pub use selection::{Condition, CorrelateBy, Wanted};

/// The check, as a value.
pub const CHECK: CheckType = CheckType::of::<PortalStateMatch>();

/// The part of a sandbox that the check reads.
pub const PART: PartType = PartType::of::<source::PortalSource>();

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
