//! Errors: a text that is not an expression, and an expression without a result.

use std::fmt;

/// The fault in a text that is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Where in the expression, in bytes from its start.
    pub position: usize,
    /// The text found there, as the beginning of a sentence.
    pub found: String,
    /// The text expected there, as the end of the sentence.
    pub expected: String,
}

impl ParseError {
    pub(crate) fn new(position: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { position, found: found.into(), expected: expected.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}; expected {}", self.position, self.found, self.expected)
    }
}

impl std::error::Error for ParseError {}

/// Why an expression has no result over a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationError {
    /// The place of the part that could not be evaluated, in bytes from the start of the expression.
    pub position: usize,
    /// The reason.
    pub problem: Problem,
}

/// The reason why an expression could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A value of another kind, or another number of values, than an operator or a function takes.
    Mismatch {
        /// The kinds and numbers found, without values.
        found: String,
        /// The kinds and numbers expected.
        expected: String,
    },
    /// A variable that is not defined.
    UndefinedVariable(String),
    /// A variable that is there already.
    DefinedVariable(String),
    /// An element that the type does not have; found in strict mode only.
    UnknownElement {
        /// The type.
        of: String,
        /// The element.
        name: String,
    },
    /// A limit was reached.
    Limit(&'static str),
    /// Something that this evaluation was not given, or that this crate does not do.
    Refused(String),
}

impl EvaluationError {
    pub(crate) fn new(position: usize, problem: Problem) -> Self {
        Self { position, problem }
    }

    pub(crate) fn mismatch(position: usize, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(position, Problem::Mismatch { found: found.into(), expected: expected.into() })
    }

    pub(crate) fn refused(position: usize, why: impl Into<String>) -> Self {
        Self::new(position, Problem::Refused(why.into()))
    }

    /// True if the evaluation ended because a limit was reached.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self.problem, Problem::Limit(_))
    }
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.position, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch { found, expected } => write!(f, "found {found}; expected {expected}"),
            Self::UndefinedVariable(name) => write!(f, "the variable %{name} is not defined"),
            Self::DefinedVariable(name) => write!(f, "the variable %{name} is defined already; expected a new name"),
            Self::UnknownElement { of, name } => write!(f, "{of} has no element `{name}`"),
            Self::Limit(what) => write!(f, "the evaluation was ended: {what}"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for EvaluationError {}
