//! Messages that cancel earlier ones: what `observe` keeps of every message that was sent, whether it is meant or not.

use std::collections::{HashMap, HashSet};

use candor_check::field::Location;
use candor_check::records::{Fact, FactRole, Moment, SafetyRow, Standing};
use candor_hl7v2::{Message, Segment};
use serde_json::json;

use super::identity::{Number, Numbers};
use super::{TABLE, reads, text_at};

#[derive(Debug, Default)]
pub(crate) struct Cancels {
    messages: Vec<Sent>,
    notes: Vec<Note>,
}

#[derive(Debug)]
struct Sent {
    stream: String,
    position: usize,
    moment: Option<Moment>,
    patient: Vec<Number>,
    place: Location,
    label: String,
    /// The candidate that it is, by index.
    candidate: Option<usize>,
}

#[derive(Debug)]
struct Note {
    row: &'static SafetyRow,
    role: FactRole,
    message: usize,
    path: String,
    value: String,
    numbers: Vec<Option<Number>>,
}

type Group = (String, Option<String>);

/// The path of ORC-1 of an order, counted from 0.
pub(super) fn order_path(order: usize) -> String {
    if order == 0 { "ORC.1".to_owned() } else { format!("ORC[{}].1", order + 1) }
}

fn role(row: &SafetyRow, value: &str) -> Option<FactRole> {
    let undoes = row.undoes.as_ref()?;
    let is = |condition: &candor_check::records::Condition| condition.values.hold_text(value);
    if row.values.hold_text(value) {
        Some(FactRole::Undoes)
    } else if is(&undoes.earlier) {
        Some(FactRole::Undone)
    } else {
        undoes.until.as_ref().filter(|until| is(until)).map(|_| FactRole::Restores)
    }
}

fn rows() -> impl Iterator<Item = &'static SafetyRow> {
    TABLE.rows().iter().filter(|row| row.undoes.is_some())
}

impl Cancels {
    /// Keeps what a message is to the rows; gives what that takes in memory.
    pub(crate) fn read(&mut self, message: &Message<'_>, place: &Location, label: &str, moment: Option<Moment>) -> u64 {
        let (before, sent) = (self.notes.len(), self.messages.len());
        let (kind, event) = (text_at("MSH.9.1", message), text_at("MSH.9.2", message));
        for row in rows() {
            let numbers = || row.undoes.iter().flat_map(|undoes| &undoes.numbers);
            match row.at.split_once('^') {
                Some((of, _)) => {
                    let value = event.as_deref().filter(|_| kind.as_deref() == Some(of));
                    if let Some((value, role)) = value.and_then(|value| Some((value.to_owned(), role(row, value)?))) {
                        let numbers = numbers().map(|element| Number::of(element, message)).collect();
                        self.notes.push(Note {
                            row,
                            role,
                            message: sent,
                            path: row.element.to_owned(),
                            value,
                            numbers,
                        });
                    }
                }
                None => {
                    let orders = message.segments().filter(|segment: &Segment<'_>| segment.id() == row.at.as_bytes());
                    for (order, segment) in orders.enumerate() {
                        let value = reads::value_in(row.element, segment);
                        let Some((value, role)) =
                            value.and_then(|value| Some((role(row, &value)?, value))).map(|(r, v)| (v, r))
                        else {
                            continue;
                        };
                        let numbers = numbers().map(|element| Number::in_segment(element, segment)).collect();
                        self.notes.push(Note { row, role, message: sent, path: order_path(order), value, numbers });
                    }
                }
            }
        }
        let new = self.notes.get(before..).unwrap_or_default();
        if new.is_empty() {
            return 0;
        }
        let numbers = new.iter().flat_map(|note| note.numbers.iter().flatten());
        let patient = Number::all("PID.3", message);
        let size = numbers.chain(&patient).map(Number::size).sum::<u64>() + 512 * new.len() as u64;
        self.messages.push(Sent {
            stream: place.locator.clone(),
            position: sent,
            moment,
            patient,
            place: place.clone(),
            label: label.to_owned(),
            candidate: None,
        });
        size
    }

    /// Says that the message that was read last is a candidate.
    pub(crate) fn is_candidate(&mut self, read: u64, index: usize) {
        if let Some(last) = self.messages.last_mut().filter(|_| read > 0) {
            last.candidate = Some(index);
        }
    }

    /// The facts that matter: of the rows and keys by which anything was cancelled. Each with the candidate that it is about.
    pub(crate) fn facts(self) -> Vec<(Option<usize>, Fact)> {
        let cancelling: HashSet<&str> =
            self.notes.iter().filter(|note| note.role == FactRole::Undoes).map(|note| note.row.at).collect();
        let notes: Vec<&Note> = self.notes.iter().filter(|note| cancelling.contains(note.row.at)).collect();
        let mut numbers = Numbers::default();
        let sent = |note: &Note| self.messages.get(note.message);
        for note in &notes {
            let patient = sent(note).into_iter().flat_map(|sent| &sent.patient);
            note.numbers.iter().flatten().chain(patient).for_each(|number| numbers.read(number));
        }
        for sent in notes.iter().filter_map(|note| sent(note)) {
            numbers.one_patient(&sent.patient);
        }
        let ranks = self.ranks();
        let mut facts: Vec<(usize, Option<usize>, Fact)> = Vec::new();
        for note in notes {
            let Some(sent) = sent(note) else { continue };
            let keys: Vec<Option<String>> =
                note.numbers.iter().map(|number| number.as_ref().map(|number| numbers.key(number))).collect();
            let fact = |within: Option<String>| Fact {
                row: note.row.name(),
                role: note.role,
                moment: ranks.get(note.message).copied().flatten(),
                within,
                numbers: keys.clone(),
                path: note.path.clone(),
                value: json!(note.value),
                place: sent.place.clone(),
                label: sent.label.clone(),
            };
            // A number of an order or an appointment says which one, whoever the patient is.
            let alone = note.row.undoes.as_ref().is_some_and(|undoes| undoes.within.is_empty());
            let alone_known = alone && keys.iter().any(Option::is_some);
            if alone_known {
                facts.push((note.message, sent.candidate, fact(None)));
            }
            let patient = numbers.patient(&sent.patient);
            // Without a number and a patient it can only be judged alone.
            let own = (note.role == FactRole::Undoes && !alone_known).then(|| format!("message {}", note.message));
            if let Some(within) = patient.or(own) {
                facts.push((note.message, sent.candidate, fact(Some(within))));
            }
        }
        self.leave_open(&mut facts);
        let undone: HashSet<Group> = facts
            .iter()
            .filter(|(_, _, fact)| fact.role == FactRole::Undoes)
            .map(|(_, _, fact)| (fact.row.clone(), fact.within.clone()))
            .collect();
        facts.retain(|(_, _, fact)| undone.contains(&(fact.row.clone(), fact.within.clone())));
        facts.into_iter().map(|(_, candidate, fact)| (candidate, fact)).collect()
    }

    fn standing(&self, message: usize) -> Option<Standing<'_>> {
        let sent = self.messages.get(message)?;
        Some(Standing { stream: &sent.stream, position: sent.position, moment: sent.moment })
    }

    fn ranks(&self) -> Vec<Option<u64>> {
        let mut timed: Vec<_> = (0..self.messages.len())
            .filter_map(|message| Some((self.standing(message)?.sort_key()?, message)))
            .collect();
        timed.sort_unstable();
        let mut ranks = vec![None; self.messages.len()];
        for (rank, (_, message)) in (1..).zip(timed) {
            if let Some(of) = ranks.get_mut(message) {
                *of = Some(rank);
            }
        }
        ranks
    }

    /// Takes its place in the order from what cancels, where it is not known whether that came before what it may cancel.
    fn leave_open(&self, facts: &mut [(usize, Option<usize>, Fact)]) {
        /// More pairs of one patient than this are not compared.
        const MOST: usize = 1_000_000;
        let mut groups: HashMap<Group, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, (_, _, fact)) in facts.iter().enumerate() {
            let (undoes, undone) = groups.entry((fact.row.clone(), fact.within.clone())).or_default();
            match fact.role {
                FactRole::Undoes => undoes.push(at),
                FactRole::Undone => undone.push(at),
                FactRole::Restores => {}
            }
        }
        for (undoes, undone) in groups.into_values() {
            let too_many = undoes.len().saturating_mul(undone.len()) > MOST;
            for by in undoes {
                let is_open = too_many
                    || undone.iter().any(|&of| match (facts.get(by), facts.get(of)) {
                        (Some((one, _, by)), Some((other, _, of))) => {
                            let known = || self.standing(*other)?.before(&self.standing(*one)?);
                            one != other && concerns(by, of) && known() != Some(of.moment < by.moment)
                        }
                        _ => false,
                    });
                if let Some((_, _, fact)) = facts.get_mut(by).filter(|_| is_open) {
                    fact.moment = None;
                }
            }
        }
    }
}

/// Whether the numbers of two facts do not tell them apart.
fn concerns(one: &Fact, other: &Fact) -> bool {
    let both = one.numbers.iter().zip(&other.numbers).find(|(one, other)| one.is_some() && other.is_some());
    both.is_none_or(|(one, other)| one == other)
}
