//! X12 interchanges: bytes to borrowed segments with spans, and paths over them.
//!
//! This crate knows only the wire format: delimiters, segments, envelopes, paths. Other crates decide what a
//! transaction set means and if it is the wanted one. It does no I/O of its own: bytes come as a slice or from a
//! [`std::io::Read`], and memory stays constant for files of any size. It does not panic on any bytes.
//!
//! - [`Reader`] splits a stream into segments.
//! - [`Walk`] goes over interchanges, groups and transaction sets and compares their envelopes.
//! - [`Path`] selects values of one transaction set.
//!
//! The rules are those of X12.5 (interchange control structures) and X12.6 (application control structure). Where files
//! in the wild need more than the standard, a comment at that place says so.

mod delimiters;
mod envelope;
mod error;
mod header;
mod input;
mod leaves;
pub mod path;
mod reader;
mod scan;
mod search;
mod segment;
mod set;
mod walk;

pub use delimiters::Delimiters;
pub use envelope::{CODES, Finding, functional_id};
pub use error::{FAULT_CODES, ParseError, ParseErrorKind};
pub use header::HeaderForm;
pub use input::{Input, ReadInput, SliceInput};
pub use path::{NamedElement, Path, PathError, Value};
pub use reader::{Limits, Reader, Token};
pub use search::TextSearch;
pub use segment::{Piece, Segment, SegmentId};
pub use set::{Excerpt, Segments, SetView};
pub use walk::{Ending, Group, Interchange, Item, Set, SetHead, Ta1, Walk};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
