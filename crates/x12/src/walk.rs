//! Interchanges, functional groups and transaction sets, in the order of the file.

use std::collections::BTreeMap;
use std::io;

use crate::envelope::{CONTROL_STRUCTURE, ControlNumbers, END_OF_FILE, Seen};
use crate::input::{Input, ReadInput, SliceInput};
use crate::reader::{RawHeader, RawSegment, RawToken};
use crate::set::Excerpt;
use crate::{HeaderForm, Limits, ParseError, ParseErrorKind, Reader};

mod checks;
mod elements;
mod items;
mod open;

pub use items::{Ending, Group, Interchange, Item, Set, SetHead, Ta1};
use open::{Event, OpenGroup, OpenInterchange, OpenSet, SetState};

/// Segments without an id that one set may have before it is given up.
const MOST_DAMAGED: u32 = 100;

/// Walks over all interchanges of a file. Only the set that is being read is held in memory.
///
/// ```
/// # let file = b"ISA*00*          *00*          *ZZ*S              *ZZ*R              *261120*1200*^*00501*000000001*0*P*:~GS*HB*SS*RR*20261120*1200*1*X*005010X279A1~ST*271*0001*005010X279A1~EB*1~SE*3*0001~GE*1*1~IEA*1*000000001~".as_slice();
/// use candor_x12::{Item, Path, Walk};
/// let path = Path::parse("EB.1")?;
/// let mut walk = Walk::from_slice(file);
/// let mut found = Vec::new();
/// while let Some(item) = walk.next_item(&mut |head| head.st.text(1) == "271")? {
///     if let Item::Set(set) = item {
///         found.extend(path.select(&set.view()).into_iter().map(|value| value.text.into_owned()));
///     }
/// }
/// assert_eq!(found, ["1"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Walk<I> {
    reader: Reader<I>,
    pending: Option<Option<RawSegment>>,
    interchange: Option<OpenInterchange>,
    group: Option<OpenGroup>,
    set: Option<OpenSet>,
    /// A segment without a place was reported; those that follow it go with it.
    stray: bool,
    ending: Ending,
    interchanges: u64,
    groups: u64,
    /// ISA13 by sender and receiver; GS06 in the interchange; ST02 in the group.
    interchange_numbers: BTreeMap<Box<str>, ControlNumbers>,
    group_numbers: ControlNumbers,
    set_numbers: ControlNumbers,
    numbers_full: bool,
    numbers_full_reported: bool,
}

impl<'a> Walk<SliceInput<'a>> {
    /// Walks over bytes in memory.
    #[must_use]
    pub fn from_slice(bytes: &'a [u8]) -> Self {
        Self::new(Reader::from_slice(bytes))
    }

    /// As [`Walk::from_slice`], with other limits.
    #[must_use]
    pub fn from_slice_with(bytes: &'a [u8], limits: Limits) -> Self {
        Self::new(Reader::from_slice_with(bytes, limits))
    }
}

impl<R: io::Read> Walk<ReadInput<R>> {
    /// Walks over a stream.
    pub fn from_read(source: R, limits: Limits) -> Self {
        Self::new(Reader::from_read(source, limits))
    }
}

impl<I: Input> Walk<I> {
    fn new(reader: Reader<I>) -> Self {
        Self {
            reader,
            pending: None,
            interchange: None,
            group: None,
            set: None,
            stray: false,
            ending: Ending::Whole,
            interchanges: 0,
            groups: 0,
            interchange_numbers: BTreeMap::new(),
            group_numbers: ControlNumbers::default(),
            set_numbers: ControlNumbers::default(),
            numbers_full: false,
            numbers_full_reported: false,
        }
    }

    /// Says if everything read so far is whole. Ask at the end.
    #[must_use]
    pub const fn ending(&self) -> Ending {
        self.ending
    }

    /// The next item; `None` at the end. Sets for which `want` says no at their ST are passed over
    /// without being held; they count in their group all the same, and what cannot be read in them is
    /// reported. A set that was wanted comes behind the faults of segments in it that have no id.
    ///
    /// # Errors
    /// The error of the stream: an outage, never a fault of the bytes.
    pub fn next_item(&mut self, want: &mut dyn FnMut(&SetHead<'_>) -> bool) -> io::Result<Option<Item<'_>>> {
        if self.set.is_none() {
            self.reader.keep_from(None);
        }
        let Some(event) = self.next_event(want)? else { return Ok(None) };
        Ok(match event {
            Event::GroupEnd { index, findings } => Some(Item::GroupEnd { index, findings }),
            Event::InterchangeEnd { index, findings } => Some(Item::InterchangeEnd { index, findings }),
            Event::Fault(error) => Some(Item::Fault(error)),
            Event::Set(set) => {
                let len = usize::try_from(set.end - set.start).unwrap_or(usize::MAX);
                let body = Excerpt { bytes: self.reader.bytes(set.start, len), offset: set.start };
                self.interchange.as_ref().map(|open| {
                    Item::Set(Set {
                        interchange: &open.interchange,
                        group: self.group.as_ref().map(|open| &open.group),
                        body,
                        segments: set.segments,
                        damaged: set.damaged,
                        findings: set.findings,
                    })
                })
            }
            Event::Ta1(raw) => {
                let len = usize::try_from(raw.next - raw.start).unwrap_or(usize::MAX);
                let body = Excerpt { bytes: self.reader.bytes(raw.start, len), offset: raw.start };
                self.interchange.as_ref().map(|open| Item::Ta1(Ta1 { interchange: &open.interchange, body }))
            }
        })
    }

    fn next_event(&mut self, want: &mut dyn FnMut(&SetHead<'_>) -> bool) -> io::Result<Option<Event>> {
        loop {
            if self.numbers_full && !self.numbers_full_reported {
                self.numbers_full_reported = true;
                let limit = self.reader.limits().control_numbers;
                let offset = self.interchange.as_ref().map_or(0, |open| open.interchange.offset);
                return Ok(Some(Event::Fault(ParseError {
                    offset,
                    kind: ParseErrorKind::TooManyControlNumbers { limit },
                })));
            }
            let segment = match self.pending.take() {
                Some(pending) => pending,
                None if self.pass_data() => match self.set_too_long() {
                    None => continue,
                    event => return Ok(event),
                },
                None => match self.reader.advance()? {
                    Some(RawToken::Fault(error)) => {
                        if !self.passes_over(&error) {
                            self.break_set();
                        }
                        self.note_cut(&error);
                        return Ok(Some(Event::Fault(error)));
                    }
                    Some(RawToken::Segment(raw)) => Some(raw),
                    None => None,
                },
            };
            let event = match segment {
                Some(raw) => self.segment(raw, want),
                None => match self.close_for(None) {
                    None => return Ok(None),
                    event => event,
                },
            };
            if event.is_some() {
                return Ok(event);
            }
        }
    }

    /// Passes over what is at hand of the open set; whether there was anything.
    fn pass_data(&mut self) -> bool {
        let Some(set) = self.set.as_mut().filter(|set| set.state != SetState::Broken) else { return false };
        let count = self.reader.pass_data();
        if count > 0 {
            set.segments += count;
            set.end = self.reader.position();
        }
        count > 0
    }

    /// True if reading of the open set can go on after a fault: a segment without an id is one of its segments.
    fn passes_over(&mut self, error: &ParseError) -> bool {
        let wanted = self.set.as_mut().filter(|set| set.state == SetState::Wanted && set.damaged < MOST_DAMAGED);
        let Some(set) = wanted.filter(|_| error.kind == ParseErrorKind::InvalidSegmentId) else { return false };
        set.damaged += 1;
        set.segments += 1;
        true
    }

    fn note_cut(&mut self, error: &ParseError) {
        if error.kind.is_cut() && !matches!(self.ending, Ending::CutOff { .. }) {
            self.ending = Ending::CutOff { offset: error.offset };
        }
    }

    /// The open set cannot be read to its end: what is held of it is let go.
    fn break_set(&mut self) {
        if let Some(set) = &mut self.set {
            set.state = SetState::Broken;
            self.reader.keep_from(None);
        }
    }

    fn segment(&mut self, raw: RawSegment, want: &mut dyn FnMut(&SetHead<'_>) -> bool) -> Option<Event> {
        match &raw.id.bytes {
            b"ISA" => {
                let closed = self.close_for(Some(raw));
                if closed.is_none() {
                    self.open_interchange(&raw);
                }
                closed
            }
            b"IEA" => self.close_group_for(raw).or_else(|| self.close_interchange(Some(&raw), raw.start)),
            b"GS\0" => {
                let closed = self.close_group_for(raw);
                if closed.is_some() {
                    return closed;
                }
                if !raw.terminated {
                    return Some(self.cut_off_segment(raw.start));
                }
                self.open_group(&raw);
                None
            }
            b"GE\0" => self.close_set_for(raw).or_else(|| {
                if self.group.is_none() {
                    return self.unexpected(&raw);
                }
                self.close_group(Some(&raw), raw.start)
            }),
            b"ST\0" => self.close_set_for(raw).or_else(|| {
                self.open_set(&raw, want);
                None
            }),
            b"SE\0" if self.set.is_some() => self.end_set(&raw),
            b"TA1" => self.close_set_for(raw).or_else(|| {
                self.stray = false;
                let segment = self.reader.segment(&raw);
                // Unterminated, its last element may have lost characters: TA105 has three.
                if !raw.terminated && segment.text(5).len() != 3 {
                    return Some(self.cut_off_segment(raw.start));
                }
                Some(Event::Ta1(raw))
            }),
            _ => self.data(&raw),
        }
    }

    fn cut_off_segment(&mut self, offset: u64) -> Event {
        let error = ParseError { offset, kind: ParseErrorKind::SegmentCutOff };
        self.note_cut(&error);
        Event::Fault(error)
    }

    /// Takes a segment that is not part of the envelope.
    fn data(&mut self, raw: &RawSegment) -> Option<Event> {
        let Some(set) = &mut self.set else { return self.outside_sets(raw) };
        set.segments += 1;
        set.end = raw.next;
        self.set_too_long()
    }

    /// The open set is given up where it has become longer than what is held of one.
    fn set_too_long(&mut self) -> Option<Event> {
        let limit = self.reader.limits().set;
        let set = self.set.as_ref().filter(|set| set.state == SetState::Wanted)?;
        let offset = set.start;
        if set.end - offset <= limit as u64 {
            return None;
        }
        self.break_set();
        Some(Event::Fault(ParseError { offset, kind: ParseErrorKind::SetTooLong { limit } }))
    }

    fn outside_sets(&mut self, raw: &RawSegment) -> Option<Event> {
        // Interchange-level segments of X12.5 that say nothing about any set.
        let known = matches!(raw.id.as_bytes(), b"ISB" | b"ISE" | b"TA3");
        if known && self.group.is_none() { None } else { self.unexpected(raw) }
    }

    fn unexpected(&mut self, raw: &RawSegment) -> Option<Event> {
        if std::mem::replace(&mut self.stray, true) {
            return None;
        }
        Some(Event::Fault(ParseError { offset: raw.start, kind: ParseErrorKind::UnexpectedSegment { id: raw.id } }))
    }

    /// Closes everything that is open, one thing a call, because `next` (or the end) has come.
    fn close_for(&mut self, next: Option<RawSegment>) -> Option<Event> {
        let offset = next.map_or_else(|| self.reader.position(), |raw| raw.start);
        let event = self.cut_off_set(offset).or_else(|| self.close_group(None, offset)).or_else(|| {
            let code = if next.is_some() { CONTROL_STRUCTURE } else { END_OF_FILE };
            self.lose_interchange(code, offset)
        });
        if event.is_some() {
            self.pending = Some(next);
        }
        event
    }

    fn close_set_for(&mut self, next: RawSegment) -> Option<Event> {
        let event = self.cut_off_set(next.start);
        if event.is_some() {
            self.pending = Some(Some(next));
        }
        event
    }

    fn close_group_for(&mut self, next: RawSegment) -> Option<Event> {
        let event = self.cut_off_set(next.start).or_else(|| self.close_group(None, next.start));
        if event.is_some() {
            self.pending = Some(Some(next));
        }
        event
    }

    fn cut_off_set(&mut self, end: u64) -> Option<Event> {
        let set = self.set.take()?;
        self.reader.keep_from(None);
        if set.state == SetState::Broken {
            return None;
        }
        let error = ParseError { offset: set.start, kind: ParseErrorKind::SetCutOff { end } };
        self.note_cut(&error);
        Some(Event::Fault(error))
    }

    fn end_set(&mut self, raw: &RawSegment) -> Option<Event> {
        let segment = self.reader.segment(raw);
        let complete = raw.terminated || self.set.as_ref().is_some_and(|set| set.control == segment.text(2));
        if !complete {
            return self.cut_off_set(raw.next);
        }
        let mut set = self.set.take()?;
        self.stray = false;
        set.segments += 1;
        set.end = raw.next;
        let limit = self.reader.limits().set;
        match set.state {
            SetState::Wanted if set.end - set.start > limit as u64 => {
                Some(Event::Fault(ParseError { offset: set.start, kind: ParseErrorKind::SetTooLong { limit } }))
            }
            SetState::Wanted => {
                checks::trailer_of_set(&mut set.findings, &set.control, set.segments, &segment);
                Some(Event::Set(set))
            }
            SetState::Unwanted | SetState::Broken => None,
        }
    }

    fn open_interchange(&mut self, raw: &RawSegment) {
        let segment = self.reader.segment(raw);
        let interchange = Interchange {
            index: self.interchanges,
            offset: raw.start,
            header: segment.raw().to_vec(),
            delimiters: raw.delimiters,
            form: raw.header.map_or(HeaderForm::Fixed, |header: RawHeader| header.form),
        };
        let mut findings = Vec::new();
        if let Some(header) = &raw.header {
            checks::header(&mut findings, &segment, header);
        }
        let (version, control) = (segment.text(12).into_owned(), segment.text(13).into_owned());
        let partners = [5, 6, 7, 8].map(|position| segment.text(position)).join("\n");
        let limit = self.reader.limits().control_numbers;
        let known = self.interchange_numbers.contains_key(partners.as_str());
        let seen = if known || self.interchange_numbers.len() < limit {
            self.interchange_numbers.entry(partners.into_boxed_str()).or_default().insert(&control, limit)
        } else {
            Seen::Full
        };
        match seen {
            Seen::New => {}
            Seen::Again => checks::duplicate_interchange(&mut findings, &segment),
            Seen::Full => self.numbers_full = true,
        }
        self.interchanges += 1;
        self.group_numbers.clear();
        self.set_numbers.clear();
        self.stray = false;
        self.interchange = Some(OpenInterchange { interchange, version, control, groups: 0, findings });
    }

    fn open_group(&mut self, raw: &RawSegment) {
        let Some(open) = &mut self.interchange else { return };
        open.groups += 1;
        let segment = self.reader.segment(raw);
        let group = Group {
            index: self.groups,
            offset: raw.start,
            header: segment.raw().to_vec(),
            id: segment.text(1).into_owned(),
            control: segment.text(6).into_owned(),
            version: segment.text(8).into_owned(),
        };
        let mut findings = Vec::new();
        checks::group_header(&mut findings, &segment, &open.version);
        match self.group_numbers.insert(&group.control, self.reader.limits().control_numbers) {
            Seen::New => {}
            Seen::Again => checks::duplicate_group(&mut findings, &segment),
            Seen::Full => self.numbers_full = true,
        }
        self.groups += 1;
        self.set_numbers.clear();
        self.stray = false;
        self.group = Some(OpenGroup { group, sets: 0, findings });
    }

    fn open_set(&mut self, raw: &RawSegment, want: &mut dyn FnMut(&SetHead<'_>) -> bool) {
        let Some(open) = &self.interchange else { return };
        let segment = self.reader.segment(raw);
        let head =
            SetHead { interchange: &open.interchange, group: self.group.as_ref().map(|open| &open.group), st: segment };
        let wanted = want(&head);
        let mut findings = Vec::new();
        if wanted {
            checks::set_header(&mut findings, &head);
        }
        let control = segment.text(2).into_owned();
        match self.set_numbers.insert(&control, self.reader.limits().control_numbers) {
            Seen::Again if wanted && !control.is_empty() => {
                checks::duplicate_set(&mut findings, &segment);
            }
            Seen::New | Seen::Again => {}
            Seen::Full => self.numbers_full = true,
        }
        self.stray = false;
        if let Some(group) = &mut self.group {
            group.sets += 1;
        }
        self.set = Some(OpenSet {
            start: raw.start,
            end: raw.next,
            segments: 1,
            damaged: 0,
            control,
            findings,
            state: if wanted { SetState::Wanted } else { SetState::Unwanted },
        });
        if wanted {
            self.reader.keep_from(Some(raw.start));
        }
    }

    fn close_group(&mut self, trailer: Option<&RawSegment>, offset: u64) -> Option<Event> {
        let open = self.group.take()?;
        self.stray = false;
        let mut findings = open.findings;
        match trailer {
            None => checks::no_group_trailer(&mut findings, offset),
            Some(raw) => {
                let segment = self.reader.segment(raw);
                checks::group_trailer(&mut findings, &open.group.control, open.sets, &segment);
            }
        }
        Some(Event::GroupEnd { index: open.group.index, findings })
    }

    fn close_interchange(&mut self, trailer: Option<&RawSegment>, offset: u64) -> Option<Event> {
        let Some(raw) = trailer else { return self.lose_interchange(CONTROL_STRUCTURE, offset) };
        let open = self.interchange.take()?;
        let mut findings = open.findings;
        let segment = self.reader.segment(raw);
        checks::interchange_trailer(&mut findings, &open.control, open.groups, &segment);
        Some(Event::InterchangeEnd { index: open.interchange.index, findings })
    }

    fn lose_interchange(&mut self, code: &'static str, offset: u64) -> Option<Event> {
        let open = self.interchange.take()?;
        if self.ending == Ending::Whole {
            self.ending = Ending::Unknown;
        }
        let mut findings = open.findings;
        checks::no_interchange_trailer(&mut findings, code, offset);
        Some(Event::InterchangeEnd { index: open.interchange.index, findings })
    }
}
