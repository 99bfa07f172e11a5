//! Asserts that nothing changed but what the work was about.
//!
//! The check reads no part itself: a part lists its records, and [`candor_check::difference`] holds those of the sandbox
//! against those of its baseline.

mod check;
mod except;
mod judge;
mod observe;
mod operators;
mod review;
mod seen;
mod settings;
mod source;

use candor_check::CheckType;

pub use operators::OPERATORS;

/// The check `state-unchanged`.
pub const CHECK: CheckType = CheckType::of::<check::StateUnchanged>();
