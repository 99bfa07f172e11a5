//! HL7 v2 messages in ER7 form: bytes to a borrowed tree with spans, and paths over it.
//!
//! This crate knows the wire format and nothing else: no I/O, no assertions, no message structures.
//! It never copies what it reads, splits a segment only when asked, and never panics on any bytes.
//!
//! [`messages`] reads every message of a buffer, with anything around it (MLLP frames, batch headers, blank lines).
//! Each message brings its own [`Delimiters`]. Bytes that cannot be read become a [`ParseError`] that covers them; it
//! never hides the messages around them. A [`Path`] such as `PID.5.1` or `OBX[3.1=2345-7].5` selects [`Value`]s, each
//! with its byte span.
//!
//! ```
//! use candor_hl7v2::{Path, messages};
//!
//! let bytes = b"MSH|^~\\&|LAB|||||20261120||ORU^R01|42|P|2.5.1\rPID|1||77^^^H^MR||Smith^John\r";
//! let family = Path::parse("PID.5.1")?;
//! for message in messages(bytes) {
//!     let message = message?;
//!     let value = family.select(&message).next().ok_or("absent")?;
//!     assert_eq!(value.text().text, "Smith");
//!     assert_eq!(&bytes[value.span()], b"Smith");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Values decode when asked, once and after splitting: escapes by [`Delimiters`], bytes by MSH-18
//! ([`Charset`]). A value that is empty is absent: it is not selected. The HL7 null `""` is a value.

mod batch;
mod charset;
mod delimiters;
mod ending;
mod error;
mod escape;
mod find;
mod frame;
mod leaves;
mod message;
mod multibyte;
mod path;
mod reader;
mod search;
mod stream;

pub use batch::{Enclosing, Trailer};
pub use charset::{Charset, Declared, Decoded};
pub use delimiters::Delimiters;
pub use ending::Ending;
pub use error::{Header, Malformed, ParseError};
pub use escape::{KeptEscape, Meaning};
pub use message::{Field, Message, Piece, Pieces, Segment};
pub use path::{Element, Path, PathError, PathErrorKind, Value, Values};
pub use reader::{Messages, messages, messages_of_text};
pub use search::TextSearch;
pub use stream::{Part, Stream};

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
