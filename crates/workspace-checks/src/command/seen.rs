//! What was observed: how a command ended, and what it wrote.

use serde::{Deserialize, Serialize};

use super::copy::Copy;
use super::counts::Counts;
use super::report::Unread;

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ran {
    pub(super) end: End,
    /// The end of what it wrote.
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Whether it wrote more than that.
    pub(super) cut: bool,
    /// How long it took, in milliseconds.
    pub(super) took_ms: u64,
    /// How many files the copy held that it ran in.
    pub(super) files: u64,
    /// Links that lead out of the workspace, and were not in the copy.
    pub(super) left_out: Vec<String>,
    /// The tests that it ran, where they are counted and anything told.
    pub(super) tests: Option<Counts>,
    /// What is wrong with a report.
    pub(super) report: Option<Unread>,
    /// What held the command's boundary.
    #[serde(default)]
    pub(super) boundary: Option<String>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Not within its time, in milliseconds.
    TimedOut(u64),
    /// The workspace has no such program.
    NoProgram(String),
    /// The workspace has no such folder.
    NoFolder(String),
}

impl Ran {
    pub(super) fn not(end: End, copy: &Copy) -> Self {
        Self {
            end,
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
            took_ms: 0,
            files: copy.files,
            left_out: copy.left_out.clone(),
            tests: None,
            report: None,
            boundary: None,
        }
    }
}
