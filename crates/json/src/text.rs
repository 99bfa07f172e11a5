//! JSON as it is written: members, items and places in a text, and flaws that no value shows.
//!
//! [`survey`] checks a text in one pass, without building values. [`members`] and [`items`] find the parts of text that
//! was checked. Text that was not checked gives them other parts, but no panic.

use std::borrow::Cow;
use std::ops::Range;

use crate::Error;
pub use crate::scan::plain_until;
use crate::scan::{Follow, Scanner};

/// The deepest nesting that is read as a value.
pub const MAX_DEPTH: usize = 127;

/// The result of [`survey`].
#[derive(Debug, Default)]
pub struct Survey<'a> {
    /// The brackets that open, the commas, and one: at least the number of values.
    pub values: u64,
    /// True if an escape is half of a character. A reader of values refuses the half that is alone.
    pub has_surrogates: bool,
    /// Flaws of well-formed text with their byte offsets. A repeated name is listed where its object ends; after
    /// [`Flaw::TooDeep`], objects that begin later are not looked at.
    pub flaws: Vec<(usize, Flaw<'a>)>,
    /// The place where the text stops being JSON. Everything else is about the text up to there.
    pub error: Option<Error>,
}

/// A reason why readers may differ about a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw<'a> {
    /// A bracket is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// An object has a second member of this name, which is given as written. Each object has one such flaw at most.
    Repeated(&'a str),
}

/// Checks a text that should be one value.
///
/// ```
/// use candor_json::text::{Flaw, survey};
/// let found = survey(r#"{"a": [1, 2], "b": "x,y", "a": 3}"#);
/// assert_eq!(found.values, 6);
/// assert_eq!(found.flaws, [(26, Flaw::Repeated("\"a\""))]);
/// assert!(found.error.is_none() && survey("[1").error.is_some());
/// ```
#[must_use]
pub fn survey(text: &str) -> Survey<'_> {
    let mut scanner = Scanner::of_text(text);
    let mut surveyor = Surveyor {
        text,
        survey: Survey { values: 1, ..Survey::default() },
        open: Vec::with_capacity(16),
        objects: Vec::with_capacity(16),
        keys: Vec::with_capacity(64),
        has_escaped_keys: false,
        is_too_deep: false,
    };
    let read = scanner.skip_nested(&mut surveyor).and_then(|()| scanner.end());
    Survey { error: read.err(), ..surveyor.survey }
}

struct Surveyor<'a> {
    text: &'a str,
    survey: Survey<'a>,
    open: Vec<u8>,
    /// The number of keys before each open object.
    objects: Vec<usize>,
    keys: Vec<&'a str>,
    has_escaped_keys: bool,
    is_too_deep: bool,
}

impl<'a> Surveyor<'a> {
    fn end_object(&mut self) {
        let Some(from) = self.objects.pop() else { return };
        let keys = self.keys.get_mut(from..).unwrap_or_default();
        if (self.has_escaped_keys || !are_distinct(keys))
            && let Some((at, key)) = repeated(self.text, keys)
        {
            self.survey.flaws.push((at, Flaw::Repeated(key)));
        }
        self.keys.truncate(from);
    }
}

impl Follow for Surveyor<'_> {
    fn open(&mut self, bracket: u8, at: usize) {
        self.survey.values += 1;
        if self.open.len() == MAX_DEPTH && !self.is_too_deep {
            self.is_too_deep = true;
            self.survey.flaws.push((at, Flaw::TooDeep));
            while !self.objects.is_empty() {
                self.end_object();
            }
        }
        self.open.push(bracket);
        if bracket == b'{' && !self.is_too_deep {
            self.objects.push(self.keys.len());
        }
    }

    fn innermost(&self) -> Option<u8> {
        self.open.last().copied()
    }

    fn close(&mut self) {
        if self.open.pop() == Some(b'{') {
            self.end_object();
        }
    }

    fn comma(&mut self) {
        self.survey.values += 1;
    }

    fn surrogate(&mut self) {
        self.survey.has_surrogates = true;
    }

    fn key(&mut self, span: Range<usize>, is_escaped: bool) {
        self.has_escaped_keys |= is_escaped;
        if !self.is_too_deep {
            self.keys.push(self.text.get(span).unwrap_or_default());
        }
    }
}

/// Few keys are compared with each other; many are sorted, so that their number costs no more than it must.
fn are_distinct(keys: &mut [&str]) -> bool {
    if keys.len() <= 16 {
        return keys.iter().enumerate().all(|(at, key)| keys.iter().skip(at + 1).all(|other| key != other));
    }
    keys.sort_unstable();
    keys.is_sorted_by(|a, b| a < b)
}

/// The first key that repeats a name, and its place.
fn repeated<'a>(text: &str, keys: &[&'a str]) -> Option<(usize, &'a str)> {
    let named = |key: &'a str| (unquoted(key).unwrap_or(Cow::Borrowed(key)), span(text, key).start, key);
    let mut names: Vec<_> = keys.iter().copied().map(named).collect();
    names.sort_unstable();
    let twice = names.iter().zip(names.iter().skip(1)).filter(|(a, b)| a.0 == b.0);
    twice.map(|(_, (_, at, key))| (*at, *key)).min()
}

/// The text of a string as written; `None` if it is not a string, or a surrogate is alone in it.
///
/// ```
/// use candor_json::text::unquoted;
/// assert_eq!(unquoted(r#""\u0061b""#).as_deref(), Some("ab"));
/// assert_eq!((unquoted("1"), unquoted(r#""\ud800""#)), (None, None));
/// ```
#[must_use]
pub fn unquoted(string: &str) -> Option<Cow<'_, str>> {
    match string.contains('\\') {
        true => crate::from_str(string).ok().map(Cow::Owned),
        false => Some(Cow::Borrowed(string.strip_prefix('"')?.strip_suffix('"')?)),
    }
}

/// The place of a part of a text in it, in bytes.
///
/// ```
/// let text = "[10, 20]";
/// assert_eq!(candor_json::text::items(text).map(|item| candor_json::text::span(text, item)).last(), Some(5..7));
/// ```
#[must_use]
pub fn span(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + part.len()
}

/// The members of the object that a text is, each with its name and its text; none if it is not an object.
///
/// ```
/// use candor_json::text::members;
/// let found: Vec<_> = members(r#"{"a": {"b": 1}, "c": [2]}"#).map(|(_, value)| value).collect();
/// assert_eq!(found, [r#"{"b": 1}"#, "[2]"]);
/// ```
pub fn members(text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    written_members(text).map_while(|(name, value)| Some((unquoted(name)?, value)))
}

/// As [`members`], with each name as written.
pub fn written_members(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let bytes = text.as_bytes();
    let skip = move |mut at: usize| {
        while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')) {
            at += 1;
        }
        at
    };
    let mut at = if text.starts_with('{') { 1 } else { text.len() };
    std::iter::from_fn(move || {
        let start = skip(at);
        if bytes.get(start) != Some(&b'"') {
            at = bytes.len();
            return None;
        }
        let end = string_end(bytes, start);
        let value = skip(end);
        at = value_end(bytes, value);
        Some((text.get(start..end)?, text.get(value..at)?))
    })
}

/// The items of the array that a text is, each by its text; none if it is not an array.
///
/// ```
/// use candor_json::text::items;
/// assert_eq!(items(r#"[1, {"a": []}, "x"]"#).collect::<Vec<_>>(), ["1", r#"{"a": []}"#, "\"x\""]);
/// ```
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = if text.starts_with('[') { 1 } else { text.len() };
    std::iter::from_fn(move || {
        while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',')) {
            at += 1;
        }
        if matches!(bytes.get(at), None | Some(b']')) {
            at = bytes.len();
            return None;
        }
        let start = at;
        at = value_end(bytes, start).max(start + 1);
        text.get(start..at)
    })
}

/// The place after the closing quotation mark of the string at `at`; the end of the bytes if it is not closed.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    loop {
        at = plain_until(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// The place after the value at `at`, which is found by its brackets alone.
fn value_end(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'"') => return string_end(bytes, at),
        Some(b'{' | b'[') => {}
        _ => {
            let rest = bytes.get(at..).unwrap_or_default();
            let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
            return rest.iter().position(ends).map_or(bytes.len(), |length| at + length);
        }
    }
    let (mut at, mut depth) = (at, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
