//! The items of a group while they are examined one after the other: what is kept does not grow with their number.

use super::{Closeness, Judged, MOST_SHOWN, State, Thing};
use crate::field::{FieldReason, FieldResult, Quantifier};
use crate::records::described;

/// The most fields that a sentence names.
const MOST_NAMED: usize = 3;

pub(super) struct OfItem<'f, P, N> {
    pub(super) judged: Judged<'f, P, N>,
    place: String,
    closeness: Closeness,
    fails: bool,
}

pub(super) struct Tally<'f, P, N> {
    matching: Quantifier,
    /// How many `where` selects for certain.
    pub(super) selected: u64,
    pub(super) may_be_selected: u64,
    pub(super) satisfied: u64,
    /// How many of them plainly do not.
    pub(super) failing: u64,
    /// True if one fails for nothing but that its values cannot be compared.
    pub(super) mismatched: bool,
    /// The first that satisfies the fields, or the one that came closest.
    pub(super) best: Option<OfItem<'f, P, N>>,
    /// The second that satisfies them.
    pub(super) second: Option<OfItem<'f, P, N>>,
    /// The first that may be one that satisfies them.
    pub(super) undecided: Option<OfItem<'f, P, N>>,
    /// The items that are reported under `match: all`.
    pub(super) shown: Vec<OfItem<'f, P, N>>,
    /// Of those that `where` leaves out, the one that came closest.
    pub(super) near: Option<OfItem<'f, P, N>>,
    /// The notes on items of which nothing but their number is asserted.
    pub(super) notes: Vec<super::Noted<'f, P, N>>,
    /// The first that satisfy the fields, as people know them.
    named: Vec<String>,
}

impl<'f, P, N> Tally<'f, P, N> {
    pub(super) fn new(matching: Quantifier) -> Self {
        Self {
            matching,
            selected: 0,
            may_be_selected: 0,
            satisfied: 0,
            failing: 0,
            mismatched: false,
            best: None,
            second: None,
            undecided: None,
            shown: Vec::new(),
            near: None,
            notes: Vec::new(),
            named: Vec::new(),
        }
    }

    pub(super) fn number(&mut self, selected: State) {
        match selected {
            State::Holds => self.selected += 1,
            State::Fails => {}
            State::Undecidable | State::Vague => self.may_be_selected += 1,
        }
    }

    /// Returns `true` if no further item can change the outcome or what is reported.
    pub(super) fn is_settled(&self) -> bool {
        match self.matching {
            Quantifier::Any => self.satisfied > 0,
            // Their number is printed.
            Quantifier::None | Quantifier::ExactlyOne | Quantifier::All => false,
        }
    }

    pub(super) fn left_out<T: Thing<P>>(&mut self, item: &T, judged: Judged<'f, P, N>) {
        if self.selected + self.may_be_selected > 0 {
            self.near = None;
            return;
        }
        let closeness = Closeness::of(&judged.results);
        if self.near.as_ref().is_none_or(|near| closeness.compare(&near.closeness).is_gt()) {
            self.near = Some(OfItem { judged, place: item.place(), closeness, fails: true });
        }
    }

    pub(super) fn noted(&mut self, conditions: Judged<'f, P, N>) {
        self.notes.extend(conditions.notes);
    }

    pub(super) fn compared<T: Thing<P>>(
        &mut self,
        item: &T,
        selected: State,
        conditions: Judged<'f, P, N>,
        fields: Judged<'f, P, N>,
    ) {
        let state = fields.state();
        let holds = selected == State::Holds && state == State::Holds;
        let all = self.matching == Quantifier::All;
        // An item that may not be meant fails nothing, and one that plainly differs satisfies nothing.
        let fails = if all { selected == State::Holds && state == State::Fails } else { state == State::Fails };
        let harmless = all && state == State::Holds;
        let closeness = Closeness::of(&fields.results);
        let differs = |result: &FieldResult| {
            !result.passed && !result.is_undecidable() && result.reason != Some(FieldReason::TypeMismatch)
        };
        self.mismatched |= state == State::Fails && !fields.results.iter().any(differs);
        let judged = || {
            let mut judged = fields;
            if all && selected != State::Holds {
                judged.results.retain(|result| result.passed || result.is_undecidable());
            }
            // That it is not known to be meant is a part of what is not known.
            let open = conditions.results.into_iter().filter(|result| !result.passed && !harmless);
            judged.results.extend(open);
            judged.notes.extend(conditions.notes);
            judged
        };
        self.satisfied += u64::from(holds);
        if holds && !all && self.named.len() < MOST_NAMED {
            let (place, name) = (item.place(), item.name());
            self.named.push(name.map_or(place.clone(), |name| format!("{place} ({name})")));
        }
        self.failing += u64::from(fails);
        if all {
            if self.shown.len() < MOST_SHOWN || !(holds || harmless) {
                let kept = OfItem { judged: judged(), place: item.place(), closeness, fails };
                if self.shown.len() >= MOST_SHOWN {
                    let replaced = self.shown.iter().rposition(|one| one.judged.passed());
                    let replaced = replaced.or_else(|| self.shown.iter().rposition(|one| fails && !one.fails));
                    if let Some(one) = replaced.and_then(|at| self.shown.get_mut(at)) {
                        *one = kept;
                    }
                } else {
                    self.shown.push(kept);
                }
            }
            return;
        }
        let kept = |judged| OfItem { judged, place: item.place(), closeness: closeness.clone(), fails };
        match (holds, fails) {
            (true, _) if self.satisfied == 1 => self.best = Some(kept(judged())),
            (true, _) if self.satisfied == 2 => self.second = Some(kept(judged())),
            (true, _) => {}
            (false, true) => {
                let closer = |best: &OfItem<'f, P, N>| closeness.compare(&best.closeness).is_gt();
                if self.satisfied == 0 && self.best.as_ref().is_none_or(closer) {
                    self.best = Some(kept(judged()));
                }
            }
            // What is vague may count as failed, so that another doubt comes first.
            (false, false) => {
                let vague = |one: &OfItem<'f, P, N>| one.judged.state() == State::Vague;
                let one = kept(judged());
                if self.undecided.as_ref().is_none_or(|known| vague(known) && !vague(&one)) {
                    self.undecided = Some(one);
                }
            }
        }
    }

    pub(super) fn unwanted(&self) -> Option<String> {
        let more = self.satisfied.saturating_sub(self.named.len() as u64);
        let (first, last) = self.named.split_last().map(|(last, first)| (first.join(", "), last))?;
        let names = match (first.is_empty(), more) {
            (true, 0) => last.clone(),
            (false, 0) => format!("{first} and {last}"),
            (_, more) => format!("{} and {more} more", self.named.join(", ")),
        };
        Some(format!("What must not be there is {names}."))
    }

    pub(super) fn explained(&self, all: usize, place: &str) -> Option<String> {
        let shown =
            || self.shown.iter().find(|one| one.fails).or_else(|| self.shown.iter().find(|one| !one.judged.passed()));
        let one = match self.matching {
            Quantifier::All => shown()?,
            _ => self.undecided.as_ref().or(self.best.as_ref())?,
        };
        if all < 2 {
            return None;
        }
        let differing: Vec<&str> =
            one.judged.results.iter().filter(|result| !result.passed).map(|result| result.path.as_str()).collect();
        let named = listed(&differing);
        let verb = match (one.fails, differing.len()) {
            (true, 1) => "differs",
            (true, _) => "differ",
            (false, 1) => "is undecided",
            (false, _) => "are undecided",
        };
        Some(match self.matching {
            Quantifier::All if self.failing > 0 => {
                let fail = if self.failing == 1 { "fails" } else { "fail" };
                format!("{} of the {all} items at `{place}` {fail}: {named} {verb}.", self.failing)
            }
            Quantifier::All => format!("Of the {all} items at `{place}`, none fails for certain: {named} {verb}."),
            _ => format!("Of the {all} items at `{place}`, {} came closest: {named} {verb}.", one.place),
        })
    }
}

impl<P, N> OfItem<'_, P, N> {
    /// Says that `where` leaves out every item, and why the one that came closest.
    pub(super) fn why_none(&self, all: usize, place: &str) -> Option<String> {
        let first = self.judged.results.iter().find(|result| !result.passed)?;
        let why = described(first);
        Some(match all {
            1 => format!("`where` leaves out the 1 item at `{place}`: {why}."),
            all => format!("`where` leaves out all {all} items at `{place}`; {} came closest: {why}.", self.place),
        })
    }
}

fn listed(names: &[&str]) -> String {
    let shown = names.get(..MOST_NAMED.min(names.len())).unwrap_or_default().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
