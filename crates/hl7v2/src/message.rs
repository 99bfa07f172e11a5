//! A message as a tree of slices: segments, fields, repetitions, components, subcomponents.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use crate::charset::{Declared, Encoded};
use crate::delimiters::Delimiters;
use crate::find::{find, find_after};
use crate::multibyte::masked;

/// A message, borrowed from the input. Fields are split when the caller asks for them.
pub struct Message<'a> {
    input: &'a [u8],
    /// Where `input` begins in what is read; every offset counts from the beginning of that.
    base: usize,
    span: Range<usize>,
    delimiters: Delimiters,
    /// Where each segment begins. Its end is looked for when it is asked for: a message may be all segments.
    segments: Vec<usize>,
    /// The bytes are UTF-8, whatever MSH-18 says of what they were.
    text: bool,
    charset: OnceLock<Encoded>,
    /// A copy in which no byte of a character of several bytes looks like a delimiter, where the character set needs one.
    mask: OnceLock<Option<Vec<u8>>>,
}

impl<'a> Message<'a> {
    pub(crate) fn new(
        (input, base): (&'a [u8], usize),
        span: Range<usize>,
        delimiters: Delimiters,
        segments: Vec<usize>,
        text: bool,
    ) -> Self {
        let (charset, mask) = (OnceLock::new(), OnceLock::new());
        Self { input, base, span, delimiters, segments, text, charset, mask }
    }

    fn bytes(&self, range: Range<usize>) -> &'a [u8] {
        within(self.input, self.base, range)
    }

    /// The place of the message in the input, from its MSH to the end of its last segment's line.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The message as written in the input.
    pub fn raw(&self) -> &'a [u8] {
        self.bytes(self.span.clone())
    }

    /// The delimiters its MSH declares.
    pub fn delimiters(&self) -> &Delimiters {
        &self.delimiters
    }

    pub(crate) fn is_text(&self) -> bool {
        self.text
    }

    /// True if the last segment has its line end. Without it, the message may be cut off.
    pub fn is_terminated(&self) -> bool {
        matches!(self.raw().last(), Some(b'\r' | b'\n'))
    }

    /// Its segments in order, MSH first.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = Segment<'_>> + DoubleEndedIterator {
        self.segments.iter().map(|&start| Segment::new(self, start))
    }

    /// Its segments with this id, in order.
    pub fn segments_with(&self, id: [u8; 3]) -> impl Iterator<Item = Segment<'_>> {
        let of_id = move |start: &&usize| self.id_at(**start) == id;
        self.segments.iter().filter(of_id).map(|&start| Segment::new(self, start))
    }

    /// The character set that MSH-18 declares.
    pub fn charset(&self) -> Declared {
        self.encoded().declared
    }

    pub(crate) fn encoded(&self) -> Encoded {
        *self.charset.get_or_init(|| Encoded::of(self))
    }

    pub(crate) fn segment_starts(&self) -> &[usize] {
        &self.segments
    }

    pub(crate) fn id_at(&self, start: usize) -> [u8; 3] {
        self.bytes(start..start + 3).first_chunk().copied().unwrap_or_default()
    }

    pub(crate) fn piece(&self, start: usize, end: usize) -> Piece<'_> {
        let raw = self.bytes(start..end);
        let masked = || if self.text { None } else { masked(self.raw(), self.delimiters.field) };
        let mask = match self.mask.get_or_init(masked) {
            Some(mask) => within(mask, self.span.start, start..end),
            None => raw,
        };
        Piece { raw, mask, start }
    }
}

/// The bytes of a range, of which `input` holds those from `base` on.
pub(crate) fn within(input: &[u8], base: usize, range: Range<usize>) -> &[u8] {
    let from = |offset: usize| offset.checked_sub(base);
    let range = from(range.start).zip(from(range.end));
    range.and_then(|(start, end)| input.get(start..end)).unwrap_or_default()
}

impl fmt::Debug for Message<'_> {
    /// Shows the shape and no content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("span", &self.span)
            .field("segments", &self.segments.len())
            .finish_non_exhaustive()
    }
}

/// A segment of a message.
#[derive(Clone, Copy)]
pub struct Segment<'m> {
    message: &'m Message<'m>,
    start: usize,
    end: usize,
}

impl<'m> Segment<'m> {
    pub(crate) fn new(message: &'m Message<'m>, start: usize) -> Self {
        let rest = message.bytes(start..message.span.end);
        let end = start + memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        Self { message, start, end }
    }

    /// The message that contains it.
    pub fn message(&self) -> &'m Message<'m> {
        self.message
    }

    /// Its id: a capital letter and two capital letters or digits.
    pub fn id(&self) -> [u8; 3] {
        self.message.id_at(self.start)
    }

    /// The whole segment without its line end.
    pub fn piece(&self) -> Piece<'m> {
        self.message.piece(self.start, self.end)
    }

    /// The field with this number, counted from 1; `None` when the segment ends before it.
    ///
    /// MSH-1 is the field separator and MSH-2 the encoding characters, each one opaque field.
    pub fn field(&self, number: u32) -> Option<Field<'m>> {
        let header = self.id() == *b"MSH";
        let opaque = header && number <= 2;
        let piece = match (header, number) {
            (_, 0) => None,
            (true, 1) => Some(self.message.piece(self.start + 3, self.start + 4)),
            (true, _) => self.content().nth(self.message.delimiters.field, number - 1),
            (false, _) => self.content().nth(self.message.delimiters.field, number),
        }?;
        // A segment that is its id alone has no fields.
        if !opaque && self.end < self.start + 4 {
            return None;
        }
        Some(Field { message: self.message, piece, opaque })
    }

    /// Its fields in order, beginning with the first.
    pub fn fields(&self) -> impl Iterator<Item = Field<'m>> {
        let message = self.message;
        let header = self.id() == *b"MSH";
        let first = header.then(|| self.field(1)).flatten();
        let rest = (self.end >= self.start + 4)
            .then(|| self.content().split(Some(message.delimiters.field)))
            .into_iter()
            .flatten();
        let rest = rest.enumerate().map(move |(at, piece)| Field { message, piece, opaque: header && at == 0 });
        first.into_iter().chain(rest)
    }

    /// Its fields that are not empty, each with its number; MSH-1 is left out.
    ///
    /// ```
    /// let message = candor_hl7v2::messages(b"MSH|^~\\&\rPID|||7||\r").next().unwrap().unwrap();
    /// let numbers: Vec<u32> = message.segments().nth(1).unwrap().filled().map(|(number, _)| number).collect();
    /// assert_eq!(numbers, [3]);
    /// ```
    pub fn filled(&self) -> impl Iterator<Item = (u32, Field<'m>)> {
        let Self { message, .. } = *self;
        let header = self.id() == *b"MSH";
        let content = self.content();
        let (mut at, mut number) = (0, u32::from(header));
        std::iter::from_fn(move || {
            loop {
                let rest = content.mask.get(at..).filter(|rest| !rest.is_empty())?;
                let length = find(message.delimiters.field, rest).unwrap_or(rest.len());
                let begin = at;
                at += length + 1;
                number = number.saturating_add(1);
                if length > 0 {
                    let piece = content.part(begin..begin + length)?;
                    return Some((number, Field { message, piece, opaque: header && number == 2 }));
                }
            }
        })
    }

    /// The text after the id and the first separator.
    fn content(&self) -> Piece<'m> {
        self.message.piece((self.start + 4).min(self.end), self.end)
    }
}

/// A field with all its repetitions.
#[derive(Clone, Copy)]
pub struct Field<'m> {
    message: &'m Message<'m>,
    piece: Piece<'m>,
    opaque: bool,
}

impl<'m> Field<'m> {
    /// The field as written.
    pub fn piece(&self) -> Piece<'m> {
        self.piece
    }

    pub(crate) fn message(&self) -> &'m Message<'m> {
        self.message
    }

    /// True if it is MSH-1 or MSH-2, which is never split nor decoded.
    pub fn is_opaque(&self) -> bool {
        self.opaque
    }

    /// Its repetitions in order; one when the field does not repeat.
    pub fn repetitions(&self) -> Pieces<'m> {
        self.piece.split(self.message.delimiters.repetition.filter(|_| !self.opaque))
    }
}

/// A stretch of a message and its place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'m> {
    raw: &'m [u8],
    /// The same bytes for finding delimiters in.
    mask: &'m [u8],
    start: usize,
}

impl<'m> Piece<'m> {
    /// The bytes as written.
    pub fn raw(&self) -> &'m [u8] {
        self.raw
    }

    pub(crate) fn mask(&self) -> &'m [u8] {
        self.mask
    }

    /// Their place in the input.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// The components of a repetition.
    pub fn components(&self, delimiters: &Delimiters) -> Pieces<'m> {
        self.split(Some(delimiters.component))
    }

    /// The subcomponents of a component.
    pub fn subcomponents(&self, delimiters: &Delimiters) -> Pieces<'m> {
        self.split(delimiters.subcomponent)
    }

    /// Splits at a delimiter; a delimiter that does not exist splits nothing.
    pub(crate) fn split(&self, delimiter: Option<u8>) -> Pieces<'m> {
        Pieces { rest: Some(*self), delimiter }
    }

    /// The piece with this number, counted from 1.
    pub(crate) fn nth(&self, delimiter: u8, number: u32) -> Option<Piece<'m>> {
        let start = match usize::try_from(number).ok()?.checked_sub(2) {
            Some(before) => find_after(delimiter, before, self.mask)? + 1,
            None => 0,
        };
        let rest = self.mask.get(start..)?;
        let end = find(delimiter, rest).map_or(self.raw.len(), |at| start + at);
        self.part(start..end)
    }

    fn part(&self, range: Range<usize>) -> Option<Piece<'m>> {
        let start = self.start + range.start;
        Some(Piece { raw: self.raw.get(range.clone())?, mask: self.mask.get(range)?, start })
    }
}

/// The parts between delimiters, in order.
#[derive(Clone, Debug)]
pub struct Pieces<'m> {
    rest: Option<Piece<'m>>,
    delimiter: Option<u8>,
}

impl<'m> Iterator for Pieces<'m> {
    type Item = Piece<'m>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        let at = self.delimiter.and_then(|delimiter| find(delimiter, rest.mask));
        let split = at.and_then(|at| rest.raw.split_at_checked(at).zip(rest.mask.split_at_checked(at)));
        let Some(((head, tail), (mask, tail_mask))) = split else {
            return Some(rest);
        };
        let start = rest.start + head.len() + 1;
        let (raw, tail_mask) = (tail.get(1..).unwrap_or_default(), tail_mask.get(1..).unwrap_or_default());
        self.rest = Some(Piece { raw, mask: tail_mask, start });
        Some(Piece { raw: head, mask, start: rest.start })
    }
}
