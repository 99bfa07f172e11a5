//! The results of all candidates. Of `match: all`, those that passed and that no evidence shows are not held.

use std::collections::{BTreeMap, VecDeque};

use candor_json::Value;

use super::{Comparison, MOST_SOURCES};
use crate::evidence::{Entry, SourceRef, share};
use crate::field::FieldResult;
use crate::outcome::Share;

/// Evidence shows passed results from both ends in turn, so they are held from both. So many bytes of JSON are enough: the
/// default of `max_evidence`, and one result more, because the first is shown even if it does not fit.
const HELD: u64 = (8 << 20) + LONGEST;
/// The most bytes that a result counts.
const LONGEST: u64 = 2 << 10;
/// The fewest bytes of a passed result as JSON, with its comma.
const LEAST: u64 = 50;
/// The fewest bytes that the place of a result adds, and its span.
const PLACE: u64 = 24;
const SPAN: u64 = 13;

pub(super) struct Results<'a, C> {
    pub(super) judged: Vec<Comparison<'a, C>>,
    pub(super) entries: Vec<Entry>,
    pub(super) left_out: LeftOut,
    leaves_out: bool,
    /// The bytes of passed results among the first ones, with the least that the other end has.
    first: u64,
    /// The bytes of the shortest of them.
    shortest: u64,
    /// The entries of the last candidates, and the bytes of the passed ones, with the least that the first ones have.
    last: VecDeque<Vec<Entry>>,
    of_last: u64,
    /// How many of the first candidates have results that quote them.
    quoted: usize,
    /// True if a candidate is held that has everything, so that none is closer.
    has_closest: bool,
}

/// Passed results that are not held.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) results: usize,
    /// How many candidates there are of each weight.
    pub(super) weights: BTreeMap<Share, u64>,
}

impl LeftOut {
    fn add(&mut self, entries: &[Entry]) {
        self.results += entries.len();
        *self.weights.entry(entries.iter().map(Entry::weight).sum()).or_default() += 1;
    }

    pub(super) fn weight(&self) -> Share {
        self.weights.iter().map(|(weight, number)| weight.times_number(*number)).sum()
    }
}

impl<'a, C> Results<'a, C> {
    pub(super) fn new(candidates: usize, leaves_out: bool) -> Self {
        Self {
            judged: Vec::with_capacity(candidates),
            entries: Vec::new(),
            left_out: LeftOut::default(),
            leaves_out,
            first: 0,
            shortest: LONGEST,
            last: VecDeque::new(),
            of_last: 0,
            quoted: 0,
            has_closest: false,
        }
    }

    /// Adds a candidate whose entries are the last ones.
    pub(super) fn add(&mut self, judged: Comparison<'a, C>) {
        let own = self.entries.get(judged.entries.clone()).unwrap_or_default();
        if self.leaves_out && (self.first <= HELD || self.judged.len() < MOST_SOURCES) {
            self.first += bytes(own, LEAST);
            self.shortest = sizes(own).fold(self.shortest, u64::min);
            self.has_closest = self.has_closest || judged.satisfied() && share(own) == Share::one();
            let is_quoted = own.iter().any(|entry| quotes(entry, &judged.candidate.source));
            self.quoted += usize::from(is_quoted && self.judged.len() < MOST_SOURCES);
        } else if self.leaves_out {
            self.of_last += bytes(own, self.shortest);
            self.last.push_back(self.entries.split_off(judged.entries.start));
        }
        self.judged.push(judged);
        while let Some(first) = self.last.front()
            && self.of_last - bytes(first, self.shortest) > HELD
        {
            self.settle(true);
        }
    }

    /// Holds the results of the last candidates too.
    pub(super) fn finish(&mut self) {
        while !self.last.is_empty() {
            self.settle(false);
        }
    }

    /// Holds the results of the first of the last candidates, or leaves them out.
    fn settle(&mut self, may_leave_out: bool) {
        let at = self.judged.len() - self.last.len();
        let (Some(own), Some(judged)) = (self.last.pop_front(), self.judged.get_mut(at)) else { return };
        self.of_last -= bytes(&own, self.shortest);
        judged.entries.start = self.entries.len();
        let is_quoted = self.quoted == MOST_SOURCES || own.iter().all(|entry| place(entry).is_none());
        if may_leave_out && judged.satisfied() && !judged.keeps_results() && self.has_closest && is_quoted {
            self.left_out.add(&own);
            judged.is_left_out = true;
        } else {
            self.has_closest = self.has_closest || judged.satisfied() && share(&own) == Share::one();
            self.entries.extend(own);
        }
        judged.entries.end = self.entries.len();
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

/// The sum of [`sizes`], each with `beside`.
fn bytes(entries: &[Entry], beside: u64) -> u64 {
    sizes(entries).map(|size| size + beside).sum()
}

/// Of each passed result a number of bytes that its JSON does not go below.
fn sizes(entries: &[Entry]) -> impl Iterator<Item = u64> {
    entries.iter().filter(|entry| entry.passed()).map(|entry| {
        let Entry::Field(field) = entry else { return 0 };
        let text = |value: &Value| value.as_str().map_or(0, |text| text.len() as u64);
        let digits = |number: u64| u64::from(number.checked_ilog10().unwrap_or_default());
        let place = place(entry).map_or(0, |(locator, span)| {
            PLACE + locator.len() as u64 + span.map_or(0, |(from, to)| SPAN + digits(from) + digits(to))
        });
        (LEAST + field.path.len() as u64 + text(&field.expected) + text(&field.actual) + place).min(LONGEST)
    })
}
