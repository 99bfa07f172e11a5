//! Escape sequences to bytes (HL7 v2.8.2, 2.7).

use std::borrow::Cow;
use std::ops::Range;

use crate::delimiters::Delimiters;

/// Resolves the escape sequences of a leaf, once.
///
/// It resolves delimiters, hexadecimal bytes and `.br`. An unknown sequence stays unchanged, and so does one for a
/// delimiter that the message does not declare, or an escape character that nothing ends.
///
/// `mask` is `raw` for finding escape characters in: bytes of characters that only look like one are others there.
pub(crate) fn unescape<'a>(raw: &'a [u8], mask: &[u8], delimiters: &Delimiters) -> Cow<'a, [u8]> {
    let Some(escape) = delimiters.escape else {
        return Cow::Borrowed(raw);
    };
    let mut out = Vec::new();
    let mut done = 0;
    let bytes = |from: usize, to: usize| raw.get(from..to).unwrap_or_default();
    for sequence in sequences(mask, escape) {
        out.extend_from_slice(bytes(done, sequence.start - 1));
        done = sequence.end + 1;
        match resolve(bytes(sequence.start, sequence.end), escape, delimiters) {
            Some(resolved) => out.extend_from_slice(&resolved),
            None => out.extend_from_slice(bytes(sequence.start - 1, done)),
        }
    }
    if done == 0 {
        return Cow::Borrowed(raw);
    }
    out.extend_from_slice(bytes(done, raw.len()));
    Cow::Owned(out)
}

/// The parts of a leaf whose escapes are resolved, each with whether its bytes were given in hexadecimal.
pub(crate) fn parts(raw: &[u8], mask: &[u8], delimiters: &Delimiters) -> Vec<(Vec<u8>, bool)> {
    let mut parts: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut push = |bytes: &[u8], hexadecimal: bool| match parts.last_mut() {
        _ if bytes.is_empty() => {}
        // The bytes of one character may be in several sequences.
        Some((last, same)) if *same == hexadecimal => last.extend_from_slice(bytes),
        _ => parts.push((bytes.to_vec(), hexadecimal)),
    };
    let bytes = |from: usize, to: usize| raw.get(from..to).unwrap_or_default();
    let mut done = 0;
    for sequence in delimiters.escape.into_iter().flat_map(|escape| sequences(mask, escape)) {
        push(bytes(done, sequence.start - 1), false);
        done = sequence.end + 1;
        let text = bytes(sequence.start, sequence.end);
        match resolve(text, delimiters.escape.unwrap_or_default(), delimiters) {
            Some(resolved) => push(&resolved, text.starts_with(b"X")),
            None => push(bytes(sequence.start - 1, done), false),
        }
    }
    push(bytes(done, raw.len()), false);
    parts
}

/// The text between escape characters, two by two.
fn sequences(mask: &[u8], escape: u8) -> impl Iterator<Item = Range<usize>> {
    let mut escapes = memchr::memchr_iter(escape, mask);
    std::iter::from_fn(move || Some(escapes.next()? + 1..escapes.next()?))
}

/// An escape sequence that stays unchanged in the text, because it does not name a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptEscape<'m> {
    /// The text between the escape characters: `Z1`, `.sp2`.
    pub sequence: &'m [u8],
    /// The standard's meaning of it.
    pub meaning: Meaning,
}

/// The meaning of an escape sequence that stays in the text (HL7 v2.8.2, 2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// `\H\`
    StartHighlighting,
    /// `\N\`
    NormalText,
    /// `\.sp2\` and the other formatting commands but `\.br\`.
    Formatting,
    /// `\Cxxyy\`: a single-byte character set of ISO 2022 begins.
    SingleByteSet,
    /// `\Mxxyyzz\`: a multi-byte character set of ISO 2022 begins.
    MultiByteSet,
    /// `\Z..\`
    Local,
    /// A delimiter that the message does not declare, such as `\T\` with three encoding characters.
    Undeclared,
    /// None that the standard has.
    Unknown,
}

impl Meaning {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::StartHighlighting => "start highlighting",
            Self::NormalText => "normal text",
            Self::Formatting => "a formatting command",
            Self::SingleByteSet => "a single-byte character set",
            Self::MultiByteSet => "a multi-byte character set",
            Self::Local => "locally defined",
            Self::Undeclared => "a delimiter that the message does not declare",
            Self::Unknown => "unknown",
        }
    }

    fn of(sequence: &[u8]) -> Self {
        const COMMANDS: [&[u8]; 7] = [b".sp", b".fi", b".nf", b".in", b".ti", b".sk", b".ce"];
        match sequence {
            b"H" => Self::StartHighlighting,
            b"N" => Self::NormalText,
            b"T" | b"R" | b"P" => Self::Undeclared,
            [b'Z', ..] => Self::Local,
            [b'C', hex @ ..] if hex.len() == 4 && is_hex(hex) => Self::SingleByteSet,
            [b'M', hex @ ..] if matches!(hex.len(), 4 | 6) && is_hex(hex) => Self::MultiByteSet,
            _ if COMMANDS.iter().any(|command| sequence.starts_with(command)) => Self::Formatting,
            _ => Self::Unknown,
        }
    }
}

/// The sequences that [`unescape`] leaves in the text.
pub(crate) fn kept<'m>(raw: &'m [u8], mask: &[u8], delimiters: &Delimiters) -> Vec<KeptEscape<'m>> {
    let Some(escape) = delimiters.escape else { return Vec::new() };
    let sequence = |range: Range<usize>| raw.get(range).unwrap_or_default();
    let kept = |sequence: &&[u8]| resolve(sequence, escape, delimiters).is_none();
    let named = |sequence| KeptEscape { sequence, meaning: Meaning::of(sequence) };
    sequences(mask, escape).map(sequence).filter(kept).map(named).collect()
}

/// The bytes that a sequence names; `None` if it does not name any.
fn resolve(sequence: &[u8], escape: u8, delimiters: &Delimiters) -> Option<Vec<u8>> {
    let delimiter = match sequence {
        b"F" => Some(delimiters.field),
        b"S" => Some(delimiters.component),
        b"T" => delimiters.subcomponent,
        b"R" => delimiters.repetition,
        b"E" => Some(escape),
        b"P" => delimiters.truncation,
        b".br" => Some(b'\n'),
        _ => None,
    };
    let hex = || sequence.strip_prefix(b"X").filter(|hex| is_hex(hex));
    let byte = |pair: &[u8]| pair.iter().fold(0, |byte, &digit| byte << 4 | nibble(digit));
    delimiter.map(|byte| vec![byte]).or_else(|| hex().map(|hex| hex.chunks_exact(2).map(byte).collect()))
}

fn is_hex(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit)
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.wrapping_sub(b'A').wrapping_add(10) & 0x0F,
    }
}
