//! ISA: the one segment that is read by position, because it declares how to read the rest.

use crate::Delimiters;
use crate::delimiters::is_blank;

/// No header is longer than this, line breaks and surplus padding included.
pub(crate) const MAX_LEN: usize = 512;

/// The length of ISA with its terminator.
const FIXED_LEN: usize = 106;
/// The widths of ISA01 to ISA16 (X12.5).
const WIDTHS: [usize; 16] = [2, 10, 2, 10, 2, 15, 2, 15, 6, 4, 1, 5, 9, 1, 1, 1];
/// The first interchange control version in which ISA11 is the repetition separator.
const FIRST_WITH_REPETITIONS: u32 = 402;

/// How an ISA was found to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderForm {
    /// 106 bytes with every separator in its place.
    Fixed,
    /// In its place once the line breaks in it are left out: the file was wrapped.
    Wrapped,
    /// The elements do not have their widths, but what follows confirms the delimiters.
    Uneven,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    /// Bytes before the terminator.
    pub(crate) len: usize,
    /// Bytes with the terminator.
    pub(crate) next: usize,
    pub(crate) delimiters: Delimiters,
    pub(crate) form: HeaderForm,
    /// ISA11 and ISA16 as written, even if they cannot separate anything.
    pub(crate) repetition: u8,
    pub(crate) component: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderError {
    CutOff,
    Invalid,
}

/// True if `text` begins as an ISA does: the id, then something that can separate elements.
pub(crate) fn begins(text: &[u8]) -> bool {
    match text {
        [b'I', b'S', b'A', separator, ..] => can_separate(*separator),
        _ => false,
    }
}

/// Reads the ISA at the start of `text`, which holds [`MAX_LEN`] bytes or all there are.
pub(crate) fn parse(text: &[u8]) -> Result<Header, HeaderError> {
    let text = text.get(..MAX_LEN).unwrap_or(text);
    match text {
        [b'I', b'S', b'A', separator, ..] if can_separate(*separator) => read(text, *separator),
        b"" | b"I" | b"IS" | b"ISA" => Err(HeaderError::CutOff),
        _ => Err(HeaderError::Invalid),
    }
}

/// As [`parse`], for a header that is looked for inside other text: only in its full width.
pub(crate) fn parse_full(text: &[u8]) -> Option<Header> {
    parse(text).ok().filter(|header| header.form != HeaderForm::Uneven)
}

fn can_separate(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !matches!(byte, b' ' | b'\r' | b'\n')
}

/// The separator that ISA11 or ISA16 declares; letters, digits and blanks declare nothing.
fn declared(byte: u8) -> Option<u8> {
    can_separate(byte).then_some(byte)
}

fn read(text: &[u8], separator: u8) -> Result<Header, HeaderError> {
    let mut widths = [0_usize; 16];
    let mut version = 0_u32;
    let mut version_digits = true;
    let mut repetition = 0;
    let mut breaks = false;
    let mut element = 0;
    let mut at = 4;
    // ISA01 to ISA15, each up to its separator.
    while element < 15 {
        let byte = *text.get(at).ok_or(HeaderError::CutOff)?;
        at += 1;
        if byte == separator {
            element += 1;
        } else if matches!(byte, b'\r' | b'\n') {
            breaks = true;
        } else {
            if let Some(width) = widths.get_mut(element) {
                *width += 1;
            }
            match (element, byte) {
                (10, _) => repetition = byte,
                (11, b'0'..=b'9') => {
                    version = version.saturating_mul(10).saturating_add(u32::from(byte - b'0'));
                }
                (11, _) => version_digits = false,
                _ => {}
            }
        }
    }
    while matches!(text.get(at), Some(b'\r' | b'\n')) {
        breaks = true;
        at += 1;
    }
    let component = *text.get(at).ok_or(HeaderError::CutOff)?;
    if let Some(width) = widths.get_mut(15) {
        *width = 1;
    }
    at += 1;
    let fixed = widths == WIDTHS;
    let len = at;
    // In a wrapped file the line break is not a terminator, so it may also come before the terminator.
    if fixed && breaks {
        while matches!(text.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
    }
    let rest = text.get(at..).unwrap_or_default();
    let terminator =
        terminator(rest).ok_or(if rest.is_empty() { HeaderError::CutOff } else { HeaderError::Invalid })?;
    let repetition_declared =
        declared(repetition).filter(|_| version_digits && version >= FIRST_WITH_REPETITIONS && widths[10] == 1);
    let delimiters =
        Delimiters::new(separator, declared(component), repetition_declared, terminator).ok_or(HeaderError::Invalid)?;
    let next = at + terminator.len();
    let form = match (fixed, breaks) {
        (true, false) => HeaderForm::Fixed,
        (true, true) => HeaderForm::Wrapped,
        (false, _) => HeaderForm::Uneven,
    };
    debug_assert!(form != HeaderForm::Fixed || len + 1 == FIXED_LEN);
    if form == HeaderForm::Uneven && !confirmed(text.get(next..).unwrap_or_default(), &delimiters) {
        return Err(HeaderError::Invalid);
    }
    Ok(Header { len, next, delimiters, form, repetition, component })
}

/// The terminator at the start of `rest`: one byte, or one UTF-8 character that is not a letter.
fn terminator(rest: &[u8]) -> Option<&[u8]> {
    let first = *rest.first()?;
    if first.is_ascii_alphanumeric() || first == b' ' {
        return None;
    }
    let len = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    rest.get(..len).filter(|bytes| std::str::from_utf8(bytes).is_ok()).or_else(|| rest.get(..1))
}

/// True if `rest` begins with a segment that can follow ISA.
fn confirmed(rest: &[u8], delimiters: &Delimiters) -> bool {
    let skipped = rest.iter().take_while(|byte| is_blank(**byte)).count();
    let rest = rest.get(skipped..).unwrap_or_default();
    [b"GS".as_slice(), b"TA1", b"IEA"]
        .iter()
        .any(|id| rest.strip_prefix(*id).and_then(<[u8]>::first) == Some(&delimiters.element()))
}
