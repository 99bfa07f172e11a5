//! The outcome of fields and groups over one item.

use std::cmp::Ordering;

use crate::evidence::Entry;
use crate::field::{Field, FieldResult};
use crate::outcome::Share;

/// The outcome of an entry of a list of fields.
#[derive(Debug)]
pub struct Judged<'f, P, N> {
    /// The results, of a group those of the item that is reported.
    pub results: Vec<FieldResult>,
    /// The notes on each comparison with an item that is reported, those of `where` included. Nothing of items that
    /// must not be there.
    pub notes: Vec<Noted<'f, P, N>>,
    /// Which item came closest, as a sentence.
    pub explained: Option<String>,
}

/// A note that the check kept of one comparison.
#[derive(Debug)]
pub struct Noted<'f, P, N> {
    /// The field.
    pub field: &'f Field<P>,
    /// True if it passed.
    pub passed: bool,
    /// The note that the check kept.
    pub note: N,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Holds,
    Fails,
    /// It may hold or not, and not because of how values are written alone.
    Undecidable,
    /// It may hold or not, for what is written is too vague.
    Vague,
}

impl<P, N> Judged<'_, P, N> {
    /// Returns `true` if everything passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.results.iter().all(|result| result.passed)
    }

    pub(super) fn state(&self) -> State {
        let mut state = State::Holds;
        for result in self.results.iter().filter(|result| !result.passed) {
            state = match state {
                _ if !result.is_undecidable() => return State::Fails,
                State::Holds | State::Vague if result.is_vague() => State::Vague,
                _ => State::Undecidable,
            };
        }
        state
    }

    pub(super) fn all(several: Vec<Self>) -> Self {
        let mut all = Self { results: Vec::new(), notes: Vec::new(), explained: None };
        for one in several {
            all.results.extend(one.results);
            all.notes.extend(one.notes);
            all.explained = all.explained.or(one.explained);
        }
        all
    }

    pub(super) fn weighing(mut self, weight: &Share) -> Self {
        let total: Share = self.results.iter().map(|result| result.weight.clone()).sum();
        for result in &mut self.results {
            result.weight = weight.times(&result.weight).out_of(&total);
        }
        self
    }

    pub(super) fn weighing_one(self) -> Self {
        self.weighing(&Share::one())
    }

    pub(super) fn without_weight(self) -> Self {
        self.weighing(&Share::zero())
    }
}

/// How close an item came: the share of what passed.
#[derive(Clone, Debug)]
pub(super) struct Closeness {
    passed: u64,
    all: u64,
    /// Where weights differ.
    share: Option<Share>,
}

impl Closeness {
    pub(super) fn of(results: &[FieldResult]) -> Self {
        let one = Share::one();
        let alike = results.iter().all(|result| result.weight == one);
        let share = || crate::evidence::share(&results.iter().cloned().map(Entry::Field).collect::<Vec<_>>());
        Self {
            passed: results.iter().filter(|result| result.passed).count() as u64,
            all: results.len() as u64,
            share: (!alike).then(share),
        }
    }

    fn share(&self) -> Share {
        self.share.clone().or_else(|| Share::of(self.passed, self.all)).unwrap_or_default()
    }

    /// Exact, and without fractions in the usual case that every field weighs the same.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (&self.share, &other.share) {
            (None, None) => (u128::from(self.passed) * u128::from(other.all))
                .cmp(&(u128::from(other.passed) * u128::from(self.all))),
            _ => self.share().cmp(&other.share()),
        }
    }
}
