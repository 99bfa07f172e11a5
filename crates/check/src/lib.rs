//! The contract between a check and everything that runs it: the [`Check`] trait and its erasure, the [`Sandbox`] that
//! ground truth is read from, field comparison, and [`Evidence`].
//!
//! A check crate depends on this crate and on wire formats, never on another check. Nothing here knows a concrete check,
//! prints, scores a task or reads a task file.

mod check;
mod check_type;
pub mod compare;
pub mod delimited;
pub mod difference;
pub mod draft;
pub mod evidence;
pub mod explain;
pub mod feature;
pub mod field;
pub mod identity;
#[cfg(feature = "json-path")]
pub mod json_path;
pub mod mask;
pub mod meaning;
pub mod operators;
mod outcome;
pub mod records;
pub mod review;
pub mod sandbox;
pub mod schema;
pub mod settings;
pub mod strict_json;
pub mod tried;
mod within;
pub mod work;
pub mod xml;

/// The JSON of settings and of evidence: values, their macro, reader and writer. `use candor_check::json::{Value, json}`.
pub use candor_json as json;
pub use check::{Check, Judged, Meta};
pub use check_type::{BoundCheck, CheckType, Seen};
pub use evidence::Evidence;
pub use outcome::{Failure, Obstacle, Reason, ReasonInWords, Share, Status, Unverifiable, reasons};
pub use sandbox::{EVENTS, Part, PartType, Sandbox, SandboxBuilder, SandboxError, Source};
pub use within::Within;

/// The version of the rules by which values are compared and text is normalized. It is raised with every change that could
/// turn a stored verdict, and evidence bundles keep it.
pub const NORMALIZATION: u32 = 1;

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
