//! Errors in stored criterion runs.

use std::{fmt, io};

use super::{MAX_AXES, MAX_AXIS_BYTES, cut};
use crate::Inconsistent;

/// A line that cannot be scored, and its place.
#[derive(Debug)]
pub struct StoredError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The column, in bytes, counted from 1.
    pub column: u64,
    /// The error at this place.
    pub problem: Problem,
}

/// The reason why a line cannot be scored.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Reading failed.
    Io(io::Error),
    /// A line is longer than the limit.
    LineTooLong {
        /// The limit, in bytes.
        max_bytes: usize,
    },
    /// A line is not UTF-8, as JSON is.
    NotUtf8,
    /// The line is not a criterion run.
    Unexpected {
        /// The text found.
        found: String,
        /// The expected text, in words.
        expected: &'static str,
    },
    /// Status and score contradict each other.
    Inconsistent(Inconsistent),
    /// `passed` contradicts `status`.
    PassedAgainstStatus,
    /// The criterion came before in the same task run.
    CriterionTwice {
        /// Its id.
        criterion_id: String,
    },
    /// The lines of a task run do not follow one another.
    RunComesBack {
        /// Its id; `None` for the lines that name none.
        task_run_id: Option<String>,
    },
    /// A task run names two tasks.
    TwoTasks {
        /// The one it named first.
        first: String,
        /// The one it names here.
        second: String,
    },
    /// A task run names two rules for a pass.
    TwoPassRules {
        /// The one it named first.
        first: String,
        /// The one it names here.
        second: String,
    },
    /// There are more axes than a task run or a benchmark may have.
    TooManyAxes,
    /// The name of an axis is too long.
    AxisTooLong {
        /// Its length in bytes.
        bytes: usize,
    },
}

impl fmt::Display for StoredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) => write!(f, "reading failed: {error}"),
            Problem::LineTooLong { max_bytes } => {
                write!(f, "found a line of more than {max_bytes} bytes, expected one criterion run a line")
            }
            Problem::NotUtf8 => f.write_str("found bytes that are not UTF-8, expected JSON in UTF-8"),
            Problem::Unexpected { found, expected } => {
                write!(f, "found {found}, expected {expected}")
            }
            Problem::Inconsistent(error) => write!(f, "found {error}"),
            Problem::PassedAgainstStatus => {
                f.write_str("found `passed` that contradicts `status`, expected `passed` to be true exactly when `status` is \"passed\"")
            }
            Problem::CriterionTwice { criterion_id } => write!(
                f,
                "found criterion {:?} a second time in this task run, expected each criterion once",
                cut(criterion_id)
            ),
            Problem::RunComesBack { task_run_id } => {
                match task_run_id {
                    Some(id) => write!(f, "found task run {:?} again after another one", cut(id))?,
                    None => f.write_str("found lines without `task_run_id` again after a task run")?,
                }
                f.write_str(", expected the lines of one task run together; sort the file by `task_run_id` first")
            }
            Problem::TwoTasks { first, second } => write!(
                f,
                "found task {:?} in a task run of task {:?}, expected one `task_id` in a task run",
                cut(second),
                cut(first)
            ),
            Problem::TwoPassRules { first, second } => {
                write!(f, "found `task_pass` {second} in a task run of `task_pass` {first}, expected one in a task run")
            }
            Problem::TooManyAxes => {
                write!(f, "found more than {MAX_AXES} axes, expected at most so many")
            }
            Problem::AxisTooLong { bytes } => write!(
                f,
                "found an axis whose name has {bytes} bytes, expected at most {MAX_AXIS_BYTES}"
            ),
        }
    }
}

impl std::error::Error for StoredError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            Problem::Inconsistent(error) => Some(error),
            _ => None,
        }
    }
}
