//! The loops of one transaction set, and paths through them.

use std::collections::HashMap;
use std::sync::OnceLock;

use candor_x12::{Segment, SetView};

use crate::guide::{Guide, Loop};
use crate::place::{Occurrence, Placed, Placing};
use crate::tree::Tree;

/// The loop of every segment of a transaction set.
#[derive(Debug)]
pub struct Loops {
    guide: &'static Guide,
    occurrences: Vec<Occurrence>,
    /// By occurrence, which one of its kind it is in the loop around it, from 1.
    nth: OnceLock<Vec<u32>>,
    of_segment: Vec<u32>,
    tree: OnceLock<Tree>,
}

impl Loops {
    /// Reads a transaction set by a guide.
    ///
    /// A segment goes to the loop being read if it is allowed there by its qualifier and in order, else to the loops
    /// around it; then the same without the order, then by its id alone. A segment that the guide does not have stays
    /// in the loop being read. A level goes below the one that HL02 names.
    #[must_use]
    pub fn of(guide: &'static Guide, set: &SetView<'_>) -> Self {
        Self::of_segments(guide, &set.read())
    }

    /// As [`Loops::of`], of the segments of a set from ST on.
    #[must_use]
    pub fn of_segments(guide: &'static Guide, segments: &[Segment<'_>]) -> Self {
        Self::placing(guide, segments, |_| ())
    }

    pub(crate) fn placing(guide: &'static Guide, segments: &[Segment<'_>], mut see: impl FnMut(Placed)) -> Self {
        let mut placing = Placing::new(guide, segments.len());
        let place = |(number, segment): (usize, &Segment<'_>)| {
            let placed = placing.place(segment, number);
            let occurrence = u32::try_from(placed.occurrence).unwrap_or(u32::MAX);
            see(placed);
            occurrence
        };
        let of_segment = segments.iter().enumerate().map(place).collect();
        Self { guide, occurrences: placing.occurrences(), nth: OnceLock::new(), of_segment, tree: OnceLock::new() }
    }

    /// The guide that was gone by.
    #[must_use]
    pub const fn guide(&self) -> &'static Guide {
        self.guide
    }

    /// The loops in the order they begin; the first is the transaction set itself.
    #[must_use]
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The occurrence that contains a segment, by the segment's number from 0 with ST.
    #[must_use]
    pub fn of_segment(&self, number: usize) -> Option<usize> {
        self.of_segment.get(number).and_then(|&occurrence| usize::try_from(occurrence).ok())
    }

    /// The guide's definition of an occurrence.
    #[must_use]
    pub fn definition(&self, occurrence: usize) -> Option<&'static Loop> {
        self.guide.loops().get(self.occurrences.get(occurrence)?.definition)
    }

    /// The loops around a segment, each with its number in the loop around it: `2000C.2110C[2]`. Empty for segments
    /// outside of any loop.
    #[must_use]
    pub fn trail(&self, occurrence: usize) -> String {
        let mut steps = Vec::new();
        let mut at = occurrence;
        while let Some(&Occurrence { definition, parent: Some(parent), .. }) = self.occurrences.get(at) {
            let id = self.guide.loops().get(definition).map_or("", Loop::id);
            steps.push(match self.nth().get(at) {
                None | Some(1) => id.to_owned(),
                Some(nth) => format!("{id}[{nth}]"),
            });
            at = parent;
        }
        steps.reverse();
        steps.join(".")
    }

    fn nth(&self) -> &[u32] {
        self.nth.get_or_init(|| {
            let mut counted: HashMap<(Option<usize>, usize), u32> = HashMap::new();
            let mut count = |occurrence: &Occurrence| {
                let count = counted.entry((occurrence.parent, occurrence.definition)).or_default();
                *count += 1;
                *count
            };
            self.occurrences.iter().map(&mut count).collect()
        })
    }

    pub(crate) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| Tree::of(&self.occurrences, &self.of_segment))
    }
}
