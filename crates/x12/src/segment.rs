//! A segment and its parts, all borrowed from the bytes it was read from.

use std::borrow::Cow;
use std::fmt;

use crate::Delimiters;

/// A segment id: two or three characters, a capital letter, then capital letters and digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId {
    pub(crate) bytes: [u8; 3],
    len: u8,
}

impl SegmentId {
    /// The id in `text`; `None` if `text` is not an id.
    #[must_use]
    pub const fn new(text: &str) -> Option<Self> {
        Self::from_bytes(text.as_bytes())
    }

    const fn from_bytes(text: &[u8]) -> Option<Self> {
        match *text {
            [a, b] if first(a) && later(b) => Some(Self { bytes: [a, b, 0], len: 2 }),
            [a, b, c] if first(a) && later(b) && later(c) => Some(Self { bytes: [a, b, c], len: 3 }),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn read(segment: &[u8], separator: u8) -> Option<Self> {
        match *segment {
            [a, b, end, ..] if end == separator => Self::from_bytes(&[a, b]),
            [a, b, c, end, ..] if end == separator => {
                Self::from_bytes(&[a, b, c]).or_else(|| Self::read_wrapped(segment, separator))
            }
            _ => Self::read_wrapped(segment, separator),
        }
    }

    /// As `read`, with line breaks allowed in the id.
    fn read_wrapped(segment: &[u8], separator: u8) -> Option<Self> {
        let mut bytes = [0; 3];
        let mut len = 0;
        for byte in segment {
            match *byte {
                end if end == separator => break,
                b'\r' | b'\n' => {}
                byte => {
                    *bytes.get_mut(len)? = byte;
                    len += 1;
                }
            }
        }
        Self::from_bytes(bytes.get(..len)?)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The id as bytes: two or three of ASCII.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The id as one number, to be compared fast: its bytes, the first being the highest.
    #[must_use]
    #[inline]
    pub const fn key(&self) -> u32 {
        let [a, b, c] = self.bytes;
        u32::from_be_bytes([0, a, b, c])
    }

    /// True if this is the id in `text`.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.as_bytes() == text.as_bytes()
    }
}

impl fmt::Display for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

const fn first(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

const fn later(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// A run of bytes with its place, and the text it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    raw: &'a [u8],
    offset: u64,
    kind: PieceKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PieceKind {
    Data,
    /// Binary data: nothing in it is a delimiter or a line break.
    Binary,
    /// An element of ISA: padded, and never split.
    Header,
}

impl<'a> Piece<'a> {
    /// The bytes as written.
    #[must_use]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The offset of the first byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The text: UTF-8 where the bytes are valid in it, ISO-8859-1 otherwise. Line breaks that wrap the
    /// file are left out, and so is the padding of an ISA element.
    #[must_use]
    pub fn text(&self) -> Cow<'a, str> {
        match self.kind {
            PieceKind::Binary => decode(self.raw),
            PieceKind::Data => unwrapped(self.raw),
            PieceKind::Header => match unwrapped(self.raw) {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            },
        }
    }

    /// True if the text is this one.
    #[must_use]
    pub fn reads(&self, text: &str) -> bool {
        // Printable ASCII is its own text.
        if self.kind == PieceKind::Data && self.raw.iter().all(|byte| matches!(byte, 0x20..=0x7E)) {
            return self.raw == text.as_bytes();
        }
        self.text() == text
    }

    /// True if there is no value here: nothing, or nothing but delimiters below this level.
    #[must_use]
    pub fn is_empty(&self, delimiters: &Delimiters) -> bool {
        match self.kind {
            PieceKind::Binary => self.raw.is_empty(),
            PieceKind::Header => self.text().is_empty(),
            PieceKind::Data => self.raw.iter().all(|byte| {
                matches!(byte, b'\r' | b'\n')
                    || Some(*byte) == delimiters.component()
                    || Some(*byte) == delimiters.repetition()
            }),
        }
    }

    /// The repetitions of an element: itself alone where no repetition separator is declared.
    pub fn repetitions(&self, delimiters: &Delimiters) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        self.split(delimiters.repetition())
    }

    /// The components of a repetition: the repetition itself if it has no component separator.
    pub fn components(&self, delimiters: &Delimiters) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        self.split(delimiters.component())
    }

    fn split(&self, separator: Option<u8>) -> Split<'a> {
        Split { rest: Some(*self), separator: separator.filter(|_| self.kind == PieceKind::Data), left: usize::MAX }
    }
}

/// Cuts a piece at each separator, the last cut being the rest once `left` are taken.
#[derive(Debug, Clone)]
struct Split<'a> {
    rest: Option<Piece<'a>>,
    separator: Option<u8>,
    left: usize,
}

impl<'a> Iterator for Split<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let piece = self.rest.take()?;
        if self.left <= 1 {
            return Some(piece);
        }
        let at = self.separator.and_then(|byte| memchr::memchr(byte, piece.raw));
        let Some(at) = at else { return Some(piece) };
        let (raw, after) = piece.raw.split_at_checked(at)?;
        self.left -= 1;
        self.rest = Some(Piece {
            raw: after.get(1..).unwrap_or_default(),
            offset: piece.offset + at as u64 + 1,
            kind: piece.kind,
        });
        Some(Piece { raw, ..piece })
    }
}

/// A segment: its bytes without the terminator, and their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment<'a> {
    pub(crate) raw: &'a [u8],
    pub(crate) offset: u64,
    pub(crate) id: SegmentId,
    /// The position of the element that is binary data; 0 for none.
    pub(crate) binary: u8,
    pub(crate) terminated: bool,
    pub(crate) delimiters: Delimiters,
}

impl<'a> Segment<'a> {
    /// The segment id.
    #[must_use]
    pub const fn id(&self) -> SegmentId {
        self.id
    }

    /// The bytes as written, without the terminator.
    #[must_use]
    pub const fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The offset of the first byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// True if a terminator ends it; `false` only for the last segment of the bytes.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.terminated
    }

    /// The delimiters of its interchange.
    #[must_use]
    pub const fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    /// The whole segment as one piece of text, delimiters included.
    #[must_use]
    pub fn whole(&self) -> Piece<'a> {
        Piece {
            raw: self.raw,
            offset: self.offset,
            kind: if self.binary == 0 { PieceKind::Data } else { PieceKind::Binary },
        }
    }

    /// The elements, the first being element 1. They are split as the iterator goes.
    pub fn elements(&self) -> impl Iterator<Item = Piece<'a>> + use<'a> {
        let whole = Split {
            rest: Some(self.whole()),
            separator: Some(self.delimiters.element()),
            left: if self.binary == 0 { usize::MAX } else { usize::from(self.binary) + 1 },
        };
        let segment = *self;
        (0_usize..).zip(whole).skip(1).map(move |(position, piece)| Piece { kind: segment.kind_of(position), ..piece })
    }

    fn kind_of(&self, position: usize) -> PieceKind {
        if matches!(&self.id.bytes, b"ISA") {
            PieceKind::Header
        } else if self.binary != 0 && position == usize::from(self.binary) {
            PieceKind::Binary
        } else {
            PieceKind::Data
        }
    }

    /// Element `position`, the first being 1; `None` when the segment is shorter.
    #[must_use]
    pub fn element(&self, position: usize) -> Option<Piece<'a>> {
        let rest = self.from_element(position)?;
        let (offset, kind) = (self.offset + (self.raw.len() - rest.len()) as u64, self.kind_of(position));
        if kind == PieceKind::Binary {
            return Some(Piece { raw: rest, offset, kind });
        }
        let end = memchr::memchr(self.delimiters.element(), rest);
        Some(Piece { raw: end.map_or(rest, |end| rest.get(..end).unwrap_or_default()), offset, kind })
    }

    /// The bytes from the start of element `position` to the end of the segment, for whoever needs no more than how
    /// an element begins; `None` when the segment is shorter.
    #[must_use]
    pub fn from_element(&self, position: usize) -> Option<&'a [u8]> {
        if self.binary != 0 && position > usize::from(self.binary) {
            return None;
        }
        let separator = self.delimiters.element();
        let start = match (position, self.raw.get(usize::from(self.id.len))) {
            (0, _) => return None,
            (1, Some(byte)) if *byte == separator => usize::from(self.id.len),
            _ => memchr::memchr_iter(separator, self.raw).nth(position - 1)?,
        };
        self.raw.get(start + 1..)
    }

    /// The text of element `position`; empty when the segment is shorter.
    #[must_use]
    pub fn text(&self, position: usize) -> Cow<'a, str> {
        self.element(position).map_or(Cow::Borrowed(""), |element| element.text())
    }
}

/// Bytes as text, without the line breaks that wrap a file.
fn unwrapped(raw: &[u8]) -> Cow<'_, str> {
    if memchr::memchr2(b'\r', b'\n', raw).is_none() {
        return decode(raw);
    }
    let kept: Vec<u8> = raw.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    Cow::Owned(decode(&kept).into_owned())
}

fn decode(raw: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(raw).map_or_else(|_| Cow::Owned(raw.iter().copied().map(char::from).collect()), Cow::Borrowed)
}
