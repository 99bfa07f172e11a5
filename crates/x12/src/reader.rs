//! Reads bytes of any size segment by segment.

use std::io;

use crate::header::{self, HeaderError};
use crate::input::{Input, ReadInput, SliceInput};
use crate::scan::{self, Found};
use crate::{Delimiters, HeaderForm, ParseError, ParseErrorKind, Segment, SegmentId};

/// The most that a reader holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one segment.
    pub segment: usize,
    /// Bytes of one transaction set.
    pub set: usize,
    /// Control numbers remembered to tell duplicates, where they are not in order.
    pub control_numbers: usize,
    /// Bytes read from a stream at once.
    pub chunk: usize,
}

impl Default for Limits {
    /// 16 MiB a segment, 64 MiB a set, a million control numbers, 64 KiB at once.
    fn default() -> Self {
        Self { segment: 16 << 20, set: 64 << 20, control_numbers: 1 << 20, chunk: 64 << 10 }
    }
}

/// NUL bytes that a file may end in: a block of a tape or disk is padded with them.
const MOST_PADDING: u64 = 512;

/// A segment, or a place that a [`Reader`] cannot read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token<'a> {
    /// A segment. ISA is one, and opens an interchange.
    Segment(Segment<'a>),
    /// A place that cannot be read. Reading goes on behind it.
    Fault(ParseError),
}

#[inline]
pub(crate) fn is_outside_data(id: SegmentId) -> bool {
    matches!(&id.bytes, b"ISA" | b"IEA" | b"GS\0" | b"GE\0" | b"ST\0" | b"SE\0" | b"TA1")
}

/// A segment by its place, which stays true while its bytes are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawSegment {
    pub(crate) start: u64,
    pub(crate) len: usize,
    pub(crate) next: u64,
    pub(crate) id: SegmentId,
    binary: u8,
    pub(crate) terminated: bool,
    pub(crate) delimiters: Delimiters,
    pub(crate) header: Option<RawHeader>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct RawHeader {
    pub(crate) form: HeaderForm,
    pub(crate) repetition: u8,
    pub(crate) component: u8,
}

#[derive(Debug, Clone)]
pub(crate) enum RawToken {
    Segment(RawSegment),
    Fault(ParseError),
}

/// Splits a stream into segments, in constant memory.
///
/// A new interchange may begin at any segment and brings its own delimiters. What cannot be read is
/// reported with its offset, and reading goes on at the next segment or interchange.
///
/// ```
/// # let file = b"ISA*00*          *00*          *ZZ*S              *ZZ*R              *261120*1200*^*00501*000000001*0*P*:~GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~".as_slice();
/// use candor_x12::{Reader, Token};
/// let mut reader = Reader::from_slice(file);
/// let mut ids = Vec::new();
/// while let Some(token) = reader.next_token()? {
///     if let Token::Segment(segment) = token {
///         ids.push((segment.offset(), segment.id().to_string()));
///     }
/// }
/// assert_eq!(ids, [(0, "ISA".to_owned()), (106, "GS".to_owned())]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<I> {
    input: I,
    limits: Limits,
    position: u64,
    /// Bytes before this offset may be dropped.
    keep: Option<u64>,
    delimiters: Option<Delimiters>,
    /// The delimiters of the interchange just closed: its terminator may still follow.
    closed: Option<Delimiters>,
    skipping: Option<Skip>,
    ended: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Skip {
    Segment,
    Interchange,
}

impl<'a> Reader<SliceInput<'a>> {
    /// Reads bytes in memory; nothing is copied.
    #[must_use]
    pub fn from_slice(bytes: &'a [u8]) -> Self {
        Self::new(SliceInput(bytes), Limits::default())
    }

    /// As [`Reader::from_slice`], with other limits.
    #[must_use]
    pub fn from_slice_with(bytes: &'a [u8], limits: Limits) -> Self {
        Self::new(SliceInput(bytes), limits)
    }
}

impl<R: io::Read> Reader<ReadInput<R>> {
    /// Reads a stream through one buffer.
    pub fn from_read(source: R, limits: Limits) -> Self {
        Self::new(ReadInput::new(source, limits.chunk), limits)
    }
}

impl<I: Input> Reader<I> {
    fn new(input: I, limits: Limits) -> Self {
        Self { input, limits, position: 0, keep: None, delimiters: None, closed: None, skipping: None, ended: false }
    }

    /// The next segment or fault; `None` at the end.
    ///
    /// # Errors
    /// The error of the stream: an outage, never a fault of the bytes.
    #[inline]
    pub fn next_token(&mut self) -> io::Result<Option<Token<'_>>> {
        Ok(match self.advance()? {
            None => None,
            Some(RawToken::Fault(error)) => Some(Token::Fault(error)),
            Some(RawToken::Segment(raw)) => Some(Token::Segment(self.segment(&raw))),
        })
    }

    /// The offset of what is read next.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Keeps all bytes from `offset` on at hand; `None` lets go.
    pub(crate) const fn keep_from(&mut self, offset: Option<u64>) {
        self.keep = offset;
    }

    #[inline]
    pub(crate) fn bytes(&self, start: u64, len: usize) -> &[u8] {
        let at = start.checked_sub(self.input.start()).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.input.window().get(at..)?.get(..len)).unwrap_or_default()
    }

    /// The segment whose bytes are at hand.
    #[inline]
    pub(crate) fn segment(&self, raw: &RawSegment) -> Segment<'_> {
        Segment {
            raw: self.bytes(raw.start, raw.len),
            offset: raw.start,
            id: raw.id,
            binary: raw.binary,
            terminated: raw.terminated,
            delimiters: raw.delimiters,
        }
    }

    #[inline]
    fn rest(&self) -> &[u8] {
        let at = usize::try_from(self.position.saturating_sub(self.input.start())).unwrap_or(usize::MAX);
        self.input.window().get(at..).unwrap_or_default()
    }

    fn more(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let keep = self.keep.map_or(self.position, |keep| keep.min(self.position));
        let more = self.input.more(keep)?;
        self.ended = !more;
        Ok(more)
    }

    /// Has at least `wanted` bytes at hand, if there are as many.
    fn look_ahead(&mut self, wanted: usize) -> io::Result<()> {
        while self.rest().len() < wanted && self.more()? {}
        Ok(())
    }

    #[inline]
    pub(crate) fn advance(&mut self) -> io::Result<Option<RawToken>> {
        if let Some(skip) = self.skipping.take() {
            self.skip(skip)?;
        }
        match self.delimiters {
            None => self.outside(),
            Some(delimiters) => self.inside(delimiters),
        }
    }

    fn outside(&mut self) -> io::Result<Option<RawToken>> {
        const BOM: &[u8] = b"\xEF\xBB\xBF";
        loop {
            self.look_ahead(header::MAX_LEN)?;
            let rest = self.rest();
            if rest.is_empty() {
                return Ok(None);
            }
            let blank = match self.closed {
                Some(delimiters) => delimiters.skip_blank(rest),
                None => rest.iter().take_while(|byte| crate::delimiters::is_blank(**byte)).count(),
            };
            let blank = if blank == 0 && rest.starts_with(BOM) { BOM.len() } else { blank };
            if blank == 0 {
                break;
            }
            self.position += blank as u64;
        }
        if self.rest().starts_with(b"\0") {
            return self.nuls(ParseErrorKind::NotAnInterchange);
        }
        self.closed = None;
        match self.header()? {
            Ok(token) => Ok(Some(token)),
            Err(error) => {
                let kind = match error {
                    _ if !self.rest().starts_with(b"ISA") && !b"ISA".starts_with(self.rest()) => {
                        ParseErrorKind::NotAnInterchange
                    }
                    HeaderError::CutOff => ParseErrorKind::HeaderCutOff,
                    HeaderError::Invalid => ParseErrorKind::InvalidHeader,
                };
                Ok(Some(self.fault(kind, Skip::Interchange)))
            }
        }
    }

    fn header(&mut self) -> io::Result<Result<RawToken, HeaderError>> {
        self.look_ahead(header::MAX_LEN)?;
        let header = match header::parse(self.rest()) {
            Ok(header) => header,
            Err(error) => return Ok(Err(error)),
        };
        let Some(id) = SegmentId::new("ISA") else { return Ok(Err(HeaderError::Invalid)) };
        let start = self.position;
        self.position += header.next as u64;
        self.delimiters = Some(header.delimiters);
        Ok(Ok(RawToken::Segment(RawSegment {
            start,
            len: header.len,
            next: self.position,
            id,
            binary: 0,
            terminated: true,
            delimiters: header.delimiters,
            header: Some(RawHeader { form: header.form, repetition: header.repetition, component: header.component }),
        })))
    }

    /// Passes over the segments at hand that are not an envelope's, and returns their number.
    pub(crate) fn pass_data(&mut self) -> u64 {
        let Some(delimiters) = self.delimiters.filter(|_| self.skipping.is_none()) else { return 0 };
        let (mut rest, mut count) = (self.rest(), 0);
        let all = rest.len();
        loop {
            let text = rest.get(delimiters.skip_blank(rest)..).unwrap_or_default();
            let Some((len, id)) = scan::short(text, &delimiters, self.limits.segment) else { break };
            if is_outside_data(id) {
                break;
            }
            rest = text.get(len + delimiters.terminator().len()..).unwrap_or_default();
            count += 1;
        }
        self.position += (all - rest.len()) as u64;
        count
    }

    fn inside(&mut self, delimiters: Delimiters) -> io::Result<Option<RawToken>> {
        if let Some(raw) = self.common(delimiters) {
            return Ok(Some(RawToken::Segment(raw)));
        }
        loop {
            self.position += delimiters.skip_blank(self.rest()) as u64;
            // A terminator of several bytes may be there in part.
            if self.rest().len() >= 4 || !self.more()? {
                break;
            }
        }
        if self.rest().is_empty() {
            return Ok(None);
        }
        if self.rest().starts_with(b"\0") && self.is_nul_tail()? {
            return self.nuls(ParseErrorKind::SegmentCutOff);
        }
        if header::begins(self.rest()) {
            return match self.header()? {
                Ok(token) => Ok(Some(token)),
                // What follows belongs to this header, so it must not count for the one before.
                Err(error) => Ok(Some(self.fault(
                    match error {
                        HeaderError::CutOff => ParseErrorKind::HeaderCutOff,
                        HeaderError::Invalid => ParseErrorKind::InvalidHeader,
                    },
                    Skip::Interchange,
                ))),
            };
        }
        let limit = self.limits.segment;
        let (len, next, binary, terminated) = loop {
            match scan::segment(self.rest(), &delimiters, limit, self.ended) {
                Found::Segment { len, next, binary } => break (len, next, binary, true),
                Found::Unterminated { len, binary } => break (len, self.rest().len(), binary, false),
                Found::CutOff { next } => {
                    let offset = self.position;
                    self.position += next as u64;
                    let kind = ParseErrorKind::SegmentCutOff;
                    return Ok(Some(RawToken::Fault(ParseError { offset, kind })));
                }
                Found::Fault(kind) => return Ok(Some(self.fault(kind, Skip::Segment))),
                Found::NeedMore => {
                    self.more()?;
                }
            }
        };
        let start = self.position;
        let raw = self.rest().get(..len).unwrap_or_default();
        let Some(id) = SegmentId::read(raw, delimiters.element()) else {
            return Ok(Some(self.fault(ParseErrorKind::InvalidSegmentId, Skip::Segment)));
        };
        self.position += next as u64;
        if id.is("IEA") {
            self.closed = self.delimiters.take();
        }
        Ok(Some(RawToken::Segment(RawSegment {
            start,
            len,
            next: self.position,
            id,
            binary,
            terminated,
            delimiters,
            header: None,
        })))
    }

    /// The common case: see [`scan::short`].
    #[inline]
    fn common(&mut self, delimiters: Delimiters) -> Option<RawSegment> {
        let rest = self.rest();
        let blank = delimiters.skip_blank(rest);
        let text = rest.get(blank..)?;
        let (len, id) = scan::short(text, &delimiters, self.limits.segment)?;
        let start = self.position + blank as u64;
        self.position = start + (len + delimiters.terminator().len()) as u64;
        Some(RawSegment { start, len, next: self.position, id, binary: 0, terminated: true, delimiters, header: None })
    }

    /// True if only NUL bytes follow, or too many of them to be part of a segment.
    fn is_nul_tail(&mut self) -> io::Result<bool> {
        const MOST_LOOKED_AT: usize = 64 << 10;
        loop {
            let rest = self.rest();
            if rest.iter().any(|byte| *byte != 0) {
                return Ok(false);
            }
            if rest.len() >= MOST_LOOKED_AT || !self.more()? {
                return Ok(true);
            }
        }
    }

    /// Passes over NUL bytes: the padding of a block, the tail of a file that was not written, or what has no place here.
    fn nuls(&mut self, misplaced: ParseErrorKind) -> io::Result<Option<RawToken>> {
        let offset = self.position;
        let kind = loop {
            let rest = self.rest();
            let count = rest.iter().take_while(|byte| **byte == 0).count();
            let more_follows = count < rest.len();
            self.position += count as u64;
            if more_follows {
                break misplaced;
            }
            if !self.more()? {
                // A file of nothing else was not padded.
                if offset > 0 && self.position - offset <= MOST_PADDING {
                    return Ok(None);
                }
                break ParseErrorKind::NulTail;
            }
        };
        Ok(Some(RawToken::Fault(ParseError { offset, kind })))
    }

    fn fault(&mut self, kind: ParseErrorKind, skip: Skip) -> RawToken {
        if skip == Skip::Interchange {
            self.delimiters = None;
        }
        self.skipping = Some(skip);
        RawToken::Fault(ParseError { offset: self.position, kind })
    }

    /// Goes on to the next place from which reading makes sense, without holding what lies between.
    fn skip(&mut self, skip: Skip) -> io::Result<()> {
        let delimiters = self.delimiters.filter(|_| skip == Skip::Segment);
        // The fault itself may look like a header; the next one is wanted.
        let mut from = 1;
        loop {
            let rest = self.rest();
            // A header needs to be seen as a whole.
            let seen = if self.ended { rest.len() } else { rest.len().saturating_sub(header::MAX_LEN) };
            let end = delimiters.and_then(|delimiters| delimiters.find_terminator(rest));
            let header = scan::find_header(rest, from, end.unwrap_or(seen).min(seen));
            if let Some(header) = header {
                self.position += header as u64;
                return Ok(());
            }
            if let (Some(end), Some(delimiters)) = (end, delimiters)
                && (end <= seen || self.ended)
            {
                self.position += (end + delimiters.terminator().len()) as u64;
                return Ok(());
            }
            if self.ended {
                self.position += rest.len() as u64;
                return Ok(());
            }
            let done = seen.max(from) - from;
            self.position += done as u64;
            from = from.min(1);
            self.more()?;
        }
    }
}
