//! Violations of a message structure, and their places.

use std::ops::Range;

/// A rule that a violation breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A segment that must be there is not.
    MissingSegment,
    /// A group that must be there is not.
    MissingGroup,
    /// A segment that the structure has nowhere.
    UnexpectedSegment,
    /// A segment that the structure has elsewhere.
    SegmentOutOfOrder,
    /// More of a segment than is allowed there.
    TooManySegments,
    /// A field that must have a value is empty.
    MissingField,
    /// A field that may not repeat does.
    TooManyRepetitions,
    /// A value that is not of its data type.
    WrongDataType,
    /// A code that its table does not have.
    WrongCode,
}

impl Rule {
    /// The code of HL7 table 0357 (message error condition codes) for it.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Self::MissingSegment | Self::MissingGroup | Self::UnexpectedSegment | Self::SegmentOutOfOrder => 100,
            Self::MissingField => 101,
            Self::WrongDataType => 102,
            Self::WrongCode => 103,
            Self::TooManySegments | Self::TooManyRepetitions => 198,
        }
    }
}

/// A violation of the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The broken rule.
    pub rule: Rule,
    /// The code of HL7 table 0357.
    pub code: u16,
    /// Where, as a field path: `PV1`, `OBX[3]`, `PID.5`, `OBX[2].5`.
    pub path: String,
    /// The groups that contain it: `PATIENT_RESULT[1].ORDER_OBSERVATION[2]`; empty outside groups, and for fields.
    pub group: String,
    /// The expected value or segment, in words.
    pub expected: String,
    /// The text found, cut if it is long; `None` if nothing is there.
    pub actual: Option<String>,
    /// Where in the input; empty where something is missing.
    pub span: Range<usize>,
    /// The number of the segment in the message, from 1; one more than there are where something is missing at the end.
    pub line: usize,
}
