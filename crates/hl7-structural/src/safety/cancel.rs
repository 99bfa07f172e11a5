//! Messages that cancel earlier ones: what `observe` keeps of every message that was sent, whether it is meant or not.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use candor_check::field::Location;
use candor_check::records::{Fact, FactRole, Moment, SafetyRow, Standing};
use candor_hl7v2::{Message, Path, Segment};
use candor_json::json;

use super::identity::{Number, Numbers};
use super::of_orders::{self, Items, Placed, indexed, value_in};
use super::{TABLE, reads, text_at};
use crate::correlation::text;
use crate::here::Here;
use crate::time::{self, Header, MSH, sent_at};

#[derive(Debug, Default)]
pub(crate) struct Cancels {
    messages: Vec<Sent>,
    notes: Vec<Note>,
    /// The messages that merge patients, by their numbers here.
    merges: Vec<usize>,
}

#[derive(Debug)]
struct Sent {
    stream: String,
    position: usize,
    moment: Option<Moment>,
    patient: Vec<Number>,
    place: Location,
    label: String,
}

#[derive(Debug)]
struct Note {
    row: &'static SafetyRow,
    role: FactRole,
    message: usize,
    path: String,
    value: String,
    numbers: Vec<Option<Number>>,
    /// The names of the item of an order that it undoes.
    items: Vec<String>,
    /// The values that a correction gives: of [`Items::values_in`].
    corrected: Option<String>,
}

impl Note {
    fn keys(&self, numbers: &Numbers<'_>) -> Vec<Option<String>> {
        self.numbers.iter().map(|number| number.as_ref().map(|number| numbers.key(number))).collect()
    }
}

type Group = (String, Option<String>);

/// The path of an element of an order, counted from 0.
fn order_path(order: usize, element: &str) -> String {
    if order == 0 { element.to_owned() } else { indexed(element, order + 1) }
}

/// True if a path is the one of an order, counted from 0.
pub(super) fn is_of_order(path: &str, order: usize) -> bool {
    ["ORC.1", "ORC.5"].iter().any(|element| path == order_path(order, element))
}

/// The element of a trigger event.
pub(super) const EVENT: &str = "MSH.9.2";

/// The trigger events by which two patients become one (HL7 v2.8.2, chapter 3).
const MERGES: [&str; 8] = ["A18", "A30", "A34", "A36", "A39", "A40", "A46", "A47"];

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

/// The role of a message for a row about its status: a cancelled one cancels what its trigger event would say.
fn role_by_status(row: &SafetyRow, event: &str, message: &Message<'_>) -> Option<(FactRole, String)> {
    row.undoes.as_ref().filter(|undoes| undoes.earlier.values.hold_text(event))?;
    let status = text_at(row.element, message).filter(|status| row.values.hold_text(status));
    Some(status.map_or_else(|| (FactRole::Undone, event.to_owned()), |status| (FactRole::Undoes, status)))
}

/// The role of an order for a row, by its own element or one that says the same; with that element and its value.
fn role_of_order(row: &SafetyRow, segment: Segment<'_>) -> Option<(FactRole, &'static str, String)> {
    let value = value_in(row.element, segment);
    let own = value.as_deref().and_then(|value| role(row, value));
    if !matches!(own, Some(FactRole::Undoes | FactRole::Restores))
        && let Some((element, status)) = reads::same_in(row.element, segment)
        && row.values.hold_text(&status)
    {
        return Some((FactRole::Undoes, element, status.into_owned()));
    }
    Some((own?, row.element, value?.into_owned()))
}

/// The numbers of a row in an order, or in the ORC before it.
fn numbers_of(row: &'static SafetyRow, placed: &Placed<'_>, message: &Message<'_>) -> Vec<Option<Number>> {
    let elements = row.undoes.iter().flat_map(|undoes| &undoes.numbers).copied();
    let of = |element: &'static str| {
        if element.starts_with("PID") {
            return Number::of(element, message);
        }
        let own = placed.order.and_then(|order| Number::in_segment(element, order));
        own.or_else(|| Number::in_common_order(element, placed.common?)).filter(|number| !number.is_shared())
    };
    elements.map(of).collect()
}

/// The status of a result or an order, where it undoes results.
fn status(row: &SafetyRow, segment: Segment<'_>, element: &str) -> Option<String> {
    let value = value_in(element, segment)?;
    row.values.hold_text(&value).then(|| value.into_owned())
}

fn rows() -> impl Iterator<Item = &'static SafetyRow> {
    TABLE.rows().iter().filter(|row| row.undoes.is_some())
}

/// The subject of a row.
#[derive(Debug)]
enum About {
    /// The messages of a code: MSH-9.1.
    Messages(&'static str),
    Items(&'static Items),
    Segments([u8; 3]),
}

static ROWS: LazyLock<Vec<(&'static SafetyRow, About)>> = LazyLock::new(|| {
    let about = |row: &'static SafetyRow| match (Items::of(row), row.at.split_once('^')) {
        (Some(items), _) => Some(About::Items(items)),
        (None, Some((code, _))) => Some(About::Messages(code)),
        (None, None) => <[u8; 3]>::try_from(row.at.as_bytes()).ok().map(About::Segments),
    };
    rows().filter_map(|row| Some((row, about(row)?))).collect()
});

impl Cancels {
    /// Keeps what a message is to the rows; gives its number here and what that takes in memory, where it is anything.
    pub(crate) fn read(&mut self, message: &Message<'_>, here: &Here<'_>) -> Option<(usize, u64)> {
        let (before, sent) = (self.notes.len(), self.messages.len());
        let of = |path: fn(&Header) -> &Path| MSH.as_ref().and_then(|header| text(path(header), message));
        let kind = of(|header| &header.code);
        let event = LazyCell::new(|| of(|header| &header.event));
        for (row, about) in ROWS.iter() {
            let row = *row;
            let numbers = || row.undoes.iter().flat_map(|undoes| &undoes.numbers).copied();
            match about {
                About::Items(of) => {
                    if of.may_be_in(kind.as_deref()) {
                        self.items(row, of, message);
                    }
                }
                About::Messages(code) if kind.as_deref() == Some(*code) => {
                    let found = event.as_deref().and_then(|event| match row.element {
                        EVENT => Some((role(row, event)?, event.to_owned())),
                        _ => role_by_status(row, event, message),
                    });
                    if let Some((role, value)) = found {
                        let numbers = numbers().map(|element| Number::of(element, message)).collect();
                        let (path, items, corrected) = (row.element.to_owned(), Vec::new(), None);
                        self.notes.push(Note { row, role, message: sent, path, value, numbers, items, corrected });
                    }
                }
                About::Messages(_) => {}
                About::Segments(id) => {
                    for (order, segment) in message.segments_with(*id).enumerate() {
                        let Some((role, element, value)) = role_of_order(row, segment) else { continue };
                        let numbers = numbers().map(|element| Number::in_segment(element, segment)).collect();
                        let (path, items, corrected) = (order_path(order, element), Vec::new(), None);
                        self.notes.push(Note { row, role, message: sent, path, value, numbers, items, corrected });
                    }
                }
            }
        }
        let is_merge = kind.as_deref() == Some("ADT") && event.as_deref().is_some_and(|event| MERGES.contains(&event));
        let merged = if is_merge { Number::merged(message) } else { Vec::new() };
        (self.notes.len() > before || !merged.is_empty()).then(|| {
            let (number, size) = self.sent(message, here, before);
            let more = merged.iter().map(Number::size).sum::<u64>();
            self.merges.extend((!merged.is_empty()).then_some(number));
            self.messages.iter_mut().skip(number).for_each(|sent| sent.patient.extend_from_slice(&merged));
            (number, size + more)
        })
    }

    /// Keeps each item that a message withdraws or corrects, by its own status or its order's.
    fn items(&mut self, row: &'static SafetyRow, items: &'static Items, message: &Message<'_>) {
        let values = LazyCell::new(|| items.values_in(message));
        let mut of_order: Option<String> = None;
        let mut count = 0_usize;
        for placed in items.placed(message) {
            let segment = placed.segment;
            let (path, value, names) = if placed.is_item {
                count += 1;
                let own = status(row, segment, items.status).map(|value| (indexed(items.status, count), value));
                let by_order = || Some((indexed(items.of_order?, placed.number), of_order.clone()?));
                let Some((path, value)) = own.or_else(by_order) else { continue };
                (path, value, items.names(segment))
            } else {
                let Some(element) = items.of_order else { continue };
                of_order = status(row, segment, element);
                let Some(value) = of_order.clone().filter(|value| value != items.corrects) else { continue };
                (indexed(element, placed.number), value, of_orders::whole(segment))
            };
            let corrected = match value == items.corrects {
                true => values.get(&(placed.number, items.name(segment))).cloned(),
                false => None,
            };
            let (role, message, numbers) = (FactRole::Undoes, self.messages.len(), numbers_of(row, &placed, message));
            self.notes.push(Note { row, role, message, path, value, numbers, items: names, corrected });
        }
    }

    /// Keeps the orders of a message that is meant, so that what undoes their results is known. `number` is what
    /// [`Self::read`] gave for it; gives its number and what that takes in memory.
    pub(crate) fn meant(
        &mut self,
        message: &Message<'_>,
        here: &Here<'_>,
        number: Option<usize>,
    ) -> Option<(usize, u64)> {
        let (before, of) = (self.notes.len(), number.unwrap_or(self.messages.len()));
        for (row, items) in rows().filter_map(|row| Some((row, Items::of(row)?))) {
            for placed in items.orders(message) {
                let numbers = numbers_of(row, &placed, message);
                if numbers.iter().any(Option::is_some) {
                    let (role, path) = (FactRole::Undone, items.order_path(placed.number));
                    let (value, items, corrected) = (String::new(), Vec::new(), None);
                    self.notes.push(Note { row, role, message: of, path, value, numbers, items, corrected });
                }
            }
        }
        (self.notes.len() > before).then(|| match number {
            Some(number) => (number, self.size(before)),
            None => self.sent(message, here, before),
        })
    }

    /// The memory of the notes from `before` on, about, in bytes.
    fn size(&self, before: usize) -> u64 {
        let new = self.notes.get(before..).unwrap_or_default();
        new.iter().flat_map(|note| note.numbers.iter().flatten()).map(Number::size).sum::<u64>()
            + 512 * new.len() as u64
    }

    /// Keeps a message for its notes, those from `before` on; gives its number and what that takes in memory.
    fn sent(&mut self, message: &Message<'_>, here: &Here<'_>, before: usize) -> (usize, u64) {
        let (sent, patient) = (self.messages.len(), Number::all("PID.3", message));
        let size = self.size(before) + patient.iter().map(Number::size).sum::<u64>();
        self.messages.push(Sent {
            stream: here.place().locator.clone(),
            position: sent,
            moment: here.at().map_or_else(|| sent_at(message), time::read),
            patient,
            place: here.place().clone(),
            label: here.label().to_owned(),
        });
        (sent, size)
    }

    /// Returns `true` if a message may undo what one of those does that are meant.
    pub(crate) fn may_undo(&self, meant: &HashMap<usize, usize>) -> bool {
        self.notes.iter().any(|note| note.role == FactRole::Undone && meant.contains_key(&note.message))
    }

    /// The facts that matter: of the rows and keys by which anything was cancelled. Each with the number of its message.
    /// `meant` are the messages of a criterion, whose results may be undone.
    pub(crate) fn facts(&self, meant: &HashMap<usize, usize>) -> Vec<(usize, Fact)> {
        let of_row = |note: &Note| (note.row.at, note.row.element);
        let cancelling: HashSet<(&str, &str)> =
            self.notes.iter().filter(|note| note.role == FactRole::Undoes).map(of_row).collect();
        let of_others = |note: &Note| {
            note.role == FactRole::Undone && !meant.contains_key(&note.message) && Items::of(note.row).is_some()
        };
        let notes = self.notes.iter().filter(|note| cancelling.contains(&of_row(note)) && !of_others(note));
        let notes: Vec<&Note> = notes.collect();
        if notes.is_empty() {
            return Vec::new();
        }
        let mut numbers = Numbers::default();
        let sent = |note: &Note| self.messages.get(note.message);
        for note in &notes {
            let patient = sent(note).into_iter().flat_map(|sent| &sent.patient);
            note.numbers.iter().flatten().chain(patient).for_each(|number| numbers.read(number));
        }
        let merges: Vec<&Sent> = self.merges.iter().filter_map(|merge| self.messages.get(*merge)).collect();
        merges.iter().flat_map(|merge| &merge.patient).for_each(|number| numbers.read(number));
        for sent in merges.iter().copied().chain(notes.iter().filter_map(|note| sent(note))) {
            numbers.one_patient(&sent.patient);
        }
        let ranks = self.ranks(&self.notes.iter().filter(|note| !of_others(note)).map(|note| note.message).collect());
        let mut corrections: HashMap<String, BTreeSet<&str>> = HashMap::new();
        for (note, corrected) in notes.iter().copied().filter_map(|note| Some((note, note.corrected.as_deref()?))) {
            for order in orders_of(note.role, &note.keys(&numbers)) {
                corrections.entry(order).or_default().insert(corrected);
            }
        }
        let mut facts: Vec<(usize, Fact)> = Vec::new();
        for note in notes {
            let Some(sent) = sent(note) else { continue };
            let keys = note.keys(&numbers);
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
            if Items::of(note.row).is_some() {
                let of = |within| Fact { numbers: vec![None], ..fact(Some(within)) };
                for order in orders_of(note.role, &keys) {
                    // A correction undoes what has another value: a result tells by the value of the fact, and leaves out
                    // its own.
                    let corrected = |value: &str| format!("{order} = {value}");
                    if note.role == FactRole::Undone {
                        let of_corrections = corrections.get(&order).into_iter().flatten();
                        facts.extend(
                            of_corrections
                                .map(|&value| (note.message, Fact { value: json!(value), ..of(corrected(value)) })),
                        );
                    }
                    let within = note.corrected.as_deref().map(corrected).unwrap_or(order);
                    let named = |item: &String| Fact { numbers: vec![Some(item.clone())], ..of(within.clone()) };
                    match note.items.as_slice() {
                        [] => facts.push((note.message, of(within))),
                        items => facts.extend(items.iter().map(|item| (note.message, named(item)))),
                    }
                }
                continue;
            }
            // A number of an order or an appointment says which one, whoever the patient is.
            let alone = note.row.undoes.as_ref().is_some_and(|undoes| undoes.within.is_empty());
            let alone_known = alone && keys.iter().any(Option::is_some);
            if alone_known {
                facts.push((note.message, fact(None)));
            }
            let patient = numbers.patient(&sent.patient);
            // Without a number and a patient it can only be judged alone: no other message has its label.
            let own = (note.role == FactRole::Undoes && !alone_known).then(|| sent.label.clone());
            if let Some(within) = patient.or(own) {
                facts.push((note.message, fact(Some(within))));
            }
        }
        self.leave_open(&mut facts);
        let groups = |role: FactRole| -> HashSet<Group> {
            let of_role = facts.iter().filter(|(_, fact)| fact.role == role);
            of_role.map(|(_, fact)| (fact.row.clone(), fact.within.clone())).collect()
        };
        let (undoing, undone) = (groups(FactRole::Undoes), groups(FactRole::Undone));
        let results: Vec<String> = rows().filter(|row| Items::of(row).is_some()).map(SafetyRow::name).collect();
        facts.retain(|(_, fact)| {
            let group = (fact.row.clone(), fact.within.clone());
            undoing.contains(&group) && (undone.contains(&group) || !results.contains(&fact.row))
        });
        facts
    }

    fn standing(&self, message: usize) -> Option<Standing<'_>> {
        let sent = self.messages.get(message)?;
        Some(Standing { stream: &sent.stream, position: sent.position, moment: sent.moment })
    }

    /// The places in time of those messages.
    fn ranks(&self, of: &HashSet<usize>) -> Vec<Option<u64>> {
        let mut timed: Vec<_> = (0..self.messages.len())
            .filter(|message| of.contains(message))
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
    fn leave_open(&self, facts: &mut [(usize, Fact)]) {
        /// More pairs of one patient than this are not compared.
        const MOST: usize = 1_000_000;
        let mut groups: HashMap<Group, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, (_, fact)) in facts.iter().enumerate() {
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
                        (Some((one, by)), Some((other, of))) => {
                            let known = || self.standing(*other)?.before(&self.standing(*one)?);
                            one != other && concerns(by, of) && known() != Some(of.moment < by.moment)
                        }
                        _ => false,
                    });
                if let Some((_, fact)) = facts.get_mut(by).filter(|_| is_open) {
                    fact.moment = None;
                }
            }
        }
    }
}

/// The names under which an order and what undoes its results meet: the first number that both have is the same.
fn orders_of(role: FactRole, keys: &[Option<String>]) -> Vec<String> {
    let mut orders = Vec::new();
    let mut has_none_before = true;
    for (at, key) in keys.iter().enumerate() {
        let Some(key) = key else { continue };
        // Two orders agree by the first number of either. By a further number they agree if the other one lacks all
        // numbers before it.
        let by_first = format!("{at} {key}");
        let by_further = format!("{at} {key}, after others");
        match (role, has_none_before) {
            (FactRole::Undone, true) => orders.extend([by_first, by_further]),
            (FactRole::Undone, false) | (_, true) => orders.push(by_first),
            (_, false) => orders.push(by_further),
        }
        has_none_before = false;
    }
    orders
}

/// True if the numbers of two facts do not distinguish them.
fn concerns(one: &Fact, other: &Fact) -> bool {
    let both = one.numbers.iter().zip(&other.numbers).find(|(one, other)| one.is_some() && other.is_some());
    both.is_none_or(|(one, other)| one == other)
}
