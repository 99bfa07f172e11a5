//! Bytes to lines and MLLP framing. Knows no segments but the headers that may follow a frame's start.

use std::ops::Range;

use crate::delimiters::usable;
use crate::error::Header;
use crate::message::within;

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
    /// Where `input` begins in what is read; every offset counts from the beginning of that.
    base: usize,
    pub(crate) at: usize,
    /// The first framing byte at or after `at`; the input's end if there is no such byte.
    framing: usize,
    /// True if more bytes may follow: a decision that needs them is left for later.
    more: bool,
}

/// The number of bytes that Candor reads ahead after a line or a framing byte.
const LOOKAHEAD: usize = 8;

impl<'a> Lines<'a> {
    /// Lines from `at` on, of an input that begins at `base`.
    pub(crate) fn new(input: &'a [u8], base: usize, at: usize, more: bool) -> Self {
        let mut lines = Self { input, base, at, framing: 0, more };
        lines.find_framing(at);
        lines
    }

    fn end(&self) -> usize {
        self.base + self.input.len()
    }

    fn rest(&self, from: usize) -> &'a [u8] {
        within(self.input, self.base, from..self.end().max(from))
    }

    fn find_framing(&mut self, from: usize) {
        self.framing = memchr::memchr2(START, END, self.rest(from)).map_or(self.end(), |i| from + i);
    }

    fn is_settled(&self, end: usize) -> bool {
        !self.more || end + LOOKAHEAD <= self.end()
    }

    /// The next line or framing byte; nothing at the end, or where more has to be read first. `separator` is the field
    /// separator of the message being read.
    pub(crate) fn next(&mut self, separator: Option<u8>) -> Option<Event> {
        let start = self.at;
        if start >= self.end() {
            return None;
        }
        if self.framing == start {
            if !self.is_settled(start + 1) {
                return None;
            }
            let byte = self.rest(start).first();
            self.at = start + 1;
            self.find_framing(self.at);
            return Some(if byte == Some(&START) { Event::Start(start) } else { Event::End });
        }
        let line_end = memchr::memchr2(b'\r', b'\n', self.rest(start)).map_or(self.end(), |i| start + i);
        while self.framing < line_end {
            if !self.is_settled(self.framing + 1) {
                return None;
            }
            if self.is_framing(self.framing, separator) {
                self.at = self.framing;
                return Some(Event::Line { content: start..self.framing, end: self.framing });
            }
            self.find_framing(self.framing + 1);
        }
        let terminator = self.rest(line_end);
        let end = line_end + if terminator.starts_with(b"\r\n") { 2 } else { terminator.len().min(1) };
        if !self.is_settled(end) {
            return None;
        }
        self.at = end;
        Some(Event::Line { content: start..line_end, end })
    }

    /// True if a framing byte inside a line frames a message: it may also be a byte of the data.
    fn is_framing(&self, at: usize, separator: Option<u8>) -> bool {
        let after = self.rest(at + 1);
        let header = || header_follows(after.strip_prefix(&[0]).unwrap_or(after), separator);
        match self.rest(at).first() {
            Some(&END) => matches!(after.first(), None | Some(&(b'\r' | b'\n' | 0 | START | END))) || header(),
            _ => header(),
        }
    }
}

/// True if a header begins here, and not data that happens to begin with its letters: after the id, the end of the
/// line, or a separator that is the one in use or is followed by an encoding character.
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
