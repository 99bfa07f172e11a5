//! Bytes that cannot be read, and their place.

use std::fmt;

use crate::SegmentId;

/// A place in the bytes that could not be read as X12.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The offset of the first byte that cannot be read.
    pub offset: u64,
    /// Why they cannot be read.
    pub kind: ParseErrorKind,
}

/// The reason why a place cannot be read. No variant holds text of the message: it may be a patient's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is text where an interchange has to begin with ISA.
    NotAnInterchange,
    /// The bytes end inside ISA.
    HeaderCutOff,
    /// ISA is there, but its delimiters cannot be determined.
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
    /// A segment of this kind cannot come here.
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
    /// The bytes end in more NUL bytes than a block is padded with.
    NulTail,
    /// There are too many control numbers out of order to find further duplicates.
    TooManyControlNumbers {
        /// How many are remembered.
        limit: usize,
    },
}

/// Every code that [`ParseErrorKind::code`] gives.
pub const FAULT_CODES: &[&str] = &["TA105:022", "TA105:023", "IK304:1", "IK304:2", "IK304:8", "IK502:2"];

impl ParseErrorKind {
    /// True if a limit of the reader was met, rather than a fault of the bytes.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self, Self::SegmentTooLong { .. } | Self::SetTooLong { .. } | Self::TooManyControlNumbers { .. })
    }

    /// True if something is cut off there.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        matches!(self, Self::HeaderCutOff | Self::SegmentCutOff | Self::SetCutOff { .. } | Self::NulTail)
    }

    /// X12's own code for a fault of the bytes, with the element that reports it: interchange note (TA105, I18), segment
    /// syntax error (IK304, 620), transaction set syntax error (IK502, 618). Nothing for a limit.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        Some(match self {
            // Invalid control structure.
            Self::NotAnInterchange | Self::InvalidHeader => "TA105:022",
            // Premature end of file.
            Self::HeaderCutOff | Self::SegmentCutOff | Self::NulTail => "TA105:023",
            // Unrecognized segment id.
            Self::InvalidSegmentId => "IK304:1",
            // Unexpected segment.
            Self::UnexpectedSegment { .. } => "IK304:2",
            // Segment has data element errors.
            Self::BinaryLength => "IK304:8",
            // Transaction set trailer missing.
            Self::SetCutOff { .. } => "IK502:2",
            Self::SegmentTooLong { .. } | Self::SetTooLong { .. } | Self::TooManyControlNumbers { .. } => return None,
        })
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
            Self::NulTail => f.write_str("the file ends in NUL bytes, as one does whose end was not written"),
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
