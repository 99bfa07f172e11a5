//! Escape sequences to bytes (HL7 v2.8.2, 2.7).

use std::borrow::Cow;

use crate::delimiters::Delimiters;

/// Resolves the escape sequences of a leaf, once.
///
/// Delimiters, hexadecimal bytes and `.br` are resolved. What is unknown, a sequence for a delimiter the
/// message does not declare included, stays as it stands; so does an escape character that nothing ends.
///
/// `mask` is `raw` for finding escape characters in: bytes of characters that only look like one are others there.
pub(crate) fn unescape<'a>(raw: &'a [u8], mask: &[u8], delimiters: &Delimiters) -> Cow<'a, [u8]> {
    let Some(escape) = delimiters.escape else {
        return Cow::Borrowed(raw);
    };
    let mut escapes = memchr::memchr_iter(escape, mask);
    let Some(first) = escapes.next() else {
        return Cow::Borrowed(raw);
    };
    let bytes = |from: usize, to: usize| raw.get(from..to).unwrap_or_default();
    let mut out = Vec::with_capacity(raw.len());
    out.extend_from_slice(bytes(0, first));
    let mut begin = first;
    // `begin` is at an escape character until there are no more of them.
    while begin < raw.len()
        && let Some(end) = escapes.next()
    {
        resolve(bytes(begin + 1, end), escape, delimiters, &mut out);
        begin = escapes.next().unwrap_or(raw.len());
        out.extend_from_slice(bytes(end + 1, begin));
    }
    out.extend_from_slice(bytes(begin, raw.len()));
    Cow::Owned(out)
}

fn resolve(sequence: &[u8], escape: u8, delimiters: &Delimiters, out: &mut Vec<u8>) {
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
    if let Some(byte) = delimiter {
        out.push(byte);
    } else if let Some(hex) = sequence.strip_prefix(b"X")
        && is_hex(hex)
    {
        out.extend(hex.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, &digit| byte << 4 | nibble(digit))));
    } else {
        out.push(escape);
        out.extend_from_slice(sequence);
        out.push(escape);
    }
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
