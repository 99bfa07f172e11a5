//! Bytes of a file as text, and the line and column of an offset in it.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReadAs {
    /// UTF-8: offsets in the text are offsets in the file.
    Utf8,
    /// UTF-16, by its byte order mark.
    Utf16,
    /// ISO 8859-1, because it is neither: every byte is a character, and none is lost.
    Latin1,
    /// Not decoded, because it holds NULs and is not text: every byte is a character here too.
    Bytes,
}

impl ReadAs {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 => "UTF-16",
            Self::Latin1 => "ISO 8859-1",
            Self::Bytes => "bytes",
        }
    }
}

/// Reads bytes as text. Never fails: what is neither UTF-8 nor UTF-16 is read byte by byte.
pub(crate) fn decoded(bytes: Vec<u8>) -> (String, ReadAs) {
    // A mark of UTF-32 begins like one of UTF-16, but is not one: NULs follow it.
    let marked = Encoding::for_bom(&bytes).filter(|_| !bytes.starts_with(b"\xff\xfe\0\0"));
    if marked.is_none()
        && let Some(encoding) = unmarked(&bytes)
    {
        return (encoding.decode_without_bom_handling(&bytes).0.into_owned(), ReadAs::Utf16);
    }
    if let Some((encoding, _)) = marked
        && (encoding == UTF_16LE || encoding == UTF_16BE)
    {
        return (encoding.decode_with_bom_removal(&bytes).0.into_owned(), ReadAs::Utf16);
    }
    let each = |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).collect();
    if memchr::memchr(0, &bytes).is_some() {
        return (each(&bytes), ReadAs::Bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, ReadAs::Utf8),
        Err(error) => (each(error.as_bytes()), ReadAs::Latin1),
    }
}

/// UTF-16 without its mark: three in four of its characters at least are of Latin-1, so that every other byte is a NUL, and
/// none is a control character, a NUL for one, or half a pair.
fn unmarked(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.len().is_multiple_of(2) || memchr::memchr(0, bytes).is_none() {
        return None;
    }
    let is_text = |unit: fn([u8; 2]) -> u16| {
        let units = || bytes.chunks_exact(2).filter_map(|pair| Some(unit(pair.try_into().ok()?)));
        let text = |c: Result<char, _>| c.is_ok_and(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{c}'));
        let latin = units().filter(|unit| *unit < 0x100).count();
        latin * 4 >= bytes.len() / 2 * 3 && char::decode_utf16(units()).all(text)
    };
    if is_text(u16::from_le_bytes) {
        return Some(UTF_16LE);
    }
    is_text(u16::from_be_bytes).then_some(UTF_16BE)
}

/// True if bytes are read as UTF-16, with a mark or without one.
pub(crate) fn is_utf16(bytes: &[u8]) -> bool {
    is_marked(bytes) || unmarked(bytes).is_some()
}

/// UTF-32, the mark of which begins as one of UTF-16, is not read.
fn is_marked(bytes: &[u8]) -> bool {
    !bytes.starts_with(b"\xff\xfe\0\0") && (bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff"))
}

/// True if bytes are not text: they hold a NUL, and are not UTF-16.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some() && !is_utf16(bytes)
}

pub(crate) struct Positions<'a> {
    text: &'a str,
    line: usize,
    start: usize,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, line: 1, start: 0 }
    }

    /// Line and column of an offset, both from 1, the column in characters; and the line itself.
    pub(crate) fn at(&mut self, offset: usize) -> (usize, usize, &'a str) {
        let offset = offset.min(self.text.len());
        let skipped = self.text.as_bytes().get(self.start..offset).unwrap_or_default();
        let mut last = None;
        for at in memchr::memchr_iter(b'\n', skipped) {
            self.line += 1;
            last = Some(at);
        }
        self.start += last.map_or(0, |at| at + 1);
        let before = self.text.get(self.start..offset).unwrap_or_default();
        let rest = self.text.get(self.start..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        (self.line, before.chars().count() + 1, line.strip_suffix('\r').unwrap_or(line))
    }
}

/// A line as evidence quotes it: without the white space around it, cut at 200 characters.
pub(crate) fn excerpt(line: &str) -> String {
    const LONGEST: usize = 200;
    let line = line.trim();
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line.to_owned(),
    }
}
