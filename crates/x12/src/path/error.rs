//! Why a path selects nothing, ever.

use std::fmt;

use crate::SegmentId;

/// A path that cannot be read, or that could never select anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// The path as its author wrote it.
    pub path: String,
    /// The byte in it where it goes wrong.
    pub at: usize,
    /// Why the path goes wrong there.
    pub kind: PathErrorKind,
    /// A path that can be read and is likely to be meant.
    pub suggestion: Option<String>,
}

/// The reasons why a path cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// No segment id: two or three characters, a capital letter first, then capitals and digits.
    SegmentId,
    /// A loop id has four digits and up to two capital letters.
    LoopId,
    /// A loop without a segment behind it.
    LoopAlone,
    /// GE and IEA are not seen with a transaction set.
    Trailer,
    /// Positions begin with 1.
    Zero,
    /// A position beyond what X12 can hold: 99 elements.
    TooLarge,
    /// Something other than a number where a number is expected.
    Number,
    /// `[` without `]`.
    UnclosedBracket,
    /// Not `n`, `*` or `element=value` between brackets.
    Selector,
    /// A condition with no value to compare with.
    EmptyValue,
    /// Conditions go on a segment, not on an element.
    ConditionOnElement,
    /// An item is a loop or a segment, not an element.
    ElementAsItem,
    /// ISA and GS do not lie in a loop.
    OutsideLoops,
    /// ISA and GS do not lie in the item of a group.
    OutsideItem,
    /// An item is one segment of this id, in which there are no items.
    ItemInSegment(SegmentId),
    /// An item is one segment of this id, and the path reads another.
    OtherSegment(SegmentId),
    /// Conditions within conditions, deeper than any loop lies.
    TooDeep,
    /// Text that belongs to no step.
    Trailing,
}

impl fmt::Display for PathErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SegmentId => {
                f.write_str("a segment id has two or three characters, capitals and digits, a capital first")
            }
            Self::LoopId => f.write_str("a loop id has four digits and up to two capital letters"),
            Self::LoopAlone => f.write_str("a loop needs a segment behind it"),
            Self::Trailer => f.write_str(
                "a transaction set is seen with its ISA and GS only; `envelope: strict` compares GE and IEA",
            ),
            Self::Zero => f.write_str("positions begin with 1"),
            Self::TooLarge => f.write_str("no segment has that many elements"),
            Self::Number => f.write_str("a number is expected here"),
            Self::UnclosedBracket => f.write_str("the bracket is not closed"),
            Self::Selector => f.write_str("expected between brackets: a number, `*` or `element=value`"),
            Self::EmptyValue => f.write_str("the condition has no value to compare with"),
            Self::ConditionOnElement => f.write_str("a condition goes on a segment, as in `EB[3=30].1`"),
            Self::ElementAsItem => {
                f.write_str("an item is a loop or a segment; leave out the element, and write it in `fields`")
            }
            Self::OutsideLoops => f.write_str("ISA and GS do not lie in a loop"),
            Self::OutsideItem => {
                f.write_str("ISA and GS do not lie in a loop; write the path outside of the item group")
            }
            Self::ItemInSegment(id) => write!(f, "an item is one {id} segment, in which there are no items"),
            Self::OtherSegment(id) => {
                write!(f, "an item is one {id} segment; its elements are {id}.1, {id}.2 and so on")
            }
            Self::TooDeep => f.write_str("conditions lie in each other too deep"),
            Self::Trailing => f.write_str("nothing can follow here"),
        }
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path `{}`, character {}: {}", self.path, self.at + 1, self.kind)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PathError {}
