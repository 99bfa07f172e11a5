//! Errors of reading a unit, and of comparing two quantities.

use std::fmt;

use crate::Dimension;

/// The reason why a text is not a UCUM unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// There is nothing.
    Empty,
    /// It is longer than [`crate::Unit::MAX_LENGTH`] bytes.
    TooLong,
    /// This character cannot be part of a unit here.
    Unexpected {
        /// The byte it begins at; the length of the text where something is missing at its end.
        at: usize,
    },
    /// There is no such unit.
    Unknown {
        /// The byte it begins at.
        at: usize,
        /// The unit as it is written.
        code: String,
    },
    /// A unit on a scale of its own (`Cel`, `[pH]`) is multiplied, divided or raised.
    SpecialInTerm {
        /// The byte it begins at.
        at: usize,
        /// The unit as it is written.
        code: String,
    },
    /// Parentheses are nested deeper than 32, or numbers grow beyond every use.
    TooLarge {
        /// The byte where that is noticed.
        at: usize,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "an empty text is not a unit"),
            Self::TooLong => write!(f, "a unit is no longer than {} bytes", crate::Unit::MAX_LENGTH),
            Self::Unexpected { at } => write!(f, "not a UCUM unit at byte {at}"),
            Self::Unknown { at, code } => write!(f, "`{code}` at byte {at} is not a UCUM unit"),
            Self::SpecialInTerm { at, code } => {
                write!(f, "`{code}` at byte {at} is a scale of its own and cannot be part of a term")
            }
            Self::TooLarge { at } => write!(f, "the unit grows beyond what is read at byte {at}"),
        }
    }
}

impl std::error::Error for ParseError {}

/// Why two quantities have no order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareError {
    /// One of the units is not a UCUM unit.
    Unit(ParseError),
    /// The units measure different things.
    Incomparable {
        /// The dimension of the first.
        left: Dimension,
        /// The dimension of the second.
        right: Dimension,
    },
}

impl From<ParseError> for CompareError {
    fn from(error: ParseError) -> Self {
        Self::Unit(error)
    }
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit(error) => error.fmt(f),
            Self::Incomparable { left, right } => write!(f, "`{left}` and `{right}` measure different things"),
        }
    }
}

impl std::error::Error for CompareError {}
