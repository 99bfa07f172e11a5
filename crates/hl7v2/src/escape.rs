//! Escape sequences to bytes (HL7 v2.8.2, 2.7).

use std::borrow::Cow;

use crate::delimiters::Delimiters;

/// Resolves the escape sequences of a leaf, once.
///
/// Delimiters, hexadecimal bytes and `.br` are resolved. What is unknown, a sequence for a delimiter the
/// message does not declare included, stays as it stands; so does an escape character that nothing ends.
pub(crate) fn unescape<'a>(raw: &'a [u8], delimiters: &Delimiters) -> Cow<'a, [u8]> {
    let Some(escape) = delimiters.escape else {
        return Cow::Borrowed(raw);
    };
    let Some(first) = memchr::memchr(escape, raw) else {
        return Cow::Borrowed(raw);
    };
    let (head, mut rest) = raw.split_at_checked(first).unwrap_or((raw, &[]));
    let mut out = Vec::with_capacity(raw.len());
    out.extend_from_slice(head);
    // `rest` begins with an escape character whenever the loop does.
    while let Some(sequence) = rest.get(1..)
        && let Some(length) = memchr::memchr(escape, sequence)
    {
        let (sequence, after) = sequence.split_at_checked(length).unwrap_or((sequence, &[]));
        resolve(sequence, escape, delimiters, &mut out);
        let after = after.get(1..).unwrap_or_default();
        let next = memchr::memchr(escape, after).unwrap_or(after.len());
        let (text, tail) = after.split_at_checked(next).unwrap_or((after, &[]));
        out.extend_from_slice(text);
        rest = tail;
    }
    out.extend_from_slice(rest);
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
