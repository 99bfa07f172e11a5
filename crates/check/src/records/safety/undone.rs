//! Records that undo earlier ones, and records that make that undone: found by their keys, in the order in which things
//! happened.

use std::collections::{BTreeSet, HashMap};

use candor_json::Value;
use serde::{Deserialize, Serialize};

use crate::field::Location;

/// The role of a record for the row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactRole {
    /// It undoes earlier records.
    Undoes,
    /// It is a record that later ones can undo.
    Undone,
    /// It makes earlier undoing undone.
    Restores,
}

/// A fact of a record that `observe` keeps for a row by which one record undoes another. A record may give several,
/// also for the same row: a remittance gives one for each claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The row: [`SafetyRow::name`](super::SafetyRow::name).
    pub row: String,
    /// The role of the record for it.
    pub role: FactRole,
    /// The record's position in the order in which things happened; nothing where that is not known.
    pub moment: Option<u64>,
    /// The values of the elements that both records must share; nothing where the record lacks one of them, or the row names
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// The values of the elements of which the first that both have decides.
    pub numbers: Vec<Option<String>>,
    /// The element that says so, as evidence names it.
    pub path: String,
    /// Its value.
    pub value: Value,
    /// Where it is.
    pub place: Location,
    /// A person's name for the record.
    pub label: String,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Undoing<'f> {
    pub(super) by: &'f Fact,
    pub(super) is_certain: bool,
}

type Present = u32;

type Group<'f> = (&'f str, FactRole, Option<&'f str>);

/// A group's facts that have these numbers, and those among them that have one of them.
type Numbered<'f> = (Group<'f>, Present, Option<(usize, &'f str)>);

/// The facts of all records that were read, whether a criterion selects them or not.
#[derive(Debug, Default)]
pub struct Facts<'f> {
    present: HashMap<Group<'f>, BTreeSet<Present>>,
    latest: HashMap<Numbered<'f>, &'f Fact>,
    earliest: HashMap<Numbered<'f>, &'f Fact>,
    /// The moments of a group's records in order, unknown ones first.
    moments: HashMap<Group<'f>, Vec<Option<u64>>>,
}

impl<'f> Facts<'f> {
    /// Facts, by their keys.
    #[must_use]
    pub fn new(facts: &'f [Fact]) -> Self {
        let mut index = Self::default();
        for fact in facts {
            let group = (fact.row.as_str(), fact.role, fact.within.as_deref());
            let present = present(fact);
            index.present.entry(group).or_default().insert(present);
            index.moments.entry(group).or_default().push(fact.moment);
            let numbers = fact.numbers.iter().enumerate().filter_map(|(at, number)| Some((at, number.as_deref()?)));
            for key in numbers.map(Some).chain([None]) {
                let latest = index.latest.entry((group, present, key)).or_insert(fact);
                if is_later(fact, latest) {
                    *latest = fact;
                }
                let earliest = index.earliest.entry((group, present, key)).or_insert(fact);
                if is_earlier(fact, earliest) {
                    *earliest = fact;
                }
            }
        }
        index.moments.values_mut().for_each(|moments| moments.sort_unstable());
        index
    }

    pub(super) fn undoing<'s>(&'s self, own: &'s Fact) -> Option<Undoing<'s>> {
        let later = |fact: &&'s Fact| match (fact.moment, own.moment) {
            (Some(fact), Some(own)) => fact > own,
            _ => true,
        };
        let (same, open) = Self::about(own, &self.latest, &self.present, FactRole::Undoes, is_later);
        let (by, is_known) = match (same.filter(later), open.filter(later)) {
            (Some(by), _) => (by, true),
            (None, by) => {
                // The only record that can be meant needs no number.
                let by = by?;
                (by, self.undoable(own, by) <= 1)
            }
        };
        let follows = |again: Option<&Fact>| again.is_some_and(|again| by.moment.is_some() && again.moment > by.moment);
        let (again, perhaps) = Self::about(own, &self.latest, &self.present, FactRole::Restores, is_later);
        if follows(again) {
            return None;
        }
        let is_timed = by.moment.is_some() && own.moment.is_some();
        Some(Undoing { by, is_certain: is_known && is_timed && !follows(perhaps) })
    }

    /// Says if a record undoes one that came before it, by its own fact: known to, or perhaps.
    pub(super) fn undoes_earlier<'s>(&'s self, own: &'s Fact) -> Option<bool> {
        let earlier = |fact: &&'s Fact| match (fact.moment, own.moment) {
            (Some(fact), Some(own)) => fact < own,
            _ => true,
        };
        let (same, open) = Self::about(own, &self.earliest, &self.present, FactRole::Undone, is_earlier);
        let (of, is_known) = match (same.filter(earlier), open.filter(earlier)) {
            (Some(of), _) => (of, true),
            (None, of) => (of?, self.undoable(own, own) <= 1),
        };
        Some(is_known && own.moment.is_some() && of.moment.is_some())
    }

    /// How many records of a record's group may have happened before the one that undoes them.
    fn undoable(&self, own: &Fact, by: &Fact) -> usize {
        let group = (own.row.as_str(), FactRole::Undone, own.within.as_deref());
        let moments = self.moments.get(&group).map(Vec::as_slice).unwrap_or_default();
        match by.moment {
            Some(moment) => moments.partition_point(|earlier| *earlier < Some(moment)),
            None => moments.len(),
        }
    }

    /// The first facts in that role by an order: one that has the same number, and one that has no number to compare.
    fn about<'s>(
        own: &'s Fact,
        by_number: &HashMap<Numbered<'s>, &'s Fact>,
        present_in: &HashMap<Group<'s>, BTreeSet<Present>>,
        role: FactRole,
        is_before: impl Fn(&Fact, &Fact) -> bool,
    ) -> (Option<&'s Fact>, Option<&'s Fact>) {
        let group = (own.row.as_str(), role, own.within.as_deref());
        let first = |so_far: Option<&'s Fact>, next: Option<&'s Fact>| match (so_far, next) {
            (Some(first), Some(next)) if is_before(next, first) => Some(next),
            (None, next) => next,
            (first, _) => first,
        };
        let (mut same, mut open) = (None, None);
        for &other in present_in.get(&group).into_iter().flatten() {
            let shared = other & present(own);
            if own.numbers.is_empty() {
                // The row has no numbers: what both are within is all that they must share.
                same = first(same, by_number.get(&(group, other, None)).copied());
            } else if shared == 0 && own.within.is_some() {
                open = first(open, by_number.get(&(group, other, None)).copied());
            } else if let Some(Some(number)) = own.numbers.get(shared.trailing_zeros() as usize) {
                let key = Some((shared.trailing_zeros() as usize, number.as_str()));
                same = first(same, by_number.get(&(group, other, key)).copied());
            }
        }
        (same, open)
    }
}

fn present(fact: &Fact) -> Present {
    let numbers = fact.numbers.iter().take(Present::BITS as usize).enumerate();
    numbers.fold(0, |bits, (at, number)| bits | (Present::from(number.is_some()) << at))
}

/// Returns `true` if a fact comes after another; one whose place in the order is not known may.
fn is_later(fact: &Fact, other: &Fact) -> bool {
    match (fact.moment, other.moment) {
        (Some(fact), Some(other)) => fact > other,
        (None, Some(_)) => true,
        (_, None) => false,
    }
}

/// Returns `true` if a fact comes before another; one whose place in the order is not known never does.
fn is_earlier(fact: &Fact, other: &Fact) -> bool {
    match (fact.moment, other.moment) {
        (Some(fact), Some(other)) => fact < other,
        (Some(_), None) => true,
        (None, _) => false,
    }
}
