//! A transaction set as its loops nest, for reading what it says.

use std::borrow::Cow;

use candor_check::compare::{DateForm, DateValue, Decimal};
use candor_x12::Segment;
use candor_x12_guides::{Guide, Loop, Loops};
use num_rational::BigRational;

pub(crate) struct Tree<'a> {
    loops: &'a Loops,
    segments: Vec<Segment<'a>>,
    own: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl<'a> Tree<'a> {
    pub(crate) fn of(loops: &'a Loops, segments: &[Segment<'a>]) -> Self {
        let segments = segments.to_vec();
        let count = loops.occurrences().len();
        let (mut own, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for number in 0..segments.len() {
            if let Some(list) = loops.of_segment(number).and_then(|occurrence| own.get_mut(occurrence)) {
                list.push(number);
            }
        }
        for (number, occurrence) in loops.occurrences().iter().enumerate() {
            if let Some(list) = occurrence.parent.and_then(|parent| below.get_mut(parent)) {
                list.push(number);
            }
        }
        Self { loops, segments, own, below }
    }

    pub(crate) fn guide(&self) -> &'static Guide {
        self.loops.guide()
    }

    pub(crate) fn segment(&self, number: usize) -> Option<&Segment<'a>> {
        self.segments.get(number)
    }

    pub(crate) fn with_id(&self, id: &str) -> impl Iterator<Item = usize> {
        let all = self.segments.iter().enumerate();
        all.filter(move |(_, segment)| segment.id().is(id)).map(|(number, _)| number)
    }

    pub(crate) fn occurrence(&self, number: usize) -> Option<usize> {
        self.loops.of_segment(number)
    }

    pub(crate) fn id(&self, occurrence: usize) -> &'static str {
        self.loops.definition(occurrence).map_or("", Loop::id)
    }

    /// Every occurrence of these loops, in order.
    pub(crate) fn all(&self, ids: &[&str]) -> Vec<usize> {
        (0..self.own.len()).filter(|&occurrence| ids.contains(&self.id(occurrence))).collect()
    }

    /// Every occurrence of these loops below another, in order; found as they are asked for.
    pub(crate) fn below(&self, occurrence: usize, ids: &[&str]) -> impl Iterator<Item = usize> {
        let below = move |at: usize| self.below.get(at).map(|below| below.iter().copied());
        let mut open: Vec<_> = below(occurrence).into_iter().collect();
        let every = std::iter::from_fn(move || {
            while let Some(last) = open.last_mut() {
                if let Some(next) = last.next() {
                    open.extend(below(next));
                    return Some(next);
                }
                open.pop();
            }
            None
        });
        every.filter(move |&at| ids.contains(&self.id(at)))
    }

    pub(crate) fn around(&self, occurrence: usize, ids: &[&str]) -> Option<usize> {
        let up = |&at: &usize| self.loops.occurrences().get(at)?.parent;
        std::iter::successors(Some(occurrence), up).find(|&at| ids.contains(&self.id(at)))
    }

    pub(crate) fn parent(&self, occurrence: usize) -> Option<usize> {
        self.loops.occurrences().get(occurrence)?.parent
    }

    /// The segments of an occurrence with this id, those of loops below it left out.
    pub(crate) fn own(&self, occurrence: usize, id: &str) -> Vec<usize> {
        let own = self.own.get(occurrence).into_iter().flatten().copied();
        own.filter(|&number| self.segment(number).is_some_and(|segment| segment.id().is(id))).collect()
    }

    pub(crate) fn first(&self, occurrence: usize, id: &str) -> Option<usize> {
        self.own(occurrence, id).into_iter().next()
    }

    /// The text of an element; empty if it is missing.
    pub(crate) fn text(&self, number: usize, element: usize) -> Cow<'a, str> {
        self.segment(number).map(|segment| segment.text(element)).unwrap_or_default()
    }

    /// The text of a component; of the first repetition.
    pub(crate) fn component(&self, number: usize, element: usize, component: usize) -> String {
        let Some(segment) = self.segment(number) else { return String::new() };
        let delimiters = segment.delimiters();
        let first = segment.element(element).and_then(|element| element.repetitions(delimiters).next());
        let piece = first.and_then(|piece| piece.components(delimiters).nth(component.checked_sub(1)?));
        piece.map(|piece| piece.text().into_owned()).unwrap_or_default()
    }

    pub(crate) fn repetitions(&self, number: usize, element: usize) -> Vec<String> {
        let Some(segment) = self.segment(number) else { return Vec::new() };
        let delimiters = segment.delimiters();
        let pieces = segment.element(element).into_iter().flat_map(|element| element.repetitions(delimiters));
        pieces.map(|piece| piece.text().into_owned()).filter(|text| !text.is_empty()).collect()
    }

    /// An amount; `None` if it is missing or is not a number.
    pub(crate) fn amount(&self, number: usize, element: usize) -> Option<BigRational> {
        Decimal::plain(&self.text(number, element))?.to_fraction()
    }

    pub(crate) fn date(&self, number: usize, element: usize) -> Option<DateValue> {
        DateValue::parse(&self.text(number, element), DateForm::X12)
    }
}
