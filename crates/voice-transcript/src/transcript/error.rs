//! Errors of reading a transcript. No message holds text of the call.

use std::fmt;

/// Why a transcript cannot be read. Offsets are bytes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscriptError {
    /// There is nothing in it.
    Empty,
    /// It is larger than [`super::MAX_BYTES`].
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It begins with a UTF-16 byte order mark.
    Utf16,
    /// Its bytes are not UTF-8.
    NotUtf8 {
        /// The first that is not.
        offset: usize,
    },
    /// It holds a NUL byte, so it is not text.
    Binary {
        /// The place of the first one.
        offset: usize,
    },
    /// It is in a known format that this version does not read.
    OtherFormat {
        /// The format's name.
        format: &'static str,
    },
    /// It is not well-formed JSON.
    Json {
        /// The parser's words: they hold no text of the document.
        problem: String,
        /// Where it broke off.
        offset: usize,
    },
    /// It is JSON that two readers may read in two ways.
    Ambiguous {
        /// The flaw.
        problem: String,
        /// Its place.
        offset: usize,
    },
    /// It is JSON, but not a list of turns.
    NotTurns {
        /// The JSON found instead.
        found: &'static str,
    },
    /// It is in a format that is read, but a part of it cannot be.
    Format {
        /// The format's name.
        format: &'static str,
        /// The flaw.
        problem: &'static str,
        /// Its place.
        offset: usize,
    },
    /// An object holds two lists of turns.
    TwoLists,
    /// An entry of a list of turns cannot be read.
    Turn {
        /// Its index in the list, interim results counted.
        index: usize,
        /// The place of the entry.
        offset: usize,
        /// The flaw of the entry.
        problem: TurnProblem,
    },
    /// It ends before its format does.
    Cut {
        /// The first byte of what is not whole.
        offset: u64,
        /// The missing part.
        what: String,
    },
    /// A text does not begin with a speaker's label.
    NoSpeaker {
        /// The first line that is not blank, 1-based.
        line: usize,
        /// The place of that line.
        offset: usize,
    },
}

/// A flaw of an entry in a list of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnProblem {
    /// It is not an object.
    NotAnObject,
    /// It has a member twice that is read.
    Twice(&'static str),
    /// A member has a type that it cannot have.
    Type(&'static str),
    /// It holds neither `text` nor `content`.
    NoText,
    /// `text` and `content` differ.
    TwoTexts,
    /// `speaker` and `role` name different parties.
    TwoSpeakers,
    /// A part of its content is of a kind that is not known.
    UnknownPart {
        /// The part's index.
        part: usize,
    },
}

impl fmt::Display for TurnProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject => f.write_str("is not an object"),
            Self::Twice(member) => write!(f, "has `{member}` twice"),
            Self::Type(member) => write!(f, "has a `{member}` of an unexpected type"),
            Self::NoText => f.write_str("has neither `text` nor `content`"),
            Self::TwoTexts => f.write_str("has a `text` and a different `content`"),
            Self::TwoSpeakers => f.write_str("has a `speaker` and a `role` that contradict each other"),
            Self::UnknownPart { part } => write!(f, "has a content part (number {part}) of an unknown type"),
        }
    }
}

const TRIED: &str = "tried a native list of turns, a role/content list, the JSON of recognizers, WebVTT, SRT and \"Speaker: text\" lines";

impl fmt::Display for TranscriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file holds nothing, which is not a recording of silence"),
            Self::TooLarge { bytes } => {
                write!(f, "the file has {bytes} bytes; a transcript may have {}", super::MAX_BYTES)
            }
            Self::Utf16 => f.write_str("looks like UTF-16, which this version does not read; store it as UTF-8"),
            Self::NotUtf8 { offset } => write!(f, "not UTF-8 at offset {offset}"),
            Self::Binary { offset } => write!(f, "not text: a NUL byte at offset {offset}"),
            Self::OtherFormat { format } => write!(f, "looks like {format}, which this version does not read"),
            Self::Json { problem, offset } => write!(f, "not well-formed JSON at offset {offset}: {problem}"),
            Self::Ambiguous { problem, offset } => write!(f, "JSON that cannot be read at offset {offset}: {problem}"),
            Self::Format { format, problem, offset } => {
                write!(f, "looks like {format}, but cannot be read at offset {offset}: {problem}")
            }
            Self::Cut { offset, what } => write!(f, "cut off at offset {offset}: {what}"),
            Self::NotTurns { found } => write!(f, "no list of turns, but {found}; {TRIED}"),
            Self::TwoLists => f.write_str("both `turns` and `messages` hold turns, so the call's turns are ambiguous"),
            Self::Turn { index, offset, problem } => write!(f, "turn {index} at offset {offset} {problem}"),
            Self::NoSpeaker { line, offset } => {
                write!(f, "line {line} at offset {offset} does not begin with a speaker's label and a colon; {TRIED}")
            }
        }
    }
}

impl std::error::Error for TranscriptError {}
