//! The bytes of a text, up to the next place that matters.

use std::ops::Range;

use crate::error::{Code, code};
use crate::{Error, Result};

pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    /// The same as text; `None` if a byte is not UTF-8, so that each string must be looked at for itself.
    text: Option<&'a str>,
    at: usize,
    /// A buffer that is used again: characters of a string, or open brackets.
    scratch: Vec<u8>,
}

/// Follows a value that is skipped, and holds its open brackets.
pub(crate) trait Follow {
    fn open(&mut self, bracket: u8, at: usize);
    fn innermost(&self) -> Option<u8>;
    fn close(&mut self);
    fn comma(&mut self) {}
    /// A string or a key in which a surrogate may be alone.
    fn surrogate(&mut self) {}
    /// A key with its quotation marks, and if a backslash is in it.
    fn key(&mut self, _span: Range<usize>, _is_escaped: bool) {}
}

impl Follow for Vec<u8> {
    fn open(&mut self, bracket: u8, _: usize) {
        self.push(bracket);
    }

    fn innermost(&self) -> Option<u8> {
        self.last().copied()
    }

    fn close(&mut self) {
        self.pop();
    }
}

/// The text of a string: part of the document, or unescaped in a buffer.
pub(crate) enum Text<'a, 's> {
    Borrowed(&'a str),
    Copied(&'s str),
}

impl<'a> Scanner<'a> {
    pub(crate) fn of_text(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), text: Some(text), at: 0, scratch: Vec::new() }
    }

    pub(crate) fn of_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes, text: std::str::from_utf8(bytes).ok(), at: 0, scratch: Vec::new() }
    }

    /// The number of bytes before the place.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The line and column of the byte before the place.
    pub(crate) fn position(&self) -> (usize, usize) {
        self.position_of(self.at)
    }

    fn position_of(&self, at: usize) -> (usize, usize) {
        let before = self.bytes.get(..at).unwrap_or(self.bytes);
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        (1 + memchr::memchr_iter(b'\n', before).count(), before.len() - line_start)
    }

    /// An error at the byte before the place.
    #[cold]
    pub(crate) fn error(&self, code: Code) -> Error {
        let (line, column) = self.position();
        Error::new(code, line, column)
    }

    /// An error at the next byte.
    #[cold]
    pub(crate) fn error_ahead(&self, code: Code) -> Error {
        let (line, column) = self.position_of(self.at.saturating_add(1));
        Error::new(code, line, column)
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_byte(&mut self) {
        self.at += 1;
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte that is not space, without taking it.
    pub(crate) fn after_space(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other,
            }
        }
    }

    /// As [`after_space`](Self::after_space), where a value must come.
    pub(crate) fn value_ahead(&mut self) -> Result<u8> {
        self.after_space().ok_or_else(|| self.error_ahead(code::EOF_VALUE))
    }

    /// Takes the rest of `null`, `true` or `false`.
    pub(crate) fn word(&mut self, rest: &[u8]) -> Result<()> {
        for expected in rest {
            match self.next() {
                None => return Err(self.error(code::EOF_VALUE)),
                Some(byte) if byte != *expected => return Err(self.error(code::IDENT)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    pub(crate) fn colon(&mut self) -> Result<()> {
        match self.after_space() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.error_ahead(code::COLON)),
            None => Err(self.error_ahead(code::EOF_OBJECT)),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    /// Takes a number. A number that is skipped has simpler errors, as in `serde_json`.
    fn number_end(&mut self, is_read: bool) -> Result<()> {
        let at_end = |eof: Code| if is_read { eof } else { code::NUMBER };
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.next() {
            Some(b'0') => {
                if let Some(b'0'..=b'9') = self.peek() {
                    return Err(self.error_ahead(code::NUMBER));
                }
            }
            Some(b'1'..=b'9') => drop(self.digits()),
            Some(_) => return Err(self.error(code::NUMBER)),
            None => return Err(self.error(at_end(code::EOF_VALUE))),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                let code = if self.peek().is_none() { at_end(code::EOF_VALUE) } else { code::NUMBER };
                return Err(self.error_ahead(code));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            match self.next() {
                Some(b'0'..=b'9') => drop(self.digits()),
                Some(_) => return Err(self.error(code::NUMBER)),
                None => return Err(self.error(at_end(code::EOF_VALUE))),
            }
        }
        Ok(())
    }

    /// Takes a number, from its sign or first digit on.
    pub(crate) fn number(&mut self) -> Result<&'a str> {
        let start = self.at;
        self.number_end(true)?;
        self.part(start, self.at).map_err(|_| self.error(code::NUMBER))
    }

    pub(crate) fn whole_number(&mut self) -> Result<&'a str> {
        let number = match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.error_ahead(code::NUMBER)),
            None => Err(self.error_ahead(code::EOF_VALUE)),
        };
        if self.peek().is_none() { number } else { Err(self.error_ahead(code::NUMBER)) }
    }

    /// Checks that only space is left.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.after_space() {
            Some(_) => Err(self.error_ahead(code::TRAILING)),
            None => Ok(()),
        }
    }

    fn part(&self, start: usize, end: usize) -> Result<&'a str, std::str::Utf8Error> {
        match self.text {
            Some(text) => Ok(text.get(start..end).unwrap_or_default()),
            None => std::str::from_utf8(self.bytes.get(start..end).unwrap_or_default()),
        }
    }

    /// Takes a string after its opening quotation mark, and hands it on.
    pub(crate) fn string<T>(&mut self, take: impl FnOnce(Text<'a, '_>) -> Result<T>) -> Result<T> {
        let start = self.at;
        self.at = plain_until(self.bytes, self.at);
        if self.peek() == Some(b'"') {
            let end = self.at;
            self.at += 1;
            let text = self.part(start, end).map_err(|error| self.not_utf8(error, end - start))?;
            return take(Text::Borrowed(text));
        }
        let mut buffer = std::mem::take(&mut self.scratch);
        buffer.clear();
        self.unescape(start, &mut buffer)?;
        let text = std::str::from_utf8(&buffer).map_err(|error| self.not_utf8(error, buffer.len()))?;
        let taken = take(Text::Copied(text));
        self.scratch = buffer;
        taken
    }

    /// An error at the first byte that is not UTF-8, of a string of `length` bytes that ends here.
    fn not_utf8(&self, error: std::str::Utf8Error, length: usize) -> Error {
        let (line, column) = self.position();
        Error::new(code::UNICODE, line, column.saturating_sub(length - error.valid_up_to()))
    }

    /// Takes the rest of a string that begins at `start` and has an escape, or an error, at the place.
    fn unescape(&mut self, mut start: usize, buffer: &mut Vec<u8>) -> Result<()> {
        loop {
            self.at = plain_until(self.bytes, self.at);
            let Some(byte) = self.peek() else { return Err(self.error(code::EOF_STRING)) };
            buffer.extend_from_slice(self.bytes.get(start..self.at).unwrap_or_default());
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape(buffer)?,
                _ => return Err(self.error(code::CONTROL)),
            }
            start = self.at;
        }
    }

    fn next_in_string(&mut self) -> Result<u8> {
        self.next().ok_or_else(|| self.error(code::EOF_STRING))
    }

    /// Takes an escape after its backslash.
    fn escape(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.push(match self.next_in_string()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let character = self.unicode_escape()?;
                buffer.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.error(code::ESCAPE)),
        });
        Ok(())
    }

    #[inline(never)]
    fn unicode_escape(&mut self) -> Result<char> {
        let unit = self.hex()?;
        let low = match unit {
            0xd800..=0xdbff => {
                for expected in *b"\\u" {
                    if self.next_in_string()? != expected {
                        return Err(self.error(code::END_OF_HEX));
                    }
                }
                Some(self.hex()?)
            }
            _ => None,
        };
        let mut decoded = char::decode_utf16([unit].into_iter().chain(low));
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            _ => Err(self.error(code::SURROGATE)),
        }
    }

    /// Takes four hexadecimal digits.
    fn hex(&mut self) -> Result<u16> {
        let Some(digits) = self.bytes.get(self.at..self.at + 4) else {
            self.at = self.bytes.len();
            return Err(self.error(code::EOF_STRING));
        };
        self.at += 4;
        let value = digits.iter().try_fold(0, |value, digit| Some(value << 4 | char::from(*digit).to_digit(16)?));
        value.and_then(|value| u16::try_from(value).ok()).ok_or_else(|| self.error(code::ESCAPE))
    }

    /// Takes the rest of a string. Returns `true` if a backslash is in it.
    fn skip_string(&mut self, follow: &mut impl Follow) -> Result<bool> {
        let mut is_escaped = false;
        loop {
            self.at = plain_until(self.bytes, self.at);
            match self.peek() {
                None => return Err(self.error(code::EOF_STRING)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(is_escaped);
                }
                Some(b'\\') => {
                    is_escaped = true;
                    self.at += 1;
                    match self.next_in_string()? {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        // A surrogate may be alone in a string that is skipped.
                        b'u' => {
                            if let 0xd800..=0xdfff = self.hex()? {
                                follow.surrogate();
                            }
                        }
                        _ => return Err(self.error(code::ESCAPE)),
                    }
                }
                Some(_) => return Err(self.error(code::CONTROL)),
            }
        }
    }

    /// Takes a value without reading it, however deep it is nested: the stack of open brackets is on the heap.
    pub(crate) fn skip_value(&mut self) -> Result<()> {
        let mut open = std::mem::take(&mut self.scratch);
        open.clear();
        let skipped = self.skip_nested(&mut open);
        self.scratch = open;
        skipped
    }

    pub(crate) fn skip_nested(&mut self, follow: &mut impl Follow) -> Result<()> {
        loop {
            let mut is_first = false;
            match self.value_ahead()? {
                b'n' => self.skip_word(b"ull")?,
                b't' => self.skip_word(b"rue")?,
                b'f' => self.skip_word(b"alse")?,
                b'-' | b'0'..=b'9' => self.number_end(false)?,
                b'"' => {
                    self.at += 1;
                    self.skip_string(follow)?;
                }
                bracket @ (b'[' | b'{') => {
                    follow.open(bracket, self.at);
                    self.at += 1;
                    is_first = true;
                }
                _ => return Err(self.error_ahead(code::VALUE)),
            }
            let Some(bracket) = self.skip_closed(follow, is_first)? else { return Ok(()) };
            if bracket == b'{' {
                self.skip_key(follow)?;
            }
        }
    }

    /// Takes brackets that close, up to the next value or key. Returns the bracket that is open then.
    fn skip_closed(&mut self, follow: &mut impl Follow, mut is_first: bool) -> Result<Option<u8>> {
        while let Some(bracket) = follow.innermost() {
            match (self.after_space(), bracket) {
                (Some(b','), _) if !is_first => {
                    self.at += 1;
                    follow.comma();
                    return Ok(Some(bracket));
                }
                (Some(b']'), b'[') | (Some(b'}'), b'{') => {
                    self.at += 1;
                    follow.close();
                    is_first = false;
                }
                (Some(_), _) if is_first => return Ok(Some(bracket)),
                (Some(_), b'[') => return Err(self.error_ahead(code::COMMA_OR_BRACKET)),
                (Some(_), _) => return Err(self.error_ahead(code::COMMA_OR_BRACE)),
                (None, b'[') => return Err(self.error_ahead(code::EOF_LIST)),
                (None, _) => return Err(self.error_ahead(code::EOF_OBJECT)),
            }
        }
        Ok(None)
    }

    fn skip_key(&mut self, follow: &mut impl Follow) -> Result<()> {
        match self.after_space() {
            Some(b'"') => self.at += 1,
            Some(_) => return Err(self.error_ahead(code::KEY)),
            None => return Err(self.error_ahead(code::EOF_OBJECT)),
        }
        let start = self.at - 1;
        let is_escaped = self.skip_string(follow)?;
        follow.key(start..self.at, is_escaped);
        self.colon()
    }

    fn skip_word(&mut self, rest: &[u8]) -> Result<()> {
        self.at += 1;
        self.word(rest)
    }

    pub(crate) fn raw_value(&mut self) -> Result<&'a str> {
        self.after_space();
        let start = self.at;
        self.skip_value()?;
        self.part(start, self.at).map_err(|error| {
            let (line, column) = self.position_of(start + error.valid_up_to() + 1);
            Error::new(code::UNICODE, line, column)
        })
    }
}

const ONES: u64 = u64::MAX / 255;

/// The place of the first byte from `at` on that ends the plain part of a string: a quotation mark, a backslash or a
/// control character. The length of the bytes if they do not have one. It reads eight bytes at a time.
///
/// ```
/// assert_eq!(candor_json::text::plain_until(br#""plain text\n""#, 1), 11);
/// ```
#[must_use]
#[inline]
pub fn plain_until(bytes: &[u8], at: usize) -> usize {
    let (words, rest) = bytes.get(at..).unwrap_or_default().as_chunks::<8>();
    let mut at = at;
    for word in words {
        let special = special_in(u64::from_le_bytes(*word));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20)).unwrap_or(rest.len())
}

/// The high bit of each of eight bytes that is special. Bits above the lowest one that is set may be wrong: a subtraction
/// borrows from the byte above.
#[inline]
fn special_in(word: u64) -> u64 {
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let equals = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equals(b'"') | equals(b'\\')) & (ONES << 7)
}
