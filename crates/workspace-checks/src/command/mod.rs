//! `code-compiles`, `lint-passes`, `tests-pass`: a command that must succeed.
//!
//! It runs in a private [`copy`] of the workspace, without a shell, in a process group and an environment of its own, within
//! limits of time, output and file size. What kept it from being run is the verifier's matter; how it ended is the work's.

mod check;
mod copy;
mod counts;
mod judge;
mod observe;
mod report;
mod review;
mod seen;
mod settings;
mod shell;

pub(crate) use check::{CodeCompiles, Command, LintPasses, TestsPass};
