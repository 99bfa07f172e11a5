//! Errors of reading and writing JSON, with a line and a column where the text has one.

use std::fmt::{self, Debug, Display};
use std::io;

use serde::{de, ser};

/// A result, with an [`Error`] unless another type is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of reading or writing JSON.
///
/// ```
/// let error = candor_json::from_str::<candor_json::Value>("[1,\n2").unwrap_err();
/// assert_eq!(error.to_string(), "EOF while parsing a list at line 2 column 1");
/// assert!(error.is_eof() && error.line() == 2 && error.column() == 1);
/// ```
// Boxed, so that a result stays small.
pub struct Error(Box<Inner>);

struct Inner {
    code: Code,
    /// From 1; 0 if the error has no place in a text.
    line: usize,
    column: usize,
}

pub(crate) enum Code {
    Message(Box<str>),
    Io(io::Error),
    Eof(&'static str),
    Syntax(&'static str),
}

/// The texts of errors of syntax, which `serde_json` has too.
pub(crate) mod code {
    use super::Code;

    pub(crate) const EOF_LIST: Code = Code::Eof("EOF while parsing a list");
    pub(crate) const EOF_OBJECT: Code = Code::Eof("EOF while parsing an object");
    pub(crate) const EOF_STRING: Code = Code::Eof("EOF while parsing a string");
    pub(crate) const EOF_VALUE: Code = Code::Eof("EOF while parsing a value");
    pub(crate) const COLON: Code = Code::Syntax("expected `:`");
    pub(crate) const COMMA_OR_BRACKET: Code = Code::Syntax("expected `,` or `]`");
    pub(crate) const COMMA_OR_BRACE: Code = Code::Syntax("expected `,` or `}`");
    pub(crate) const IDENT: Code = Code::Syntax("expected ident");
    pub(crate) const VALUE: Code = Code::Syntax("expected value");
    pub(crate) const QUOTE: Code = Code::Syntax("expected `\"`");
    pub(crate) const ESCAPE: Code = Code::Syntax("invalid escape");
    pub(crate) const NUMBER: Code = Code::Syntax("invalid number");
    pub(crate) const OUT_OF_RANGE: Code = Code::Syntax("number out of range");
    pub(crate) const UNICODE: Code = Code::Syntax("invalid unicode code point");
    pub(crate) const CONTROL: Code = Code::Syntax("control character (\\u0000-\\u001F) found while parsing a string");
    pub(crate) const KEY: Code = Code::Syntax("key must be a string");
    pub(crate) const NUMERIC_KEY: Code = Code::Syntax("invalid value: expected key to be a number in quotes");
    pub(crate) const FINITE_KEY: Code = Code::Syntax("float key must be finite (got NaN or +/-inf)");
    pub(crate) const SURROGATE: Code = Code::Syntax("lone leading surrogate in hex escape");
    pub(crate) const END_OF_HEX: Code = Code::Syntax("unexpected end of hex escape");
    pub(crate) const TRAILING_COMMA: Code = Code::Syntax("trailing comma");
    pub(crate) const TRAILING: Code = Code::Syntax("trailing characters");
    pub(crate) const RECURSION: Code = Code::Syntax("recursion limit exceeded");
}

impl Error {
    #[cold]
    pub(crate) fn new(code: Code, line: usize, column: usize) -> Self {
        Self(Box::new(Inner { code, line, column }))
    }

    #[cold]
    pub(crate) fn nowhere(code: Code) -> Self {
        Self::new(code, 0, 0)
    }

    #[cold]
    pub(crate) fn io(error: io::Error) -> Self {
        Self::nowhere(Code::Io(error))
    }

    /// The line of the error, from 1; 0 if the error has no place in a text.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column of the error in bytes, from 1; 0 if the error lies before the first byte of its line.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// True if the text ends before the value does.
    #[must_use]
    pub fn is_eof(&self) -> bool {
        matches!(self.0.code, Code::Eof(_))
    }

    /// The same error at the place that `place` gives, unless it has one.
    #[cold]
    pub(crate) fn placed(mut self, place: impl FnOnce() -> (usize, usize)) -> Self {
        if self.0.line == 0 {
            (self.0.line, self.0.column) = place();
        }
        self
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(text) => f.write_str(text),
            Self::Io(error) => Display::fmt(error, f),
            Self::Eof(text) | Self::Syntax(text) => f.write_str(text),
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { code, line, column } = &*self.0;
        match line {
            0 => Display::fmt(code, f),
            line => write!(f, "{code} at line {line} column {column}"),
        }
    }
}

impl Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { code, line, column } = &*self.0;
        write!(f, "Error({:?}, line: {line}, column: {column})", code.to_string())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.code {
            Code::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error.0.code {
            Code::Io(error) => error,
            Code::Eof(_) => Self::new(io::ErrorKind::UnexpectedEof, error),
            Code::Syntax(_) | Code::Message(_) => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// An error from a message. A place at the message's end becomes the error's place: a reader inside of another one, such as
/// that of an untagged enum, hands its error on as a text.
fn from_message(text: &str) -> Error {
    let placed = || {
        let (message, place) = text.rsplit_once(" at line ")?;
        let (line, column) = place.split_once(" column ")?;
        let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?;
        Some((message, number(line)?, number(column)?))
    };
    let (message, line, column) = placed().unwrap_or((text, 0, 0));
    Error::new(Code::Message(message.into()), line, column)
}

impl ser::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        from_message(&message.to_string())
    }
}

impl de::Error for Error {
    #[cold]
    fn custom<T: Display>(message: T) -> Self {
        from_message(&message.to_string())
    }

    #[cold]
    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        de::Error::custom(format_args!("invalid type: {}, expected {expected}", Found(found)))
    }

    #[cold]
    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        de::Error::custom(format_args!("invalid value: {}, expected {expected}", Found(found)))
    }
}

/// A value in a message, in the words of JSON: `null`, and floats as they are written.
struct Found<'a>(de::Unexpected<'a>);

impl Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            de::Unexpected::Unit => f.write_str("null"),
            de::Unexpected::Float(value) => write!(f, "floating point `{}`", zmij::Buffer::new().format(value)),
            other => Display::fmt(&other, f),
        }
    }
}
