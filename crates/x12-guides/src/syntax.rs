//! Syntax notes: what the elements of a segment require of each other (X12.22).

use std::collections::HashMap;
use std::sync::LazyLock;

use candor_x12::Segment;

#[derive(Debug)]
pub(crate) struct Note {
    condition: u8,
    elements: Vec<usize>,
}

pub(crate) struct Broken {
    /// X12's own code.
    pub(crate) code: &'static str,
    /// The element that is missing, or too many.
    pub(crate) element: usize,
    pub(crate) expected: String,
}

static NOTES: LazyLock<HashMap<&str, Vec<Note>>> = LazyLock::new(|| {
    let lines = include_str!("../data/syntax.txt").lines().filter(|line| !line.starts_with(';'));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(id, notes)| (id, notes.split(' ').filter_map(Note::read).collect()))
        .collect()
});

pub(crate) fn of(id: &str) -> &'static [Note] {
    NOTES.get(id).map(Vec::as_slice).unwrap_or_default()
}

/// Which elements a segment has, a bit each; of those behind the 63rd no note speaks.
#[derive(Clone, Copy)]
pub(crate) struct Present(u64);

impl Present {
    pub(crate) fn of(segment: &Segment<'_>) -> Self {
        let elements = (1..64).zip(segment.elements());
        Self(
            elements.fold(0, |all, (position, element)| {
                all | (u64::from(!element.is_empty(segment.delimiters())) << position)
            }),
        )
    }

    fn has(self, element: usize) -> bool {
        element < 64 && self.0 >> element & 1 == 1
    }
}

impl Note {
    /// Reads `P0304`.
    fn read(text: &str) -> Option<Self> {
        let (condition, elements) = (*text.as_bytes().first()?, text.get(1..)?);
        let elements = elements.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok()?.parse().ok());
        Some(Self { condition, elements: elements.collect() })
    }

    pub(crate) fn broken(&self, id: &str, present: Present) -> Option<Broken> {
        let is_there = |element: &usize| present.has(*element);
        let missing = |elements: &[usize]| elements.iter().copied().find(|element| !is_there(element));
        let (first, others) = self.elements.split_first()?;
        let named = |elements: &[usize]| {
            elements.iter().map(|element| format!("{id}{element:02}")).collect::<Vec<_>>().join(", ")
        };
        let (element, expected) = match self.condition {
            b'P' if self.elements.iter().any(is_there) => {
                (missing(&self.elements)?, format!("{} together or none of them", named(&self.elements)))
            }
            b'R' if !self.elements.iter().any(is_there) => {
                (*first, format!("one or more of {}", named(&self.elements)))
            }
            b'C' if is_there(first) => {
                (missing(others)?, format!("{} together with {}", named(others), named(&[*first])))
            }
            b'L' if is_there(first) && !others.iter().any(is_there) => {
                (*others.first()?, format!("one or more of {} together with {}", named(others), named(&[*first])))
            }
            b'E' => {
                let second = self.elements.iter().copied().filter(is_there).nth(1)?;
                let expected = format!("no more than one of {}", named(&self.elements));
                return Some(Broken { code: "IK403:10", element: second, expected });
            }
            _ => return None,
        };
        Some(Broken { code: "IK403:2", element, expected })
    }
}
