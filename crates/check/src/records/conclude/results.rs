//! The results of all candidates. Of `match: all`, those that no evidence shows are not held.

use std::collections::{BTreeMap, VecDeque};

use candor_json::Value;

use super::{Class, Comparison, MOST_SOURCES};
use crate::evidence::{Entry, SourceRef, Weights, share_with};
use crate::field::FieldResult;
use crate::outcome::Share;
use crate::records::clauses::NAMED;

/// Evidence shows results from both ends in turn, first those that did not pass, so both kinds are held from both ends. So
/// many bytes of JSON are enough: the default of `max_evidence`, and one result more, because the first is shown even if it
/// does not fit.
const HELD: u64 = (8 << 20) + LONGEST;
/// The most bytes that a result counts.
const LONGEST: u64 = 2 << 10;
/// The fewest bytes of a result as JSON, with its comma.
const LEAST: u64 = 50;
/// The fewest bytes that the place of a result adds, and its span.
const PLACE: u64 = 24;
const SPAN: u64 = 13;

pub(super) struct Results<'a, C> {
    /// The candidates. Of `match: all`, those that more is concluded from than their number and weights.
    judged: Vec<Comparison<'a, C>>,
    /// The results that are held, each with its number among all.
    held: Vec<(usize, Entry)>,
    number: usize,
    leaves_out: bool,
    passed: BothEnds,
    failed: BothEnds,
    left_out: LeftOut,
    classes: BTreeMap<Class, usize>,
    /// The highest share of a candidate.
    best: Share,
    /// How many of the first candidates have results that quote them.
    quoted: usize,
}

/// The results of one kind from both ends.
struct BothEnds {
    /// The bytes of the first ones, with the least that the other end has.
    first: u64,
    /// The bytes of the shortest of them.
    shortest: u64,
    /// The last ones with their numbers, and their bytes, with the least that the first ones have.
    last: VecDeque<(usize, Box<Entry>)>,
    of_last: u64,
}

impl Default for BothEnds {
    fn default() -> Self {
        Self { first: 0, shortest: LONGEST, last: VecDeque::new(), of_last: 0 }
    }
}

/// Candidates and results that are not held.
#[derive(Default)]
pub(super) struct LeftOut {
    classes: BTreeMap<Class, u64>,
    /// How many candidates there are of each weight.
    pub(super) candidates: BTreeMap<Weights, u64>,
    /// How many results there are: passed or not, and of which weight.
    results: BTreeMap<(bool, Share), usize>,
}

impl LeftOut {
    /// The number of candidates for which `are` is true. It gets whether one is ignored, and its unsafe match as a [`Class`]
    /// has it.
    pub(super) fn number(&self, are: impl Fn(bool, Option<bool>) -> bool) -> u64 {
        let those = self.classes.iter().filter(|((_, found, [is_ignored, ..]), _)| are(*is_ignored, *found));
        those.map(|(_, number)| number).sum()
    }

    pub(super) fn results(&self, passed: bool) -> usize {
        self.of(passed).map(|(_, number)| number).sum()
    }

    pub(super) fn weights(&self) -> Weights {
        let times = |(weight, number): (&Share, usize)| weight.times_number(number as u64);
        let sum = |passed| -> Share { self.of(passed).map(times).sum() };
        Weights { passed: sum(true), failed: sum(false) }
    }

    fn of(&self, passed: bool) -> impl Iterator<Item = (&Share, usize)> {
        self.results.iter().filter(move |((own, _), _)| *own == passed).map(|((_, weight), number)| (weight, *number))
    }
}

impl<'a, C> Results<'a, C> {
    pub(super) fn new(candidates: usize, leaves_out: bool) -> Self {
        Self {
            judged: Vec::with_capacity(if leaves_out { MOST_SOURCES } else { candidates }),
            held: Vec::new(),
            number: 0,
            leaves_out,
            passed: BothEnds::default(),
            failed: BothEnds::default(),
            left_out: LeftOut::default(),
            classes: BTreeMap::new(),
            best: Share::zero(),
            quoted: 0,
        }
    }

    /// Adds a candidate and its results.
    pub(super) fn add(&mut self, mut judged: Comparison<'a, C>, own: Vec<Entry>) {
        let numbers = self.number..self.number + own.len();
        self.number = numbers.end;
        let is_held = !self.leaves_out || self.is_held(&judged, &own);
        numbers.clone().zip(own).for_each(|(number, entry)| self.add_result(number, entry, is_held));
        if is_held {
            judged.entries = numbers;
            self.judged.push(judged);
        }
    }

    /// Decides if a candidate is held with all its results, or counted: the first ones are held, the first of a class, and
    /// one that is closer than those before it.
    fn is_held(&mut self, judged: &Comparison<'a, C>, own: &[Entry]) -> bool {
        let is_first = self.judged.len() < MOST_SOURCES;
        self.quoted += usize::from(is_first && own.iter().any(|entry| quotes(entry, &judged.candidate.source)));
        let class = judged.class(own);
        let of_class = self.classes.entry(class).or_default();
        *of_class += 1;
        let is_held = is_first || *of_class <= NAMED || judged.keeps_results();
        let weights = Weights::of(own);
        // Another one of these weights had this share.
        let share = if self.left_out.candidates.contains_key(&weights) {
            Share::zero()
        } else {
            share_with(std::iter::empty(), &weights)
        };
        let is_closer = share > self.best;
        if is_closer {
            self.best = share;
        }
        if !is_held && !is_closer {
            *self.left_out.classes.entry(class).or_default() += 1;
            *self.left_out.candidates.entry(weights).or_default() += 1;
        }
        is_held || is_closer
    }

    /// Holds a result if evidence may show it, and leaves out those that it can show no more.
    fn add_result(&mut self, number: usize, entry: Entry, is_held: bool) {
        let ends = if entry.passed() { &mut self.passed } else { &mut self.failed };
        let is_first = ends.first <= HELD;
        if is_first {
            let size = size(&entry);
            ends.first += size + LEAST;
            ends.shortest = ends.shortest.min(size);
        }
        if is_first || is_held {
            self.held.push((number, entry));
            return;
        }
        ends.of_last += size(&entry) + ends.shortest;
        ends.last.push_back((number, Box::new(entry)));
        while let Some((_, first)) = ends.last.front() {
            let others = ends.of_last - size(first) - ends.shortest;
            if others <= HELD {
                break;
            }
            ends.of_last = others;
            let Some((number, first)) = ends.last.pop_front() else { break };
            if self.quoted == MOST_SOURCES || place(&first).is_none() {
                *self.left_out.results.entry((first.passed(), first.weight())).or_default() += 1;
            } else {
                self.held.push((number, *first));
            }
        }
    }

    /// The candidates that are held, the results that are held, in order, and those that are not.
    pub(super) fn finish(self) -> (Vec<Comparison<'a, C>>, Vec<Entry>, LeftOut) {
        let Self { mut judged, mut held, passed, failed, left_out, .. } = self;
        for last in [passed.last, failed.last] {
            held.extend(last.into_iter().map(|(number, entry)| (number, *entry)));
        }
        held.sort_unstable_by_key(|(number, _)| *number);
        for one in &mut judged {
            let start = held.partition_point(|(number, _)| *number < one.entries.start);
            one.entries = start..start + one.entries.len();
        }
        (judged, held.into_iter().map(|(_, entry)| entry).collect(), left_out)
    }
}

fn place(entry: &Entry) -> Option<(&str, Option<(u64, u64)>)> {
    match entry {
        Entry::Field(FieldResult { source: Some(place), .. }) => Some((place.locator.as_str(), place.span)),
        _ => None,
    }
}

fn quotes(entry: &Entry, source: &SourceRef) -> bool {
    place(entry).is_some_and(|(locator, span)| {
        let within = match (source.span, span) {
            (Some((start, end)), Some((from, to))) => start <= from && to <= end,
            _ => true,
        };
        within && locator == source.locator.as_str()
    })
}

/// A number of bytes that the JSON of a result does not go below.
fn size(entry: &Entry) -> u64 {
    let Entry::Field(field) = entry else { return 0 };
    let text = |value: &Value| value.as_str().map_or(0, |text| text.len() as u64);
    let digits = |number: u64| u64::from(number.checked_ilog10().unwrap_or_default());
    let place = place(entry).map_or(0, |(locator, span)| {
        PLACE + locator.len() as u64 + span.map_or(0, |(from, to)| SPAN + digits(from) + digits(to))
    });
    (LEAST + field.path.len() as u64 + text(&field.expected) + text(&field.actual) + place).min(LONGEST)
}
