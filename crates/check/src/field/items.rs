//! Item groups over data: one evaluator for everything that has items and values.

mod judged;
mod tally;

use std::cell::Cell;

use candor_json::{Value, json};

use self::judged::{Closeness, State};
pub use self::judged::{Judged, Noted};
use self::tally::Tally;
use super::{Field, FieldEntry, FieldReason, FieldResult, ItemGroup, Location, Quantifier};
use crate::compare::Operator;
use crate::settings::Cardinality;
use crate::work::cancelled;

/// The most fields of items that are compared in one candidate. What lies beyond stays undecided.
const MOST_COMPARISONS: u64 = 5_000_000;
/// The most items of which evidence holds the results, under `match: all`.
const MOST_SHOWN: usize = 20;

/// Something that has items and values: a resource, a row, a message, and each of their items.
pub trait Thing<P>: Sized {
    /// Data that the check keeps of a comparison in addition to its result, such as the values that were read.
    type Note;

    /// The items that a group selects, in order.
    fn items(&self, group: &ItemGroup<P>) -> Items<Self>;

    /// Judges a field. The path of the result is the field's own place in the candidate.
    fn judge(&self, field: &Field<P>) -> (FieldResult, Self::Note);

    /// A field that reads the items of a group of which nothing but their number is asserted.
    fn counted<'f>(&self, _group: &'f ItemGroup<P>) -> Option<&'f Field<P>> {
        None
    }

    /// Its own place in the candidate, as results name it: `dosageInstruction.0`.
    fn place(&self) -> String;

    /// Where it is in the source.
    fn source(&self) -> Location;

    /// The name that people use for the item, if it has one: `TRN02 C2`.
    fn name(&self) -> Option<String> {
        None
    }
}

/// The items that a group selects.
#[derive(Clone, Debug)]
pub struct Items<T> {
    /// The items.
    pub items: Vec<T>,
    /// Their name together, for results about their number: `dosageInstruction`.
    pub place: String,
    /// True if there may be items that could not be read, or the selection could not be made: only what holds for every
    /// possible item is then decided.
    pub open: bool,
}

/// Judges the entries of a list of fields over one candidate.
pub fn judge_entries<'f, P, T: Thing<P>>(entries: &'f [FieldEntry<P>], thing: &T) -> Vec<Judged<'f, P, T::Note>> {
    let evaluator = Evaluator { left: Cell::new(MOST_COMPARISONS) };
    evaluator.list(entries, thing)
}

struct Evaluator {
    /// How many comparisons may still be made.
    left: Cell<u64>,
}

impl Evaluator {
    fn list<'f, P, T: Thing<P>>(&self, entries: &'f [FieldEntry<P>], thing: &T) -> Vec<Judged<'f, P, T::Note>> {
        entries.iter().map(|entry| self.entry(entry, thing)).collect()
    }

    fn entry<'f, P, T: Thing<P>>(&self, entry: &'f FieldEntry<P>, thing: &T) -> Judged<'f, P, T::Note> {
        match entry {
            FieldEntry::Group(group) => self.group(group, thing),
            FieldEntry::OneOf(one) => {
                let all = one.lists.iter().map(|list| Judged::all(self.list(list, thing)));
                closest(all.collect()).weighing(&one.weight)
            }
            FieldEntry::Field(field) => {
                self.left.set(self.left.get().saturating_sub(1));
                let (result, note) = thing.judge(field);
                let notes = vec![Noted { field, passed: result.passed, note }];
                Judged { results: vec![result], notes, explained: None }
            }
        }
    }

    fn group<'f, P, T: Thing<P>>(&self, group: &'f ItemGroup<P>, thing: &T) -> Judged<'f, P, T::Note> {
        let Items { items, place, mut open } = thing.items(group);
        let compares = !group.fields.is_empty() && !group.expects_none();
        let mut tally = Tally::new(group.matching);
        for item in &items {
            if self.left.get() == 0 || cancelled() {
                open = true;
                break;
            }
            let conditions = Judged::all(self.list(&group.conditions, item));
            let selected = conditions.state();
            tally.number(selected);
            if selected == State::Fails {
                tally.left_out(item, conditions);
                continue;
            }
            if compares {
                let fields = Judged::all(self.list(&group.fields, item));
                tally.compared(item, selected, conditions, fields);
                if group.count.is_none() && tally.is_settled() {
                    break;
                }
            } else {
                tally.noted(conditions);
            }
        }
        if let Some(field) = thing.counted(group).filter(|_| !compares && group.conditions.is_empty()) {
            let (result, note) = thing.judge(field);
            tally.notes.push(Noted { field, passed: result.passed, note });
        }
        let concluding = Concluding { group, thing, place, open, all: items.len(), compares };
        concluding.conclude(tally)
    }
}

/// Of several lists one that holds, else one that may hold, else the one that comes closest.
fn closest<P, N>(mut all: Vec<Judged<'_, P, N>>) -> Judged<'_, P, N> {
    let of = |wanted: &dyn Fn(State) -> bool, all: &[Judged<'_, P, N>]| all.iter().position(|one| wanted(one.state()));
    let certain = of(&|state| state == State::Holds, &all);
    let at = certain.or_else(|| of(&|state| state != State::Fails, &all)).unwrap_or_else(|| {
        let shares: Vec<Closeness> = all.iter().map(|one| Closeness::of(&one.results)).collect();
        let better = |best: usize, next: usize| match shares.get(next).zip(shares.get(best)) {
            Some((next_share, best_share)) if next_share.compare(best_share).is_gt() => next,
            _ => best,
        };
        (0..all.len()).reduce(better).unwrap_or_default()
    });
    if at < all.len() { all.swap_remove(at) } else { Judged::all(all) }
}

struct Concluding<'f, 't, P, T> {
    group: &'f ItemGroup<P>,
    thing: &'t T,
    place: String,
    open: bool,
    all: usize,
    compares: bool,
}

impl<'f, P, T: Thing<P>> Concluding<'f, '_, P, T> {
    fn conclude(&self, tally: Tally<'f, P, T::Note>) -> Judged<'f, P, T::Note> {
        let group = self.group;
        let (least, most) = (tally.selected, (!self.open).then_some(tally.selected + tally.may_be_selected));
        let mut results: Vec<FieldResult> =
            group.count.map(|count| self.count(count, least, most)).into_iter().collect();
        let counts = results.iter().all(|result| result.passed);
        let nothing = most == Some(0);
        let (notes, explained) = if !self.compares || nothing {
            // That there must be none is all that is asserted of them; else there must be one.
            if group.count.is_none() || self.compares && counts {
                results.push(self.existence(least, most));
            }
            match group.expects_none() {
                true => (Vec::new(), None),
                false => {
                    (tally.notes, tally.near.filter(|_| nothing).and_then(|near| near.why_none(self.all, &self.place)))
                }
            }
        } else {
            let shown = self.matching(tally);
            results.extend(shown.results);
            (shown.notes, shown.explained)
        };
        let judged = Judged { results, notes, explained };
        judged.weighing(&group.weight)
    }

    fn matching(&self, tally: Tally<'f, P, T::Note>) -> Judged<'f, P, T::Note> {
        let (satisfied, certain) = (tally.satisfied, tally.selected > 0);
        match self.group.matching {
            Quantifier::All => {
                let open = self.open || !certain;
                let failing = tally.failing > 0;
                let explained = tally.explained(self.all, &self.place);
                let mut judged = Judged::all(tally.shown.into_iter().map(|item| item.judged.weighing_one()).collect());
                if open && !failing {
                    judged.results.push(self.undecided());
                }
                Judged { explained, ..judged }
            }
            Quantifier::None => {
                let explained = tally.unwanted();
                let matches = self.matches(json!(0), satisfied, satisfied == 0);
                // What could not be compared was not seen to be otherwise.
                let matches = match satisfied == 0 && tally.mismatched {
                    true => FieldResult { passed: false, ..matches }.because(FieldReason::TypeMismatch),
                    false => matches,
                };
                let is_open =
                    satisfied == 0 && !tally.mismatched && (self.open || tally.undecided.is_some() || !certain);
                let matches = if is_open {
                    FieldResult { passed: false, ..matches }.because(FieldReason::Undecidable)
                } else {
                    matches
                };
                let mut results = vec![matches];
                // What must not be there is quoted, and weighs nothing more.
                results.extend(
                    tally
                        .best
                        .filter(|_| satisfied > 0)
                        .into_iter()
                        .flat_map(|item| item.judged.without_weight().results),
                );
                Judged { results, notes: Vec::new(), explained }
            }
            Quantifier::ExactlyOne if satisfied > 1 => {
                let matches = self.matches(json!(1), satisfied, false).because(FieldReason::AmbiguousMatch);
                let both = [tally.best, tally.second].into_iter().flatten().map(|item| item.judged.without_weight());
                let both = Judged::all(both.collect());
                let results = std::iter::once(matches).chain(both.results).collect();
                Judged { results, notes: both.notes, explained: None }
            }
            Quantifier::Any | Quantifier::ExactlyOne => {
                let one = self.group.matching == Quantifier::ExactlyOne;
                let open = self.open && (one || satisfied == 0);
                let explained = if satisfied == 0 { tally.explained(self.all, &self.place) } else { None };
                // One that may satisfy keeps it from being known that none does, or that no other does.
                let reported = if satisfied > 0 && !one { tally.best } else { tally.undecided.or(tally.best) };
                let Some(reported) = reported else {
                    return Judged { results: vec![self.undecided()], notes: Vec::new(), explained: None };
                };
                if open {
                    // What was compared decides nothing while others may be there.
                    return Judged { results: vec![self.undecided()], notes: reported.judged.notes, explained };
                }
                Judged { explained, ..reported.judged }
            }
        }
    }

    fn number(&self, name: &str, expected: Value, actual: u64, passed: bool) -> FieldResult {
        FieldResult::constraint(format!("{}.{name}", self.place), expected, json!(actual), passed)
            .with_operator(Operator::Count)
            .at(self.thing.source())
    }

    fn matches(&self, expected: Value, actual: u64, passed: bool) -> FieldResult {
        self.number("$matches", expected, actual, passed)
    }

    /// How many items there are, when that is asserted; `most` is open where there may be any number.
    fn count(&self, asked: Cardinality, least: u64, most: Option<u64>) -> FieldResult {
        let result = self.number("$count", asked.to_value(), least, false);
        match counted(asked, least, most) {
            State::Holds => FieldResult { passed: true, ..result },
            State::Fails => result.because(FieldReason::CountMismatch),
            State::Undecidable | State::Vague => result.because(FieldReason::Undecidable),
        }
    }

    fn existence(&self, least: u64, most: Option<u64>) -> FieldResult {
        let result = self.number("$count", Cardinality::SOME.to_value(), least, least > 0);
        match (least, most) {
            (1.., _) => result,
            (0, Some(0)) => result.because(FieldReason::Absent),
            (0, _) => result.because(FieldReason::Undecidable),
        }
    }

    fn undecided(&self) -> FieldResult {
        FieldResult { actual: Value::Null, ..self.existence(0, None) }
    }
}

fn counted(asked: Cardinality, least: u64, most: Option<u64>) -> State {
    let most = most.unwrap_or(u64::MAX);
    let too_many = asked.reached_by(least) && !asked.allows(least);
    match (asked.allows(least) && asked.allows(most), too_many || !asked.reached_by(most)) {
        (true, _) => State::Holds,
        (false, true) => State::Fails,
        (false, false) => State::Undecidable,
    }
}
