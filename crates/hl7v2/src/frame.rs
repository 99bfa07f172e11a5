//! Bytes to lines and MLLP framing. Knows no segments but the headers that may follow a frame's start.

use std::ops::Range;

use crate::delimiters::usable;
use crate::error::Header;

/// MLLP's start of block.
pub(crate) const START: u8 = 0x0B;
/// MLLP's end of block.
pub(crate) const END: u8 = 0x1C;

pub(crate) enum Event {
    /// 0x0B at this offset.
    Start(usize),
    /// 0x1C.
    End,
    /// A line: its content, and where it ends with its terminator.
    Line { content: Range<usize>, end: usize },
}

pub(crate) struct Lines<'a> {
    input: &'a [u8],
    at: usize,
    /// The first framing byte at or after `at`; the input's length when there is none.
    framing: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        let mut lines = Self { input, at: 0, framing: 0 };
        lines.find_framing(0);
        lines
    }

    fn find_framing(&mut self, from: usize) {
        let rest = self.input.get(from..).unwrap_or_default();
        self.framing = memchr::memchr2(START, END, rest).map_or(self.input.len(), |i| from + i);
    }

    /// The next line or framing byte. `separator` is the field separator of the message being read.
    pub(crate) fn next(&mut self, separator: Option<u8>) -> Option<Event> {
        let start = self.at;
        if start >= self.input.len() {
            return None;
        }
        if self.framing == start {
            let byte = self.input.get(start);
            self.at = start + 1;
            self.find_framing(self.at);
            return Some(if byte == Some(&START) { Event::Start(start) } else { Event::End });
        }
        let rest = self.input.get(start..).unwrap_or_default();
        let line_end = memchr::memchr2(b'\r', b'\n', rest).map_or(self.input.len(), |i| start + i);
        while self.framing < line_end {
            if self.is_framing(self.framing, separator) {
                self.at = self.framing;
                return Some(Event::Line { content: start..self.framing, end: self.framing });
            }
            self.find_framing(self.framing + 1);
        }
        let terminator = self.input.get(line_end..).unwrap_or_default();
        self.at = line_end + if terminator.starts_with(b"\r\n") { 2 } else { terminator.len().min(1) };
        Some(Event::Line { content: start..line_end, end: self.at })
    }

    /// Whether a framing byte inside a line frames: it may also be a byte of the data.
    fn is_framing(&self, at: usize, separator: Option<u8>) -> bool {
        let after = self.input.get(at + 1..).unwrap_or_default();
        let header = || header_follows(after, separator);
        match self.input.get(at) {
            Some(&END) => matches!(after.first(), None | Some(&(b'\r' | b'\n' | 0 | START | END))) || header(),
            _ => header(),
        }
    }
}

/// Whether a header stands here, and not data that happens to begin with its letters: after the id,
/// the end of the line, or a separator that is the one in use or is followed by an encoding character.
pub(crate) fn header_follows(bytes: &[u8], separator: Option<u8>) -> bool {
    if bytes.get(..3).and_then(Header::of).is_none() {
        return false;
    }
    match bytes.get(3) {
        None | Some(&(b'\r' | b'\n')) => true,
        Some(&byte) if usable(byte) => separator == Some(byte) || bytes.get(4).is_some_and(|&next| usable(next)),
        Some(_) => false,
    }
}
