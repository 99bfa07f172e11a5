//! Segments against a structure: whether they fit, and where they do not, the reading that explains most of them.

use std::collections::HashMap;
use std::rc::Rc;

use crate::grammar::{Costs, Grammar, Places, Step, each};

/// A fault in the order of segments. Segments are numbered in the order given, from 0.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A required segment (a place) is not there.
    MissingSegment(usize),
    MissingGroup(usize),
    NotInStructure,
    /// Another of a segment that may not repeat there.
    TooMany,
    OutOfOrder,
}

#[derive(Debug)]
pub(crate) struct Misfit {
    pub(crate) fault: Fault,
    /// The segment that is wrong, or before which something is missing; at the end, the number of segments.
    pub(crate) at: usize,
    /// The groups that contain it, each with its repetition from 1.
    pub(crate) groups: Vec<(usize, u32)>,
    /// Of a segment that is wrong, the places that could have come instead.
    pub(crate) instead: Places,
    /// Of a segment that is wrong, the next one that is right, if there is one.
    pub(crate) next: Option<usize>,
    /// Of a segment out of order, the place read before it that it belongs before.
    pub(crate) belongs_before: Option<usize>,
}

/// True if segments fit a structure with nothing missing and nothing left.
pub(crate) fn fits(grammar: &Grammar, ids: impl Iterator<Item = [u8; 3]>) -> bool {
    let mut next = grammar.first;
    let mut here: Places = 0;
    let mut any = false;
    for id in ids {
        here = next & grammar.places_of(id);
        if here == 0 {
            return false;
        }
        any = true;
        next = each(here).filter_map(|place| grammar.follow.get(place)).fold(0, |all, places| all | places);
    }
    any && here & grammar.last != 0
}

/// The cost of a missing segment or group. It counts twice for a segment of a group that is elsewhere in the message.
const MISSING: i64 = 2;
/// The cost of a segment without a place: more than one missing thing, less than two. So the members of a group whose
/// head is missing are still in it, and one stray segment does not make up a group around itself.
const UNEXPLAINED: i64 = 3;
/// The same of a segment that opens a group before its head. Without it what follows would be read as another group's.
const UNEXPLAINED_OPENER: i64 = 5;

/// A place that a segment was read at, and what it was read after.
struct Read {
    segment: usize,
    place: usize,
    before: Option<usize>,
}

/// Finds the cheapest reading and says what is wrong in it.
///
/// Time is the number of segments times the places of one id times the places of the structure, whatever is there.
pub(crate) fn misfits(grammar: &Grammar, ids: &[[u8; 3]]) -> Vec<Misfit> {
    Reported::of(grammar, ids, &read(grammar, ids)).misfits
}

/// The cheapest reading: segments in order, each with its place.
pub(crate) fn read(grammar: &Grammar, ids: &[[u8; 3]]) -> Vec<(usize, usize)> {
    let count = grammar.places.len();
    let costs = &*grammar.costs(grammar.present(ids));
    let mut reads: Vec<Read> = Vec::new();
    // By the place that was read last (the start is the one after all): the cost, and that reading. Every way pays for
    // each segment; one that explains it gets that back.
    let mut best: Vec<Option<(i64, Option<usize>)>> = vec![None; count + 1];
    if let Some(start) = best.last_mut() {
        *start = Some((0, None));
    }
    let mut found = Vec::new();
    for (segment, &id) in ids.iter().enumerate() {
        let unexplained = if grammar.opens(id) { UNEXPLAINED_OPENER } else { UNEXPLAINED };
        found.extend(
            each(grammar.places_of(id)).filter_map(|place| cheapest(&best, costs, place).map(|way| (place, way))),
        );
        for (place, (cost, before)) in found.drain(..) {
            let cost = cost - unexplained;
            if let Some(way) = best.get_mut(place)
                && way.is_none_or(|(other, _)| cost < other)
            {
                reads.push(Read { segment, place, before });
                *way = Some((cost, Some(reads.len() - 1)));
            }
        }
    }
    let mut last = cheapest(&best, costs, count).and_then(|(_, read)| read);
    let mut reading = Vec::new();
    while let Some(read) = last.and_then(|at| reads.get(at)) {
        reading.push((read.segment, read.place));
        last = read.before;
    }
    reading.reverse();
    reading
}

/// The cheapest way to a place (the end is the one after all), and the reading it comes from.
fn cheapest(best: &[Option<(i64, Option<usize>)>], costs: &Costs, to: usize) -> Option<(i64, Option<usize>)> {
    let mut cheapest: Option<(i64, Option<usize>)> = None;
    for (from, way) in best.iter().enumerate() {
        let Some((cost, read)) = *way else { continue };
        let Some(&missing) = costs.from(from).get(to).filter(|&&missing| missing != Costs::NEVER) else { continue };
        let cost = cost + MISSING * i64::from(missing);
        // Of equals the one that read its last segment earlier, so that the later of two is blamed.
        if cheapest.is_none_or(|other| (cost, read) < other) {
            cheapest = Some((cost, read));
        }
    }
    cheapest
}

struct Reported<'g> {
    grammar: &'g Grammar,
    misfits: Vec<Misfit>,
    repetitions: Vec<u32>,
}

impl<'g> Reported<'g> {
    fn of(grammar: &'g Grammar, ids: &[[u8; 3]], reading: &[(usize, usize)]) -> Self {
        let present = grammar.present(ids);
        let mut reported = Self { grammar, misfits: Vec::new(), repetitions: vec![0; grammar.groups.len()] };
        let mut known: HashMap<_, Rc<[Step]>> = HashMap::new();
        let mut before: Option<usize> = None;
        let mut segment = 0;
        let end = (ids.len(), None);
        for (at, place) in reading.iter().map(|&(at, place)| (at, Some(place))).chain([end]) {
            for unexplained in segment..at {
                reported.unexplained(unexplained, ids, before, (at < ids.len()).then_some(at));
            }
            let steps = known.entry((before, place)).or_insert_with(|| grammar.steps(before, place, present).into());
            reported.pass(&steps.clone(), at);
            segment = at + 1;
            before = place;
        }
        reported
    }

    fn unexplained(&mut self, at: usize, ids: &[[u8; 3]], before: Option<usize>, next: Option<usize>) {
        let id = ids.get(at).copied().unwrap_or_default();
        let last = before.and_then(|place| self.grammar.places.get(place));
        let fault = if self.grammar.places_of(id) == 0 {
            Fault::NotInStructure
        } else if last.is_some_and(|place| place.id.as_bytes() == id) {
            Fault::TooMany
        } else {
            Fault::OutOfOrder
        };
        let instead = before.map_or(self.grammar.first, |place| self.grammar.follow.get(place).copied().unwrap_or(0));
        let groups = before.map(|place| self.grammar.groups_of(place)).unwrap_or_default();
        let belongs_before = before.filter(|&place| {
            let head = self.grammar.head(place);
            let mut of_group = ids.get(..at).unwrap_or_default().iter().rev().take_while(|other| Some(**other) != head);
            fault == Fault::OutOfOrder && self.grammar.belongs_before(id, place) && of_group.all(|other| *other != id)
        });
        self.misfits.push(Misfit { fault, at, groups: self.counted(groups), instead, next, belongs_before });
    }

    fn pass(&mut self, steps: &[Step], at: usize) {
        for &step in steps {
            let (fault, groups) = match step {
                Step::Free => continue,
                Step::Enter(group) => {
                    self.count(group, |_| 1);
                    continue;
                }
                Step::Again(group) => {
                    self.count(group, |repetition| repetition.saturating_add(1));
                    continue;
                }
                Step::WithoutPlace(place) => (Fault::MissingSegment(place), self.grammar.groups_of(place)),
                Step::WithoutGroup(group) => {
                    let parent = self.grammar.groups.get(group).and_then(|group| group.parent);
                    (Fault::MissingGroup(group), self.grammar.chain(parent))
                }
            };
            let groups = self.counted(groups);
            self.misfits.push(Misfit { fault, at, groups, instead: 0, next: None, belongs_before: None });
        }
    }

    fn count(&mut self, group: usize, next: impl Fn(u32) -> u32) {
        if let Some(repetition) = self.repetitions.get_mut(group) {
            *repetition = next(*repetition);
        }
    }

    fn counted(&self, groups: Vec<usize>) -> Vec<(usize, u32)> {
        let repetition = |group: usize| self.repetitions.get(group).copied().unwrap_or(0).max(1);
        groups.into_iter().map(|group| (group, repetition(group))).collect()
    }
}
