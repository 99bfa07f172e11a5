//! Why bytes could not be read as a message. No message text is kept here, only places and delimiters.

use std::fmt;
use std::ops::Range;

/// A stretch of input that is not a message, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Where the defect is, as a byte offset into the input.
    pub offset: usize,
    /// The bytes that could not be read because of it.
    pub span: Range<usize>,
    /// Why they could not be read.
    pub kind: Malformed,
}

/// A segment that declares delimiters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Header {
    /// Message header.
    Msh,
    /// File header.
    Fhs,
    /// Batch header.
    Bhs,
}

impl Header {
    pub(crate) fn of(id: &[u8]) -> Option<Self> {
        match id {
            b"MSH" => Some(Self::Msh),
            b"FHS" => Some(Self::Fhs),
            b"BHS" => Some(Self::Bhs),
            _ => None,
        }
    }
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Msh => "MSH",
            Self::Fhs => "FHS",
            Self::Bhs => "BHS",
        })
    }
}

/// The reason why bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// Text where only a header, framing or white space may be.
    TextBeforeHeader,
    /// The fourth character of a header cannot be a field separator, or is missing.
    FieldSeparator {
        /// The header.
        header: Header,
        /// The byte found in its place; `None` at the end of the line.
        found: Option<u8>,
    },
    /// The header's second field, the encoding characters, is empty.
    NoEncodingCharacters {
        /// The header.
        header: Header,
    },
    /// The header's second field holds more than the five encoding characters there are.
    EncodingCharacters {
        /// The header.
        header: Header,
        /// How many bytes it holds.
        found: usize,
    },
    /// A character that cannot be an encoding character: a letter, a digit, a space or not ASCII.
    EncodingCharacter {
        /// The header.
        header: Header,
        /// The byte found.
        found: u8,
    },
    /// The same character is declared as two delimiters.
    DuplicateDelimiter {
        /// The header.
        header: Header,
        /// The character.
        found: u8,
    },
    /// A line inside a message that does not start with a segment id and the field separator.
    NoSegmentId,
    /// An MLLP frame (0x0B) that no 0x1C ends.
    UnclosedFrame,
    /// The input ends inside the header, before the version in MSH-12.
    EndsInHeader,
}

struct Byte(u8);

impl fmt::Display for Byte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_ascii_graphic() {
            write!(f, "`{}`", char::from(self.0))
        } else {
            write!(f, "byte 0x{:02X}", self.0)
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TextBeforeHeader => {
                f.write_str("text that belongs to no message, where MSH, FHS or BHS was expected")
            }
            Self::FieldSeparator { header, found: None } => {
                write!(f, "{header} ends without a field separator")
            }
            Self::FieldSeparator { header, found: Some(byte) } => {
                write!(f, "{} follows {header}, where a field separator was expected", Byte(*byte))
            }
            Self::NoEncodingCharacters { header } => {
                write!(f, "{header}-2 is empty, where 1 to 5 encoding characters were expected")
            }
            Self::EncodingCharacters { header, found } => {
                write!(f, "{header}-2 holds {found} characters, where 1 to 5 encoding characters were expected")
            }
            Self::EncodingCharacter { header, found } => {
                write!(f, "{} in {header}-2 cannot be an encoding character", Byte(*found))
            }
            Self::DuplicateDelimiter { header, found } => {
                write!(f, "{header} declares {} as two delimiters", Byte(*found))
            }
            Self::NoSegmentId => f.write_str("the line does not start with a segment id"),
            Self::UnclosedFrame => f.write_str("the MLLP frame that begins here is never closed"),
            Self::EndsInHeader => f.write_str("the message that begins here is cut off inside its header"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for ParseError {}
