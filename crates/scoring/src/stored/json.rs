//! The members of one JSON object, as text, without a tree.
//!
//! Nearly all of a criterion run is evidence that scoring does not look at. It is checked against the grammar of
//! RFC 8259 and passed over, several times faster than a general reader can; nesting costs one byte a level.

use std::borrow::Cow;

use candor_json::text::{plain_until, unquoted};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// The offset of the text found instead.
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

/// A member: its name and value as written, and the offset of the value.
pub(crate) struct Member<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: &'a str,
    pub(crate) at: usize,
}

/// Gives every member of the object that the text consists of to `each`, in order.
///
/// # Errors
/// Text that is not one JSON object, or the first error that `each` returns.
pub(crate) fn members<'a, E: From<SyntaxError>>(
    text: &'a str,
    mut each: impl FnMut(Member<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.white_space();
    scanner.expect(b'{', "a JSON object")?;
    scanner.white_space();
    if !scanner.take(b'}') {
        loop {
            let name_at = scanner.at;
            let escaped = scanner.string()?;
            let name = text.get(name_at..scanner.at).unwrap_or_default();
            scanner.white_space();
            scanner.expect(b':', "`:` after the name of a member")?;
            scanner.white_space();
            let at = scanner.at;
            scanner.value()?;
            let value = text.get(at..scanner.at).unwrap_or_default();
            let name = match name.get(1..name.len().saturating_sub(1)) {
                Some(plain) if !escaped => Cow::Borrowed(plain),
                _ => unquoted(name).ok_or(SyntaxError { at: name_at, expected: WHOLE_ESCAPES })?,
            };
            each(Member { name, value, at })?;
            scanner.white_space();
            if scanner.take(b'}') {
                break;
            }
            scanner.expect(b',', "`,` or `}` after a member")?;
            scanner.white_space();
        }
    }
    scanner.white_space();
    match scanner.peek() {
        None => Ok(()),
        Some(_) => Err(E::from(scanner.error("the end of the line after the object"))),
    }
}

/// Gives every item of the array that the text consists of to `each`, in order, with its offset.
///
/// # Errors
/// Text that is not one JSON array, or the first error that `each` returns.
pub(crate) fn items<'a, E: From<SyntaxError>>(
    text: &'a str,
    mut each: impl FnMut(&'a str, usize) -> Result<(), E>,
) -> Result<(), E> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.expect(b'[', "a JSON array")?;
    scanner.white_space();
    if scanner.take(b']') {
        return Ok(());
    }
    loop {
        let at = scanner.at;
        scanner.value()?;
        each(text.get(at..scanner.at).unwrap_or_default(), at)?;
        scanner.white_space();
        if scanner.take(b']') {
            return Ok(());
        }
        scanner.expect(b',', "`,` or `]` after an item")?;
        scanner.white_space();
    }
}

pub(crate) const WHOLE_ESCAPES: &str = "a string whose surrogate escapes come in pairs";

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, expected: &'static str) -> SyntaxError {
        SyntaxError { at: self.at, expected }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), SyntaxError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over a string and says whether there is an escape in it.
    fn string(&mut self) -> Result<bool, SyntaxError> {
        self.expect(b'"', "a string")?;
        let mut escaped = false;
        loop {
            self.at = plain_until(self.text.as_bytes(), self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    self.escape()?;
                    escaped = true;
                }
                _ => return Err(self.error("the closing `\"` of a string, control characters escaped")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let length = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') => {
                let digits = self.text.as_bytes().get(self.at + 2..self.at + 6);
                if digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) { 6 } else { 0 }
            }
            _ => 0,
        };
        if length == 0 {
            return Err(self.error("an escape that JSON knows"));
        }
        self.at += length;
        Ok(())
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.error("a digit")) } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), SyntaxError> {
        if !self.text.get(self.at..).unwrap_or_default().starts_with(word) {
            return Err(self.error(A_VALUE));
        }
        self.at += word.len();
        Ok(())
    }

    /// A value that holds no others.
    fn scalar(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => Err(self.error(A_VALUE)),
        }
    }

    /// A value of any depth, without recursion.
    fn value(&mut self) -> Result<(), SyntaxError> {
        type Open = Vec<u8>;
        let mut open = Open::new();
        loop {
            // A value begins here.
            let close = match self.peek() {
                Some(b'{') => Some(b'}'),
                Some(b'[') => Some(b']'),
                _ => None,
            };
            if let Some(close) = close {
                self.at += 1;
                self.white_space();
                if !self.take(close) {
                    open.push(close);
                    self.name_in(close)?;
                    continue;
                }
            } else {
                self.scalar()?;
            }
            // A value has ended here: the object or array around it ends too, or goes on.
            loop {
                let Some(&close) = open.last() else { return Ok(()) };
                self.white_space();
                if self.take(b',') {
                    self.white_space();
                    self.name_in(close)?;
                    break;
                }
                if !self.take(close) {
                    return Err(self.error(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }));
                }
                open.pop();
            }
        }
    }

    /// The name before a value in an object; an array has no names.
    fn name_in(&mut self, close: u8) -> Result<(), SyntaxError> {
        if close == b'}' {
            self.string()?;
            self.white_space();
            self.expect(b':', "`:` after the name of a member")?;
            self.white_space();
        }
        Ok(())
    }
}

const A_VALUE: &str = "a JSON value";
