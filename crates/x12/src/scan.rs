//! Finds where one segment ends. Pure: it looks at the bytes that are at hand and keeps nothing.

use crate::delimiters::is_blank;
use crate::header;
use crate::{Delimiters, ParseErrorKind, SegmentId};

/// The shortest segment that could have swallowed the ISA of another interchange.
pub(crate) const SHORTEST_WITH_HEADER: usize = 104;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A segment of `len` bytes, the next one after `next`. `binary`: see [`crate::Segment`].
    Segment {
        len: usize,
        next: usize,
        binary: u8,
    },
    /// All there is, without a terminator and the blanks that follow.
    Unterminated {
        len: usize,
        binary: u8,
    },
    /// A segment into which another interchange was written at `next`.
    CutOff {
        next: usize,
    },
    Fault(ParseErrorKind),
    NeedMore,
}

/// The common case, without the questions that have to be asked of the others: the length and the id of a short segment
/// at the start of `text` that is wholly at hand and can be neither an envelope's nor binary.
#[inline]
pub(crate) fn short(text: &[u8], delimiters: &Delimiters, limit: usize) -> Option<(usize, SegmentId)> {
    if matches!(text.first()?, b'I' | b'B') {
        return None;
    }
    let len = delimiters.find_terminator(text)?;
    if len >= SHORTEST_WITH_HEADER || len > limit {
        return None;
    }
    Some((len, SegmentId::read(text.get(..len)?, delimiters.element())?))
}

/// The segment at the start of `text`, which is not blank. `ended`: no more bytes will come.
///
/// The answer is the same however much of what follows is at hand, but for `NeedMore`.
pub(crate) fn segment(text: &[u8], delimiters: &Delimiters, limit: usize, ended: bool) -> Found {
    if let [b'B', _, _, ..] = text
        && let Some(found) = binary(text, delimiters, limit, ended)
    {
        return found;
    }
    match delimiters.find_terminator(text) {
        Some(len) if len < SHORTEST_WITH_HEADER && len <= limit => {
            Found::Segment { len, next: len + delimiters.terminator().len(), binary: 0 }
        }
        Some(len) if len <= limit => {
            // The header that it swallowed may reach beyond the terminator.
            if !ended && text.len() < len + header::MAX_LEN && may_hold_header(text, len) {
                return Found::NeedMore;
            }
            find_header(text, 1, len)
                .map_or(Found::Segment { len, next: len + delimiters.terminator().len(), binary: 0 }, |next| {
                    Found::CutOff { next }
                })
        }
        _ if text.len() > limit.saturating_add(header::MAX_LEN) => {
            find_header(text, 1, limit).map_or(too_long(limit), |next| Found::CutOff { next })
        }
        _ if !ended => Found::NeedMore,
        end => match find_header(text, 1, limit) {
            Some(next) => Found::CutOff { next },
            None if end.is_some() => too_long(limit),
            None => {
                let blank = text.iter().rev().take_while(|byte| is_blank(**byte)).count();
                let len = text.len() - blank;
                if len > limit { too_long(limit) } else { Found::Unterminated { len, binary: 0 } }
            }
        },
    }
}

const fn too_long(limit: usize) -> Found {
    Found::Fault(ParseErrorKind::SegmentTooLong { limit })
}

fn may_hold_header(text: &[u8], len: usize) -> bool {
    text.get(1..len).is_some_and(|text| memchr::memmem::find(text, b"ISA").is_some())
}

/// Where a whole ISA begins in `text`, at or after `from` and before `to`.
pub(crate) fn find_header(text: &[u8], from: usize, to: usize) -> Option<usize> {
    let reach = text.get(from..text.len().min(to.saturating_add(2)))?;
    memchr::memmem::find_iter(reach, b"ISA")
        .map(|at| at + from)
        .find(|at| text.get(*at..).is_some_and(|text| header::parse_full(text).is_some()))
}

/// BIN (length, data) and BDS (filter, length, data): the data is not looked into.
fn binary(text: &[u8], delimiters: &Delimiters, limit: usize, ended: bool) -> Option<Found> {
    let separator = delimiters.element();
    let position = match text {
        [b'B', b'I', b'N', next, ..] if *next == separator => 2,
        [b'B', b'D', b'S', next, ..] if *next == separator => 3,
        _ => return None,
    };
    let fault = Some(Found::Fault(ParseErrorKind::BinaryLength));
    // The length has at most fifteen digits and the filter three characters (X12 data elements 784, 1570).
    let head = text.get(..40).unwrap_or(text);
    let mut separators = memchr::memchr_iter(separator, head).skip(position - 2);
    let (before, after) = (separators.next(), separators.next());
    let terminator = delimiters.find_terminator(head);
    let (Some(before), Some(after)) = (before, after) else {
        let more = !ended && head.len() < 40 && terminator.is_none();
        return if more { Some(Found::NeedMore) } else { fault };
    };
    if terminator.is_some_and(|terminator| terminator < after) {
        return fault;
    }
    let digits = text.get(before + 1..after).unwrap_or_default();
    let declared = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse::<usize>().ok());
    let Some(len) = declared.and_then(|declared| declared.checked_add(after + 1)) else {
        return fault;
    };
    if len > limit {
        return Some(too_long(limit));
    }
    let width = delimiters.terminator().len();
    match text.get(len..) {
        Some(rest) if rest.starts_with(delimiters.terminator()) => {
            Some(Found::Segment { len, next: len + width, binary: position as u8 })
        }
        Some(rest) if ended && rest.iter().all(|byte| is_blank(*byte)) => {
            Some(Found::Unterminated { len, binary: position as u8 })
        }
        Some(rest) if rest.len() < width && !ended => Some(Found::NeedMore),
        None if !ended => Some(Found::NeedMore),
        _ => fault,
    }
}
