//! What cannot be read, and where.

use std::fmt;

use crate::SegmentId;

/// A place in the bytes that could not be read as X12.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The byte where what cannot be read begins.
    pub offset: u64,
    /// What is wrong there.
    pub kind: ParseErrorKind,
}

/// What is wrong with a place. No variant holds text of the message: it may be a patient's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is text where an interchange has to begin with ISA.
    NotAnInterchange,
    /// The bytes end inside ISA.
    HeaderCutOff,
    /// ISA is there, but its delimiters cannot be told.
    InvalidHeader,
    /// A segment is longer than the limit.
    SegmentTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The bytes end, or another interchange begins, inside a segment.
    SegmentCutOff,
    /// The length that a BIN or BDS segment declares does not lead to a segment terminator.
    BinaryLength,
    /// A segment does not begin with a segment id: two or three characters, a capital letter first.
    InvalidSegmentId,
    /// A segment stands where none of its kind can.
    UnexpectedSegment {
        /// The segment.
        id: SegmentId,
    },
    /// A transaction set has no SE. The error's offset is that of ST.
    SetCutOff {
        /// The byte where SE had to come at the latest.
        end: u64,
    },
    /// A transaction set is longer than the limit. The error's offset is that of ST.
    SetTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// So many control numbers in no order that duplicates can no longer be told.
    TooManyControlNumbers {
        /// How many are remembered.
        limit: usize,
    },
}

impl ParseErrorKind {
    /// Whether a limit of the reader was met, rather than a fault of the bytes.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self, Self::SegmentTooLong { .. } | Self::SetTooLong { .. } | Self::TooManyControlNumbers { .. })
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnInterchange => f.write_str("there is text that no ISA segment introduces"),
            Self::HeaderCutOff => f.write_str("the ISA segment is cut off"),
            Self::InvalidHeader => f.write_str("the ISA segment does not declare its delimiters"),
            Self::SegmentTooLong { limit } => {
                write!(f, "a segment is longer than the limit of {limit} bytes")
            }
            Self::SegmentCutOff => f.write_str("a segment is cut off"),
            Self::BinaryLength => {
                f.write_str("the declared length of binary data does not lead to a segment terminator")
            }
            Self::InvalidSegmentId => f.write_str("a segment does not begin with a segment id"),
            Self::UnexpectedSegment { id } => write!(f, "there is no place for {id} here"),
            Self::SetCutOff { end } => {
                write!(f, "the transaction set has no SE segment up to byte {end}")
            }
            Self::SetTooLong { limit } => {
                write!(f, "the transaction set is longer than the limit of {limit} bytes")
            }
            Self::TooManyControlNumbers { limit } => {
                write!(f, "there are more than {limit} control numbers in no order to compare")
            }
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.kind, self.offset)
    }
}

impl std::error::Error for ParseError {}
