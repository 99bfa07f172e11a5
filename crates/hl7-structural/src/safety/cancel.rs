//! Messages that cancel earlier ones: what `observe` keeps of every message that was sent, whether it is meant or not.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use candor_check::field::Location;
use candor_check::records::{Fact, FactRole, Moment, SafetyRow, Standing};
use candor_hl7v2::{Message, Path, Segment};
use candor_json::json;
use sha2::{Digest as _, Sha256};

use super::identity::{Number, Numbers};
use super::{TABLE, reads};
use crate::correlation::text;
use crate::here::Here;
use crate::time::{self, Header, MSH, sent_at};

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
}

#[derive(Debug)]
struct Note {
    row: &'static SafetyRow,
    role: FactRole,
    message: usize,
    path: String,
    value: String,
    numbers: Vec<Option<Number>>,
    /// The result of an order that is meant: [`result_of`].
    result: Option<String>,
    /// The values that a correction gives: of [`values_of_results`].
    corrected: Option<String>,
}

impl Note {
    fn keys(&self, numbers: &Numbers<'_>) -> Vec<Option<String>> {
        self.numbers.iter().map(|number| number.as_ref().map(|number| numbers.key(number))).collect()
    }
}

type Group = (String, Option<String>);

/// The path of ORC-1 of an order, counted from 0.
pub(super) fn order_path(order: usize) -> String {
    if order == 0 { "ORC.1".to_owned() } else { format!("ORC[{}].1", order + 1) }
}

pub(super) const RESULT: &str = "OBX";
/// The row of orders whose results are withdrawn and corrected one by one.
const RESULTS: &str = "OBR";

/// The path of an OBR, counted from 1, under which its results are known.
pub(super) fn order_of_results(order: usize) -> String {
    format!("OBR[{order}]")
}

/// The status of a result or an order by which it corrects what was sent before.
const CORRECTS: &str = "C";

/// The digest of the values and units of each result, by the number of its OBR, counted from 1, and [`result_of`].
pub(super) fn values_of_results(message: &Message<'_>) -> HashMap<(usize, String), String> {
    let mut order = 0_usize;
    let mut digests: HashMap<(usize, String), Sha256> = HashMap::new();
    for segment in message.segments() {
        order += usize::from(segment.id() == RESULTS.as_bytes());
        if segment.id() == RESULT.as_bytes() {
            let digest = digests.entry((order, result_of(segment))).or_default();
            for field in [5, 6] {
                digest.update(segment.field(field).map(|field| field.piece().raw()).unwrap_or_default());
                digest.update(b"\r");
            }
        }
    }
    let hex = |digest: Sha256| -> String { digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect() };
    digests.into_iter().map(|(of, digest)| (of, hex(digest))).collect()
}

/// Which result of its order an OBX is: its code and its sub-id.
pub(super) fn result_of(segment: Segment<'_>) -> String {
    let part = |element| reads::value_in(element, segment).unwrap_or_default();
    format!("{} {}", part("OBX.3.1"), part("OBX.4"))
}

/// The same result, if a sub-id of 1 and none mean the same.
pub(super) fn result_otherwise(result: &str) -> Option<String> {
    match result.rsplit_once(' ')? {
        (code, "") => Some(format!("{code} 1")),
        (code, "1") => Some(format!("{code} ")),
        _ => None,
    }
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

/// The numbers of a row in an OBR, or in the ORC before it.
fn numbers_of(row: &'static SafetyRow, order: Segment<'_>, common: Option<Segment<'_>>) -> Vec<Option<Number>> {
    let elements = row.undoes.iter().flat_map(|undoes| &undoes.numbers);
    let in_common = |element: &'static str| Number::in_common_order(element, common?);
    elements.map(|element| Number::in_segment(element, order).or_else(|| in_common(element))).collect()
}

/// Each OBR of a message with the ORC between it and the OBR before it.
fn orders_in<'m>(message: &'m Message<'_>) -> impl Iterator<Item = (Segment<'m>, Option<Segment<'m>>)> {
    let mut common = None;
    message.segments().filter_map(move |segment| {
        if segment.id() == *b"ORC" {
            common = Some(segment);
        }
        (segment.id() == RESULTS.as_bytes()).then(|| (segment, common.take()))
    })
}

/// The status of a result or an order, where it undoes results.
fn status(row: &SafetyRow, segment: Segment<'_>, element: &str) -> Option<String> {
    let value = reads::value_in(element, segment)?;
    row.values.hold_text(&value).then(|| value.into_owned())
}

fn rows() -> impl Iterator<Item = &'static SafetyRow> {
    TABLE.rows().iter().filter(|row| row.undoes.is_some())
}

/// The rows, those about trigger events with the code of their messages.
static ROWS: LazyLock<Vec<(&'static SafetyRow, Option<&'static str>)>> =
    LazyLock::new(|| rows().map(|row| (row, row.at.split_once('^').map(|(code, _)| code))).collect());

impl Cancels {
    /// Keeps what a message is to the rows; gives its number here and what that takes in memory, where it is anything.
    pub(crate) fn read(&mut self, message: &Message<'_>, here: &Here<'_>) -> Option<(usize, u64)> {
        let (before, sent) = (self.notes.len(), self.messages.len());
        let of = |path: fn(&Header) -> &Path| MSH.as_ref().and_then(|header| text(path(header), message));
        let kind = of(|header| &header.code);
        let event = LazyCell::new(|| of(|header| &header.event));
        for &(row, code) in ROWS.iter() {
            let numbers = || row.undoes.iter().flat_map(|undoes| &undoes.numbers);
            match code {
                _ if row.at == RESULTS => self.results(row, message),
                Some(code) if kind.as_deref() == Some(code) => {
                    let value = event.as_deref();
                    if let Some((role, value)) = value.and_then(|value| Some((role(row, value)?, value.to_owned()))) {
                        let numbers = numbers().map(|element| Number::of(element, message)).collect();
                        self.notes.push(Note {
                            row,
                            role,
                            message: sent,
                            path: row.element.to_owned(),
                            value,
                            numbers,
                            result: None,
                            corrected: None,
                        });
                    }
                }
                Some(_) => {}
                None => {
                    let Ok(id) = <[u8; 3]>::try_from(row.at.as_bytes()) else { continue };
                    for (order, segment) in message.segments_with(id).enumerate() {
                        let Some(value) = reads::value_in(row.element, segment) else { continue };
                        let Some(role) = role(row, &value) else { continue };
                        let value = value.into_owned();
                        let numbers = numbers().map(|element| Number::in_segment(element, segment)).collect();
                        let path = order_path(order);
                        let (result, corrected) = (None, None);
                        self.notes.push(Note { row, role, message: sent, path, value, numbers, result, corrected });
                    }
                }
            }
        }
        (self.notes.len() > before).then(|| self.sent(message, here, before))
    }

    /// Keeps each result that a message withdraws or corrects, by its own status or its order's.
    fn results(&mut self, row: &'static SafetyRow, message: &Message<'_>) {
        let (mut orders, mut results, mut order, mut of_order) = (0_usize, 0_usize, None, None);
        let values = LazyCell::new(|| values_of_results(message));
        let mut common = None;
        for segment in message.segments() {
            if segment.id() == *b"ORC" {
                common = Some(segment);
            } else if segment.id() == RESULTS.as_bytes() {
                orders += 1;
                order = Some((segment, common.take()));
                of_order = status(row, segment, "OBR.25");
            } else if segment.id() == RESULT.as_bytes() {
                results += 1;
                let own = status(row, segment, "OBX.11").map(|value| (format!("OBX[{results}].11"), value));
                let by_order = || Some((format!("OBR[{orders}].25"), of_order.clone()?));
                if let Some((path, value)) = own.or_else(by_order) {
                    let numbers = order.map(|(order, common)| numbers_of(row, order, common)).unwrap_or_default();
                    let (role, message, result) = (FactRole::Undoes, self.messages.len(), result_of(segment));
                    let corrects = value == CORRECTS;
                    let corrected = corrects.then(|| values.get(&(orders, result.clone())).cloned()).flatten();
                    let result = Some(result);
                    self.notes.push(Note { row, role, message, path, value, numbers, result, corrected });
                }
            }
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
        for row in rows().filter(|row| row.at == RESULTS) {
            for (order, (segment, common)) in (1..).zip(orders_in(message)) {
                let numbers = numbers_of(row, segment, common);
                if numbers.iter().any(Option::is_some) {
                    let (role, path) = (FactRole::Undone, order_of_results(order));
                    let (value, result, corrected) = (String::new(), None, None);
                    self.notes.push(Note { row, role, message: of, path, value, numbers, result, corrected });
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
        let cancelling: HashSet<&str> =
            self.notes.iter().filter(|note| note.role == FactRole::Undoes).map(|note| note.row.at).collect();
        let of_others =
            |note: &Note| note.row.at == RESULTS && note.role == FactRole::Undone && !meant.contains_key(&note.message);
        let notes = self.notes.iter().filter(|note| cancelling.contains(note.row.at) && !of_others(note));
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
        for sent in notes.iter().filter_map(|note| sent(note)) {
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
            if note.row.at == RESULTS {
                let of = |within| Fact { numbers: vec![note.result.clone()], ..fact(Some(within)) };
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
                    facts.push((note.message, of(within)));
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
        let results: Vec<String> = rows().filter(|row| row.at == RESULTS).map(SafetyRow::name).collect();
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
