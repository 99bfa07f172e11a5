//! Path and transaction set to values.

use std::borrow::Cow;

use super::{ElementStep, Path, Repetition, Selector};
use crate::{Piece, Segment, SetView};

/// A value that a path selected, with the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<'a> {
    /// The value as text; see [`Piece::text`].
    pub text: Cow<'a, str>,
    /// The offset of its first byte.
    pub offset: u64,
    /// How many bytes it takes.
    pub len: usize,
}

impl Path {
    /// The values that the path selects in `set`, in order. Empty elements and components are absent. Loops of the path
    /// are not looked at.
    #[must_use]
    pub fn select<'a>(&self, set: &SetView<'a>) -> Vec<Value<'a>> {
        self.select_among(set.segments_with(self.segment))
    }

    /// The values that the path selects in segments that one loop step after the other has left.
    pub fn select_among<'a>(&self, segments: impl Iterator<Item = Segment<'a>>) -> Vec<Value<'a>> {
        self.read(self.segments(segments.filter(|segment| segment.id() == self.segment)))
    }

    /// The values in all segments with the path's id: those that it selects are among them, whatever its loops and its
    /// selectors of segments leave.
    pub fn select_anywhere<'a>(&self, segments: impl Iterator<Item = Segment<'a>>) -> Vec<Value<'a>> {
        self.read(segments.filter(|segment| segment.id() == self.segment))
    }

    fn read<'a>(&self, segments: impl IntoIterator<Item = Segment<'a>>) -> Vec<Value<'a>> {
        let mut values = Vec::new();
        for segment in segments {
            match &self.element {
                None => values.extend(value(&segment, segment.whole())),
                Some(step) => select_element(step, &segment, &mut values),
            }
        }
        values
    }

    /// True if one of the values that the path selects in segments is this text. If it names no segment or no
    /// repetition, any counts.
    pub fn holds_among<'a>(&self, segments: impl Iterator<Item = Segment<'a>>, text: &str) -> bool {
        self.items_among(segments).into_iter().any(|(_, segment)| match &self.element {
            None => segment.whole().text() == text,
            Some(step) => {
                let is_meant = |number: usize| !matches!(step.repetition, Repetition::Nth(n) if n != number);
                let delimiters = segment.delimiters();
                let repetitions = segment.element(step.position).into_iter().flat_map(|e| e.repetitions(delimiters));
                (1..).zip(repetitions).filter(|(number, _)| is_meant(*number)).any(|(_, piece)| {
                    let leaf = match step.component {
                        None => Some(piece),
                        Some(n) => piece.components(delimiters).nth(n - 1),
                    };
                    leaf.is_some_and(|leaf| leaf.reads(text))
                })
            }
        })
    }

    /// The segments that the path means where it is about each of them: all with its id that its selectors leave, with
    /// the number of each among those with its id, from 1.
    pub fn items_among<'a>(&self, segments: impl Iterator<Item = Segment<'a>>) -> Vec<(usize, Segment<'a>)> {
        let mut chosen: Vec<_> = (1..).zip(segments.filter(|segment| segment.id() == self.segment)).collect();
        for selector in &self.selectors {
            chosen = match selector {
                Selector::Nth(n) => chosen.get(n - 1).copied().into_iter().collect(),
                selector => chosen.into_iter().filter(|(_, segment)| holds(selector, segment)).collect(),
            };
        }
        chosen
    }

    fn segments<'a>(&self, mut all: impl Iterator<Item = Segment<'a>>) -> Vec<Segment<'a>> {
        let Some((first, others)) = self.selectors.split_first() else {
            return all.next().into_iter().collect();
        };
        // The first selector works on the stream, so that `EB[1]` of a large set keeps one segment.
        let mut chosen: Vec<Segment<'a>> = match first {
            Selector::Nth(n) => all.nth(n - 1).into_iter().collect(),
            selector => all.filter(|segment| holds(selector, segment)).collect(),
        };
        for selector in others {
            chosen = match selector {
                Selector::Nth(n) => chosen.get(n - 1).copied().into_iter().collect(),
                selector => chosen.into_iter().filter(|segment| holds(selector, segment)).collect(),
            };
        }
        chosen
    }
}

/// Selectors at work on segments that come one after the other.
#[derive(Debug, Clone)]
pub struct Choosing<'p> {
    pub(super) selectors: &'p [Selector],
    pub(super) seen: Vec<usize>,
}

impl Choosing<'_> {
    /// True if the selectors select the next loop. `holds_inside` returns true if a path leads to a text in it.
    pub fn admits(&mut self, segment: &Segment<'_>, holds_inside: &dyn Fn(&Path, &str) -> bool) -> bool {
        self.selectors.iter().zip(&mut self.seen).all(|(selector, seen)| {
            *seen += 1;
            match selector {
                Selector::Nth(n) => n == seen,
                Selector::Holds { path, value } => holds_inside(path, value),
                selector => holds(selector, segment),
            }
        })
    }
}

/// True if a condition holds for a segment: any repetition of the element has the value.
fn holds(selector: &Selector, segment: &Segment<'_>) -> bool {
    let Selector::Where { element, component, value, .. } = selector else { return true };
    let delimiters = segment.delimiters();
    segment.element(*element).is_some_and(|element| {
        element.repetitions(delimiters).any(|repetition| match component {
            None => repetition.reads(value),
            Some(n) => repetition.components(delimiters).nth(n - 1).is_some_and(|component| component.reads(value)),
        })
    })
}

fn select_element<'a>(step: &ElementStep, segment: &Segment<'a>, values: &mut Vec<Value<'a>>) {
    let delimiters = segment.delimiters();
    let Some(element) = segment.element(step.position) else { return };
    let mut repetitions = element.repetitions(delimiters);
    let leaf = |repetition: Piece<'a>| match step.component {
        None => value(segment, repetition),
        Some(n) => value(segment, repetition.components(delimiters).nth(n - 1)?),
    };
    match step.repetition {
        Repetition::First => values.extend(repetitions.next().and_then(leaf)),
        Repetition::Nth(n) => values.extend(repetitions.nth(n - 1).and_then(leaf)),
        Repetition::All => values.extend(repetitions.filter_map(leaf)),
    }
}

fn value<'a>(segment: &Segment<'a>, piece: Piece<'a>) -> Option<Value<'a>> {
    (!piece.is_empty(segment.delimiters())).then(|| Value {
        text: piece.text(),
        offset: piece.offset(),
        len: piece.raw().len(),
    })
}
