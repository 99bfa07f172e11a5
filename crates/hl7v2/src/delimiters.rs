//! The delimiters a header declares.

use crate::error::{Header, Malformed};

/// The delimiters of one message, from its own MSH-1 and MSH-2.
///
/// MSH-2 holds them in the order component, repetition, escape, subcomponent, truncation (from
/// version 2.7 on). One that MSH-2 does not declare does not exist in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiters {
    /// MSH-1.
    pub field: u8,
    /// The first encoding character.
    pub component: u8,
    /// The second.
    pub repetition: Option<u8>,
    /// The third.
    pub escape: Option<u8>,
    /// The fourth.
    pub subcomponent: Option<u8>,
    /// The fifth.
    pub truncation: Option<u8>,
}

/// True if a byte can delimit. Letters, digits and spaces are data in every message, line ends and 0x0B and 0x1C frame
/// it, and a byte above 0x7F may be part of a character.
pub(crate) fn usable(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, 0 | b' ' | b'\r' | b'\n' | 0x0B | 0x1C)
}

impl Delimiters {
    /// Reads them from a header's line, which begins with its id. The error has its offset in the line.
    pub(crate) fn read(header: Header, line: &[u8]) -> Result<Self, (usize, Malformed)> {
        let field = match line.get(3) {
            Some(&byte) if usable(byte) => byte,
            found => {
                return Err((3, Malformed::FieldSeparator { header, found: found.copied() }));
            }
        };
        let rest = line.get(4..).unwrap_or_default();
        let length = memchr::memchr(field, rest).unwrap_or(rest.len());
        let encoding = rest.get(..length).unwrap_or_default();
        let Some(&component) = encoding.first() else {
            return Err((4, Malformed::NoEncodingCharacters { header }));
        };
        if length > 5 {
            return Err((4, Malformed::EncodingCharacters { header, found: length }));
        }
        for (at, &byte) in encoding.iter().enumerate() {
            if !usable(byte) {
                return Err((4 + at, Malformed::EncodingCharacter { header, found: byte }));
            }
            if encoding.iter().take(at).any(|&earlier| earlier == byte) {
                return Err((4 + at, Malformed::DuplicateDelimiter { header, found: byte }));
            }
        }
        Ok(Self {
            field,
            component,
            repetition: encoding.get(1).copied(),
            escape: encoding.get(2).copied(),
            subcomponent: encoding.get(3).copied(),
            truncation: encoding.get(4).copied(),
        })
    }
}
