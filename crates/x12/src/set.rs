//! A transaction set as a path sees it: its segments, and the ISA and GS around it.

use crate::scan::{self, Found};
use crate::{Delimiters, Segment, SegmentId};

/// Bytes of a file with their offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// The offset of the first of them.
    pub offset: u64,
}

/// A transaction set (ST to SE), or a TA1, with the ISA and GS it is seen with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetView<'a> {
    /// The delimiters that the ISA declares.
    pub delimiters: Delimiters,
    /// The ISA segment, without its terminator.
    pub isa: Excerpt<'a>,
    /// The GS segment, without its terminator; `None` for TA1 and for a set outside any group.
    pub gs: Option<Excerpt<'a>>,
    /// The bytes from ST to SE, or those of TA1.
    pub body: Excerpt<'a>,
}

impl<'a> SetView<'a> {
    /// The segments of the body, in order.
    #[must_use]
    pub const fn segments(&self) -> Segments<'a> {
        Segments { rest: self.body, delimiters: self.delimiters }
    }

    /// All segments of the body at once, for whoever goes over them more than once.
    #[must_use]
    pub fn read(&self) -> Vec<Segment<'a>> {
        // Segments of real files have 24 to 40 bytes.
        let mut segments = Vec::with_capacity(self.body.bytes.len() / 24);
        segments.extend(self.segments());
        segments
    }

    /// The segments with this id: ISA and GS are those around the set.
    pub fn segments_with(&self, id: SegmentId) -> impl Iterator<Item = Segment<'a>> + use<'a> {
        let outer = match id.as_bytes() {
            b"ISA" => single(self.isa, id, &self.delimiters),
            b"GS" => self.gs.and_then(|gs| single(gs, id, &self.delimiters)),
            _ => None,
        };
        outer.into_iter().chain(self.segments()).filter(move |segment| segment.id() == id)
    }

    /// The first segment with this id.
    #[must_use]
    pub fn segment(&self, id: &str) -> Option<Segment<'a>> {
        self.segments_with(SegmentId::new(id)?).next()
    }
}

fn single<'a>(excerpt: Excerpt<'a>, id: SegmentId, delimiters: &Delimiters) -> Option<Segment<'a>> {
    (!excerpt.bytes.is_empty()).then_some(Segment {
        raw: excerpt.bytes,
        offset: excerpt.offset,
        id,
        binary: 0,
        terminated: true,
        delimiters: *delimiters,
    })
}

/// The segments of bytes that one interchange encloses. What cannot be read is passed over:
/// [`crate::Walk`] has reported it.
#[derive(Debug, Clone)]
pub struct Segments<'a> {
    rest: Excerpt<'a>,
    delimiters: Delimiters,
}

impl<'a> Segments<'a> {
    fn step(&mut self, count: usize) {
        self.rest.bytes = self.rest.bytes.get(count..).unwrap_or_default();
        self.rest.offset += count as u64;
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        loop {
            self.step(self.delimiters.skip_blank(self.rest.bytes));
            let Excerpt { bytes, offset } = self.rest;
            if bytes.is_empty() {
                return None;
            }
            if let Some((len, id)) = scan::short(bytes, &self.delimiters, usize::MAX) {
                self.step(len + self.delimiters.terminator().len());
                let raw = bytes.get(..len)?;
                return Some(Segment { raw, offset, id, binary: 0, terminated: true, delimiters: self.delimiters });
            }
            let (len, next, binary, terminated) = match scan::segment(bytes, &self.delimiters, usize::MAX, true) {
                Found::Segment { len, next, binary } => (len, next, binary, true),
                Found::Unterminated { len, binary } => (len, bytes.len(), binary, false),
                Found::CutOff { next } => {
                    self.step(next);
                    continue;
                }
                Found::Fault(_) | Found::NeedMore => {
                    let end = self.delimiters.find_terminator(bytes);
                    let width = self.delimiters.terminator().len();
                    self.step(end.map_or(bytes.len(), |end| end + width));
                    continue;
                }
            };
            self.step(next);
            let raw = bytes.get(..len)?;
            if let Some(id) = SegmentId::read(raw, self.delimiters.element()) {
                return Some(Segment { raw, offset, id, binary, terminated, delimiters: self.delimiters });
            }
        }
    }
}
