//! Character sets in which bytes of a character may look like delimiters.
//!
//! A second byte of Shift_JIS, GB 18030 or Big5 may be `|`, `^`, `\` or `~`, and between the escape sequences of ISO 2022
//! all bytes are. Messages in them are split on a copy of the same length in which those bytes are 0xFF; values are taken
//! from the message itself, so that every span is true.

use std::borrow::Cow;

use crate::charset::{Charset, labels};

/// The way to tell the characters of a set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Multibyte {
    ShiftJis,
    Gb18030,
    Big5,
    Iso2022Jp,
}

const MASKED: u8 = 0xFF;

/// The copy to split a message on; nothing where the message itself will do.
pub(crate) fn masked(raw: &[u8], field: u8) -> Option<Vec<u8>> {
    if raw.is_ascii() && memchr::memchr(0x1B, raw).is_none() {
        return None;
    }
    set_of(raw, field).map(|set| set.masked(raw))
}

/// The set that MSH-18 names. A byte in the header that looks like a delimiter hides it from who does not know the set,
/// so each is tried until MSH-18 confirms it.
fn set_of(raw: &[u8], field: u8) -> Option<Multibyte> {
    let named = |header: &[u8]| labels(header, field).filter_map(Charset::of).find_map(Charset::multibyte);
    let header = raw.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    if header.is_ascii() && memchr::memchr(0x1B, header).is_none() {
        return named(header);
    }
    let confirmed = |set: &Multibyte| named(&set.masked(header)) == Some(*set);
    let sets = [Multibyte::ShiftJis, Multibyte::Gb18030, Multibyte::Big5, Multibyte::Iso2022Jp];
    sets.into_iter().find(confirmed).or_else(|| named(header))
}

/// The header segment of a message as written, with bytes of characters masked so that MSH-18 can be found.
pub(crate) fn header(raw: &[u8], field: u8) -> Cow<'_, [u8]> {
    let header = raw.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    match set_of(raw, field) {
        Some(set) if !header.is_ascii() => Cow::Owned(set.masked(header)),
        _ => Cow::Borrowed(header),
    }
}

impl Multibyte {
    fn masked(self, raw: &[u8]) -> Vec<u8> {
        let mut copy = raw.to_vec();
        match self {
            Self::Iso2022Jp => shifted(raw, &mut copy),
            set => pairs(raw, set, &mut copy),
        }
        copy
    }
}

fn pairs(raw: &[u8], set: Multibyte, copy: &mut [u8]) {
    let mut at = 0;
    while let Some(&lead) = raw.get(at) {
        let next = |offset: usize| raw.get(at + offset).copied().unwrap_or(0);
        let length = match set {
            Multibyte::ShiftJis => match (lead, next(1)) {
                (0x81..=0x9F | 0xE0..=0xFC, 0x40..=0x7E | 0x80..=0xFC) => 2,
                _ => 1,
            },
            Multibyte::Big5 => match (lead, next(1)) {
                (0x81..=0xFE, 0x40..=0x7E | 0xA1..=0xFE) => 2,
                _ => 1,
            },
            _ => match (lead, next(1), next(2), next(3)) {
                (0x81..=0xFE, 0x40..=0x7E | 0x80..=0xFE, ..) => 2,
                (0x81..=0xFE, 0x30..=0x39, 0x81..=0xFE, 0x30..=0x39) => 4,
                _ => 1,
            },
        };
        if length > 1
            && let Some(bytes) = copy.get_mut(at..at + length)
        {
            bytes.fill(MASKED);
        }
        at += length;
    }
}

/// Everything between a shift to another set and the shift back to ASCII; a line's end shifts back too.
fn shifted(raw: &[u8], copy: &mut [u8]) {
    const ESCAPE: u8 = 0x1B;
    let mut is_shifted = false;
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let mut length = 1;
        match (byte, raw.get(at + 1), raw.get(at + 2)) {
            (ESCAPE, Some(b'('), Some(b'B' | b'J')) => (is_shifted, length) = (false, 3),
            (ESCAPE, Some(b'('), Some(_)) => (is_shifted, length) = (true, 3),
            (ESCAPE, Some(b'$'), Some(b'(')) => (is_shifted, length) = (true, 4),
            (ESCAPE, Some(b'$'), Some(_)) => (is_shifted, length) = (true, 3),
            (b'\r' | b'\n', ..) => is_shifted = false,
            _ => {}
        }
        let end = (at + length).min(raw.len());
        if (is_shifted || length > 1)
            && let Some(bytes) = copy.get_mut(at..end)
        {
            bytes.fill(MASKED);
        }
        at = end;
    }
}
