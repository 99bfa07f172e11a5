//! The observation of a command: how it ended, and what it wrote.

use serde::{Deserialize, Serialize};

use super::copy::Copy;
use super::counts::Counts;
use super::report::Unread;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ran {
    pub(super) end: End,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) cut: bool,
    pub(super) took_ms: u64,
    pub(super) files: u64,
    /// Links that lead out of the workspace, and were not in the copy.
    pub(super) left_out: Vec<String>,
    /// True if it runs a file of the workspace, with programs that are there: then an exit with 126 or 127 is that
    /// file's.
    #[serde(default)]
    pub(super) runs_file: bool,
    /// True if it runs tests that the author of the work may have written: none of them are protected, and no overlay
    /// replaces them.
    #[serde(default)]
    pub(super) own_tests: bool,
    /// The tests that it ran, if they are counted and the output or a report counts any.
    pub(super) tests: Option<Counts>,
    pub(super) report: Option<Unread>,
    /// The mode of the command's boundary: `none` without a boundary.
    pub(super) boundary: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Code(i32),
    Signal(i32),
    /// Not within its time, in milliseconds.
    TimedOut(u64),
    /// Not run: protected files are not as they were.
    Protected(Vec<String>),
    NoProgram(String),
    NoFolder(String),
}

impl Ran {
    pub(super) fn not(end: End, copy: &Copy) -> Self {
        Self { files: copy.files, left_out: copy.left_out.clone(), ..Self::without_copy(end) }
    }

    pub(super) fn without_copy(end: End) -> Self {
        Self {
            end,
            stdout: String::new(),
            stderr: String::new(),
            cut: false,
            took_ms: 0,
            files: 0,
            left_out: Vec::new(),
            runs_file: false,
            own_tests: false,
            tests: None,
            report: None,
            boundary: None,
        }
    }
}
