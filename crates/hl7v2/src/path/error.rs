//! The reasons why a text is not a path.

use std::fmt;

/// A path that can never select anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    /// Where, as a byte offset into the path.
    pub offset: usize,
    /// Why the text is not a path.
    pub kind: PathErrorKind,
    /// A path that may have been meant.
    pub suggestion: Option<String>,
}

/// The reasons why a path can never select anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// It does not begin with a segment id: a capital letter and two capital letters or digits.
    SegmentId,
    /// The id is that of a batch or file segment, which no message holds.
    BatchSegment,
    /// A field, component, subcomponent or repetition 0.
    Zero,
    /// A number was expected.
    Number,
    /// A number beyond any message.
    TooLarge,
    /// `[` without its `]`, or the other way round.
    Bracket,
    /// `[]`, or what is between the brackets is neither a number, nor `*`, nor a condition.
    Selector,
    /// More than one selector at a place that takes only one.
    SecondSelector,
    /// A condition that compares with nothing.
    ConditionValue,
    /// A selector on a component or subcomponent.
    SelectorPlace,
    /// Something after the subcomponent.
    TooDeep,
    /// MSH-1 and MSH-2 are single values that nothing splits.
    Opaque,
    /// A message has one MSH.
    SecondMsh,
    /// A character that has no place there.
    Unexpected,
}

impl fmt::Display for PathErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SegmentId => {
                "a segment id of three characters was expected: a capital letter and two capital letters or digits"
            }
            Self::BatchSegment => "FHS, BHS, BTS and FTS are outside of messages",
            Self::Zero => "everything is counted from 1",
            Self::Number => "a number was expected",
            Self::TooLarge => "the number is beyond any message",
            Self::Bracket => "a bracket without its counterpart",
            Self::Selector => "`[n]`, `[*]` or `[field=value]` was expected",
            Self::SecondSelector => "only conditions can be combined; a number or `*` is the only selector",
            Self::ConditionValue => "a condition compares with a value",
            Self::SelectorPlace => "`[n]`, `[*]` and conditions go on the segment or the field",
            Self::TooDeep => "nothing is below a subcomponent",
            Self::Opaque => "MSH.1 and MSH.2 are single values that nothing splits",
            Self::SecondMsh => "a message has one MSH",
            Self::Unexpected => "a character that has no place in a path",
        })
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at offset {}: {}", self.offset, self.kind)?;
        match &self.suggestion {
            Some(path) => write!(f, "; did you mean `{path}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for PathError {}
