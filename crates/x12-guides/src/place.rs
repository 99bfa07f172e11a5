//! Assigns each segment to its loop.

use candor_x12::Segment;

use crate::guide::{Code, Guide, Loop, Place, RuleAt, key};
use crate::levels::Levels;

/// An occurrence of a loop in a transaction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Its definition: an index of [`Guide::loops`].
    pub definition: usize,
    /// The occurrence that contains it; `None` for the transaction set itself.
    pub parent: Option<usize>,
    /// The segment that begins it, counted from 0 with ST.
    pub first: usize,
    /// Of a level: HL02 does not name a level that may contain it, so the order decided its place.
    pub level_by_order: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) occurrence: usize,
    /// The guide's rule; `None` if the guide does not have the segment there.
    pub(crate) rule: Option<RuleAt>,
    pub(crate) fit: Fit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    InOrder,
    /// The qualifier: senders do not always keep the order.
    Qualified,
    /// The id alone: a code that the guide does not have.
    ById,
}

const HL: u32 = key("HL");

pub(crate) struct Placing {
    guide: &'static Guide,
    occurrences: Vec<Occurrence>,
    reached: Vec<u32>,
    current: usize,
    levels: Levels,
}

impl Placing {
    pub(crate) fn new(guide: &'static Guide, segments: usize) -> Self {
        let room = segments / 4 + 1;
        let (mut occurrences, mut reached) = (Vec::with_capacity(room), Vec::with_capacity(room));
        occurrences.push(Occurrence { definition: 0, parent: None, first: 0, level_by_order: false });
        reached.push(0);
        Self { guide, occurrences, reached, current: 0, levels: Levels::default() }
    }

    pub(crate) fn occurrences(self) -> Vec<Occurrence> {
        self.occurrences
    }

    /// Places a segment in an occurrence, which it may begin. `number` counts the segments of the set from 0.
    pub(crate) fn place(&mut self, segment: &Segment<'_>, number: usize) -> Placed {
        let placed = match segment.id().key() {
            HL => self.level(segment, number),
            _ => {
                self.fitting(segment, number).unwrap_or(Placed { occurrence: self.current, rule: None, fit: Fit::ById })
            }
        };
        self.current = placed.occurrence;
        placed
    }

    /// Looks for the place of a segment in the loop being read, then in those around it: the first that fits it best.
    fn fitting(&mut self, segment: &Segment<'_>, number: usize) -> Option<Placed> {
        let guide = self.guide;
        let definition = self.occurrences.get(self.current)?.definition;
        let mut best: Option<((Fit, bool), &Place, usize)> = None;
        let mut code = Code::new(segment);
        for place in guide.places(definition, segment.id().key()) {
            let Some(owner) = self.around(place) else { continue };
            let fit = match place.qualifier.is_met(&mut code) {
                true if place.position >= self.reached.get(owner).copied().unwrap_or_default() => Fit::InOrder,
                true => Fit::Qualified,
                false => Fit::ById,
            };
            let is_rather_its_rival = place.has_rival
                && fit != Fit::ById
                && guide.rule(place.rule).is_some_and(|rule| rule.is_rather_its_rival(segment));
            let fit = (fit, is_rather_its_rival);
            if best.as_ref().is_none_or(|(other, ..)| fit < *other) {
                best = Some((fit, place, owner));
            }
            if fit == (Fit::InOrder, false) {
                break;
            }
        }
        let ((fit, _), place, owner) = best?;
        self.reach(owner, place.position);
        let occurrence = match place.begins {
            Some(inner) => self.begin(inner, owner, number, false),
            None => owner,
        };
        Some(Placed { occurrence, rule: Some(place.rule), fit })
    }

    fn around(&self, place: &Place) -> Option<usize> {
        let around = || std::iter::successors(Some(self.current), |&at| self.occurrences.get(at)?.parent);
        let is_owner =
            |at: &usize| self.occurrences.get(*at).is_some_and(|occurrence| occurrence.definition == place.owner);
        // Where a level was skipped, the tables do not tell how far it is.
        around().nth(place.up).filter(is_owner).or_else(|| around().find(is_owner))
    }

    fn reach(&mut self, occurrence: usize, position: u32) {
        if let Some(reached) = self.reached.get_mut(occurrence) {
            *reached = (*reached).max(position);
        }
    }

    fn begin(&mut self, definition: usize, parent: usize, first: usize, level_by_order: bool) -> usize {
        self.occurrences.push(Occurrence { definition, parent: Some(parent), first, level_by_order });
        self.reached.push(0);
        self.occurrences.len() - 1
    }

    /// HL: the level by HL03, below the level that HL02 names. If that level cannot contain it, it goes below the
    /// nearest that can.
    fn level(&mut self, segment: &Segment<'_>, number: usize) -> Placed {
        let is_meant = |(_, level): &(usize, &Loop)| {
            level.first().is_some_and(|first| first.is_qualified(&mut Code::new(segment)))
        };
        let levels = || self.guide.levels().filter(is_meant);
        let named = match segment.text(2) {
            parent if parent.is_empty() => Some(0),
            parent => self.levels.get(&parent),
        };
        let below = |occurrence: usize| {
            let definition = self.occurrences.get(occurrence).map(|o| o.definition);
            levels().find(|(_, level)| level.parent() == definition).map(|(index, _)| (index, occurrence))
        };
        let by_name = named.and_then(below);
        let nearest =
            || std::iter::successors(Some(self.current), |&at| self.occurrences.get(at)?.parent).find_map(below);
        let found = by_name.map(|found| (found, false)).or_else(|| nearest().map(|found| (found, true)));
        // A level was skipped: the loop goes into the last one there is.
        let skipped = || levels().next().map(|(index, _)| ((index, named.unwrap_or(self.current)), true));
        let Some(((definition, parent), by_order)) = found.or_else(skipped) else {
            return Placed { occurrence: self.current, rule: None, fit: Fit::ById };
        };
        let occurrence = self.begin(definition, parent, number, by_order);
        self.levels.insert(&segment.text(1), occurrence);
        let rule = self.guide.loops().get(definition).and_then(|level| level.first_at(definition));
        Placed { occurrence, rule, fit: if by_order { Fit::Qualified } else { Fit::InOrder } }
    }
}
