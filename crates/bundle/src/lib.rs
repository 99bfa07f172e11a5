//! Evidence bundles: one file that holds what a verdict was judged by, so that anybody can judge it again.
//!
//! [`of_check`] and its siblings write the runs of an engine that records ([`candor_engine::Engine::recording`]).
//! [`Bundle::open`] reads a bundle within limits, and [`replay`] judges and scores everything in it again. [`SigningKey`]
//! signs, [`Bundle::redacted`] leaves observations out, [`MaskKey`] hides actual values.
//!
//! Nothing here reads a sandbox, asks a server, prints, or follows a path that a bundle holds.

mod compare;
mod digest;
mod error;
mod key;
mod manifest;
mod mask;
mod read;
mod redact;
mod replay;
mod statement;
mod write;
mod zip;

pub use error::BundleError;
pub use key::{KeyError, SigningKey, VerifyingKey};
pub use manifest::Kind;
pub use mask::MaskKey;
pub use read::{Bundle, Difference};
pub use replay::{Rejudged, Replay, Signed, rejudge, replay};
pub use write::{Recorded, Terms, of_benchmark, of_check, of_loop};
pub use zip::ArchiveError;
