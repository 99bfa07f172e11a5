//! Path and message to values.

use std::ops::Range;

use super::{Condition, FieldStep, Path, Repetition, Segments};
use crate::charset::{Decoded, decode, decode_parts};
use crate::delimiters::Delimiters;
use crate::escape::{KeptEscape, kept, parts, unescape};
use crate::message::{Field, Message, Piece, Pieces, Segment};

impl Path {
    /// The values that the path selects in a message, in the order of the message.
    ///
    /// An empty place is absent and is not selected: a field, repetition, component or subcomponent that holds nothing
    /// but delimiters.
    ///
    /// ```
    /// use candor_hl7v2::{Path, messages};
    ///
    /// let input = b"MSH|^~\\&|A\rPID|||1^^^H^MR~~2^^^H^SS\r";
    /// let message = messages(input).next().ok_or("no message")??;
    /// let ids = Path::parse("PID.3[*].1")?;
    /// let read: Vec<_> = ids.select(&message).map(|value| value.text().text.into_owned()).collect();
    /// assert_eq!(read, ["1", "2"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn select<'m>(&'m self, message: &'m Message<'_>) -> Values<'m> {
        Values { path: self, message, ranges: Vec::new(), segment: 0, end: usize::MAX, count: 0, repetitions: None }
    }

    /// As [`Path::select`], among some of the segments, as ranges of their numbers from 0: they are counted together.
    pub fn select_in<'m>(&'m self, message: &'m Message<'_>, segments: &[Range<usize>]) -> Values<'m> {
        let mut ranges: Vec<Range<usize>> = segments.to_vec();
        ranges.reverse();
        Values { path: self, message, ranges, segment: 0, end: 0, count: 0, repetitions: None }
    }

    /// As [`Path::segments`], among some of the segments.
    pub fn segments_in<'m>(
        &'m self,
        message: &'m Message<'_>,
        segments: &[Range<usize>],
    ) -> impl Iterator<Item = Segment<'m>> {
        let mut values = self.select_in(message, segments);
        std::iter::from_fn(move || values.next_segment())
    }

    /// The segments that the path means where it is about each of them: all with its id that its selectors leave. Each by
    /// its number among all segments, from 0, and among those with its id, from 1.
    pub fn item_segments(&self, message: &Message<'_>, segments: &[Range<usize>]) -> Vec<(usize, u32)> {
        let starts = message.segment_starts();
        let lines = segments.iter().flat_map(|range| range.start..range.end.min(starts.len()));
        let of_id = lines.filter_map(|line| Some((line, *starts.get(line)?)));
        let of_id = (1..).zip(of_id.filter(|(_, start)| message.id_at(*start) == self.segment));
        let is_meant = |number: u32, start: usize| match &self.segments {
            Segments::First | Segments::All => true,
            Segments::Nth(wanted) => *wanted == number,
            Segments::Where(conditions) => {
                let segment = Segment::new(message, start);
                conditions.iter().all(|condition| condition.holds(message, segment))
            }
        };
        of_id
            .filter(|(number, (_, start))| is_meant(*number, *start))
            .map(|(number, (line, _))| (line, number))
            .collect()
    }

    /// The numbers, from 1, of the repetitions of its field in a segment that hold anything and that its selectors
    /// leave. Without selectors these are all that hold anything.
    pub fn item_repetitions(&self, segment: Segment<'_>) -> Vec<u32> {
        let Some(step) = self.field else { return Vec::new() };
        let message = segment.message();
        let whole = FieldStep { component: None, subcomponent: None, ..step };
        let all = (1..).zip(repetitions(segment, &step).into_iter().flatten());
        let is_meant = |(number, piece): &(u32, Piece<'_>)| {
            !matches!(step.repetition, Repetition::Nth(wanted) if wanted != *number)
                && below(message, self.segment, &whole, *piece).is_some()
                && self.means(message, *piece)
        };
        all.filter(is_meant).map(|(number, _)| number).collect()
    }

    /// True if one of the values that the path selects among segments is this text. If it names no segment or no
    /// repetition, any counts.
    pub fn holds_in(&self, message: &Message<'_>, segments: &[Range<usize>], text: &str) -> bool {
        let starts = message.segment_starts();
        let read = |(line, _): (usize, u32)| starts.get(line).map(|start| Segment::new(message, *start));
        self.item_segments(message, segments).into_iter().filter_map(read).any(|segment| match self.field {
            None => decode(message, segment.piece().raw().into()).text == text,
            Some(step) => self.item_repetitions(segment).into_iter().any(|number| {
                let index = usize::try_from(number).map_or(usize::MAX, |number| number.saturating_sub(1));
                let piece = repetitions(segment, &step).and_then(|mut all| all.nth(index));
                let value = piece.and_then(|piece| below(message, self.segment, &step, piece));
                value.is_some_and(|value| value.text().text == text)
            }),
        })
    }

    fn means(&self, message: &Message<'_>, repetition: Piece<'_>) -> bool {
        self.repetitions.iter().all(|condition| {
            let value = below(message, self.segment, &condition.field, repetition);
            value.is_some_and(|value| value.text().text == *condition.value)
        })
    }
}

impl Path {
    /// The segments that the path selects from, in the order of the message.
    pub fn segments<'m>(&'m self, message: &'m Message<'_>) -> impl Iterator<Item = Segment<'m>> {
        let mut values = self.select(message);
        std::iter::from_fn(move || values.next_segment())
    }

    /// The places that the path selects in one segment, whichever segments it selects otherwise. There is one place for
    /// the repetition it names; with `[*]` one for every repetition that holds anything, or one that is empty.
    ///
    /// ```
    /// use candor_hl7v2::{Path, messages};
    ///
    /// let input = b"MSH|^~\\&|A\rPID|||1^^^H~2~3^^^K\r";
    /// let message = messages(input).next().ok_or("no message")??;
    /// let authority = Path::parse("PID.3[*].4")?;
    /// let pid = authority.segments(&message).next().ok_or("no PID")?;
    /// let there: Vec<bool> = authority.places_in(pid).iter().map(Option::is_some).collect();
    /// assert_eq!(there, [true, false, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn places_in<'m>(&self, segment: Segment<'m>) -> Vec<Option<Value<'m>>> {
        let message = segment.message();
        let Some(step) = &self.field else {
            return vec![Some(Value { message, piece: segment.piece(), depth: Depth::Opaque })];
        };
        let found = |repetition| below(message, self.segment, step, repetition);
        let Some(mut all) = repetitions(segment, step) else { return vec![None] };
        match step.repetition {
            Repetition::First => vec![all.next().and_then(found)],
            Repetition::Nth(number) => {
                let index = usize::try_from(number).map_or(usize::MAX, |number| number.saturating_sub(1));
                vec![all.nth(index).and_then(found)]
            }
            Repetition::All => {
                let whole = FieldStep { component: None, subcomponent: None, ..*step };
                let valued = |repetition: &Piece<'m>| below(message, self.segment, &whole, *repetition).is_some();
                let meant = |repetition: &Piece<'m>| self.means(message, *repetition);
                let places: Vec<_> = all.filter(valued).filter(meant).map(found).collect();
                if places.is_empty() { vec![None] } else { places }
            }
        }
    }
}

/// The iterator that [`Path::select`] returns.
#[derive(Debug)]
pub struct Values<'m> {
    path: &'m Path,
    message: &'m Message<'m>,
    /// The ranges of segments that come after this one, the last first.
    ranges: Vec<Range<usize>>,
    segment: usize,
    end: usize,
    /// How many segments with the path's id there were before it.
    count: u32,
    repetitions: Option<Pieces<'m>>,
}

/// A value that a path selected.
#[derive(Clone, Copy, Debug)]
pub struct Value<'m> {
    message: &'m Message<'m>,
    piece: Piece<'m>,
    depth: Depth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// The value is its text: a segment, or MSH-1 or MSH-2.
    Opaque,
    Field,
    Component,
    Subcomponent,
}

impl<'m> Field<'m> {
    /// Its repetitions as values, in order, those that are empty as well.
    ///
    /// ```
    /// let message = candor_hl7v2::messages(b"MSH|^~\\&|A\rPID|||1^^^H~2\r").next().unwrap().unwrap();
    /// let ids = message.segments().nth(1).unwrap().field(3).unwrap();
    /// let texts: Vec<String> = ids.values().map(|value| value.text().text.into_owned()).collect();
    /// assert_eq!(texts, ["1^^^H", "2"]);
    /// ```
    pub fn values(&self) -> impl Iterator<Item = Value<'m>> + use<'m> {
        let message = self.message();
        let depth = if self.is_opaque() { Depth::Opaque } else { Depth::Field };
        self.repetitions().map(move |piece| Value { message, piece, depth })
    }
}

impl<'m> Value<'m> {
    /// The bytes as written in the message.
    pub fn raw(&self) -> &'m [u8] {
        self.piece.raw()
    }

    /// Their place in the input.
    pub fn span(&self) -> Range<usize> {
        self.piece.span()
    }

    /// True if nothing splits the value any further. A field with one component is its own first component, and a
    /// component with one subcomponent its own first subcomponent.
    pub fn is_leaf(&self) -> bool {
        let Delimiters { component, subcomponent, .. } = *self.message.delimiters();
        let has = |byte: u8| memchr::memchr(byte, self.piece.mask()).is_some();
        match self.depth {
            Depth::Opaque => false,
            Depth::Field => !has(component) && !subcomponent.is_some_and(has),
            Depth::Component => !subcomponent.is_some_and(has),
            Depth::Subcomponent => true,
        }
    }

    /// A component of a field or of one repetition of it, from 1; `None` if it is empty or the value is not a field.
    ///
    /// ```
    /// use candor_hl7v2::{Path, messages};
    ///
    /// let message = messages(b"MSH|^~\\&|A\rOBX|1|ED|||^TEXT^^A^yes\r").next().ok_or("no message")??;
    /// let path = Path::parse("OBX.5")?;
    /// let document = path.select(&message).next().ok_or("no OBX-5")?;
    /// assert_eq!(document.component(5).ok_or("no data")?.text().text, "yes");
    /// assert!(document.component(1).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn component(&self, number: u32) -> Option<Self> {
        let Delimiters { component, subcomponent, .. } = *self.message.delimiters();
        if self.depth != Depth::Field {
            return None;
        }
        let piece = self.piece.nth(component, number)?;
        let is_empty = piece.mask().iter().all(|byte| Some(*byte) == subcomponent);
        (!is_empty).then_some(Self { message: self.message, piece, depth: Depth::Component })
    }

    /// The value as text: a leaf with its escapes resolved, anything else as written in the message.
    pub fn text(&self) -> Decoded<'m> {
        text_of(self.message, &self.piece, self.is_leaf())
    }

    /// The escape sequences that stay unchanged in [`text`](Self::text): of a leaf, in order.
    ///
    /// ```
    /// use candor_hl7v2::{Meaning, Path, messages};
    ///
    /// let message = messages(br"MSH|^~\&|A\T\B \Z7\\.br\ C").known_to_be_whole().next().unwrap().unwrap();
    /// let path = Path::parse("MSH.3").unwrap();
    /// let value = path.select(&message).next().unwrap();
    /// assert_eq!(value.text().text, "A&B \\Z7\\\n C");
    /// let kept: Vec<_> = value.kept_escapes().iter().map(|kept| (kept.sequence, kept.meaning)).collect();
    /// assert_eq!(kept, [(&b"Z7"[..], Meaning::Local)]);
    /// ```
    pub fn kept_escapes(&self) -> Vec<KeptEscape<'m>> {
        match self.is_leaf() {
            true => kept(self.raw(), self.piece.mask(), self.message.delimiters()),
            false => Vec::new(),
        }
    }
}

/// A piece as text: a leaf with its escapes resolved, anything else as written in the message.
pub(crate) fn text_of<'m>(message: &Message<'_>, piece: &Piece<'m>, is_leaf: bool) -> Decoded<'m> {
    let bytes = match message.delimiters().escape {
        Some(escape) if is_leaf && memchr::memchr(escape, piece.mask()).is_some() => {
            if message.is_text() {
                return decode_parts(message, &parts(piece.raw(), piece.mask(), message.delimiters()));
            }
            unescape(piece.raw(), piece.mask(), message.delimiters())
        }
        _ => piece.raw().into(),
    };
    decode(message, bytes)
}

impl<'m> Iterator for Values<'m> {
    type Item = Value<'m>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let (Some(repetitions), Some(step)) = (&mut self.repetitions, &self.path.field) {
                for repetition in repetitions {
                    if !self.path.means(self.message, repetition) {
                        continue;
                    }
                    if let Some(value) = below(self.message, self.path.segment, step, repetition) {
                        return Some(value);
                    }
                }
                self.repetitions = None;
            }
            let segment = self.next_segment()?;
            let Some(step) = &self.path.field else {
                return Some(Value { message: self.message, piece: segment.piece(), depth: Depth::Opaque });
            };
            match step.repetition {
                Repetition::All => self.repetitions = repetitions(segment, step),
                Repetition::First | Repetition::Nth(_) => {
                    let number = if let Repetition::Nth(number) = step.repetition { number } else { 1 };
                    let index = usize::try_from(number).map_or(usize::MAX, |number| number - 1);
                    let value = repetitions(segment, step)
                        .and_then(|mut repetitions| repetitions.nth(index))
                        .and_then(|repetition| below(self.message, self.path.segment, step, repetition));
                    if value.is_some() {
                        return value;
                    }
                }
            }
        }
    }
}

impl<'m> Values<'m> {
    fn next_segment(&mut self) -> Option<Segment<'m>> {
        let starts = self.message.segment_starts();
        loop {
            while self.segment >= self.end.min(starts.len()) {
                let Range { start, end } = self.ranges.pop()?;
                (self.segment, self.end) = (start, end);
            }
            let Some(&start) = starts.get(self.segment) else { continue };
            self.segment += 1;
            if self.message.id_at(start) != self.path.segment {
                continue;
            }
            self.count += 1;
            let selected = match &self.path.segments {
                Segments::All => true,
                Segments::First => self.last(self.count == 1),
                Segments::Nth(number) => self.last(self.count == *number),
                Segments::Where(conditions) => {
                    let segment = Segment::new(self.message, start);
                    conditions.iter().all(|condition| condition.holds(self.message, segment))
                }
            };
            if selected {
                return Some(Segment::new(self.message, start));
            }
        }
    }

    /// Stops the search after the one segment that the path wants.
    fn last(&mut self, found: bool) -> bool {
        if found {
            self.end = 0;
            self.ranges.clear();
        }
        found
    }
}

fn repetitions<'m>(segment: Segment<'m>, step: &FieldStep) -> Option<Pieces<'m>> {
    segment.field(step.number).map(|field| field.repetitions())
}

/// Descends from a repetition; `None` when nothing is there.
fn below<'m>(message: &'m Message<'m>, id: [u8; 3], step: &FieldStep, repetition: Piece<'m>) -> Option<Value<'m>> {
    let delimiters = message.delimiters();
    let opaque = id == *b"MSH" && step.number <= 2;
    let (piece, depth) = match (step.component, step.subcomponent) {
        _ if opaque => {
            return Some(Value { message, piece: repetition, depth: Depth::Opaque });
        }
        (None, _) => (repetition, Depth::Field),
        (Some(component), None) => (repetition.nth(delimiters.component, component)?, Depth::Component),
        (Some(component), Some(subcomponent)) => {
            let component = repetition.nth(delimiters.component, component)?;
            let piece = match delimiters.subcomponent {
                Some(delimiter) => component.nth(delimiter, subcomponent)?,
                None if subcomponent == 1 => component,
                None => return None,
            };
            (piece, Depth::Subcomponent)
        }
    };
    let delimiter = |byte: &u8| *byte == delimiters.component || Some(*byte) == delimiters.subcomponent;
    let empty = piece.mask().iter().all(delimiter);
    (!empty).then_some(Value { message, piece, depth })
}

impl Condition {
    fn holds(&self, message: &Message<'_>, segment: Segment<'_>) -> bool {
        repetitions(segment, &self.field)
            .into_iter()
            .flatten()
            .filter_map(|repetition| below(message, segment.id(), &self.field, repetition))
            .any(|value| value.text().text == *self.value)
    }
}
