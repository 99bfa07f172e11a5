//! Why a stored result cannot be read.

use std::fmt;

/// A file that holds no result that can be read.
#[derive(Debug, PartialEq, Eq)]
pub enum StoredReadError {
    /// It is not JSON.
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The fault there.
        problem: String,
    },
    /// There is nothing in it.
    Empty,
    /// It is JSON, and not a result.
    NotAResult,
    /// It is a result with a member that is missing or of another kind.
    Member(String),
    /// Its criterion runs cannot be scored, or make another verdict.
    Score(String),
    /// Lines of different kinds.
    Lines {
        /// Which value of the file is not a criterion run, counted from 1.
        number: usize,
    },
}

impl fmt::Display for StoredReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column, problem } => write!(f, "{line}:{column}: this is not JSON: {problem}"),
            Self::Empty => f.write_str("the file is empty, expected a stored result"),
            Self::NotAResult => f.write_str(
                "this is not a stored result: expected what `check`, `bench`, `score`, `audit`, `diff` or `loop` write with \
                 --format json, or criterion runs, one a line",
            ),
            Self::Member(wrong) | Self::Score(wrong) => f.write_str(wrong),
            Self::Lines { number } => write!(
                f,
                "value {number} of the file is not a criterion run, expected one JSON document, or criterion runs, one a line"
            ),
        }
    }
}

impl std::error::Error for StoredReadError {}
