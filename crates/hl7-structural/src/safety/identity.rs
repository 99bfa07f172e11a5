//! Numbers of visits, orders and appointments, and patients, distinguished by who assigned them where that is written.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use candor_hl7v2::{Message, Path, Segment};

use super::text_at;

/// The HL7 null is not a number.
const NULL: &str = "\"\"";

/// A number as it is written: of a kind (`PV1.19`), with the authority that assigned it, if it names one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Number {
    element: &'static str,
    id: String,
    authority: Option<String>,
}

/// The components of a number: EI has the authority in the second, CX in the fourth.
fn components(element: &'static str) -> (String, String) {
    let is_entity = ["ORC", "OBR", "SCH", "TXA"].iter().any(|segment| element.starts_with(segment));
    (format!("{element}.1"), format!("{element}.{}", if is_entity { "2" } else { "4.1" }))
}

impl Number {
    fn new(element: &'static str, id: Option<String>, authority: Option<String>) -> Option<Self> {
        let id = id.filter(|id| id != NULL)?;
        Some(Self { element, id, authority: authority.filter(|authority| authority != NULL) })
    }

    pub(super) fn of(element: &'static str, message: &Message<'_>) -> Option<Self> {
        let (id, authority) = components(element);
        Self::new(element, text_at(&id, message), text_at(&authority, message))
    }

    pub(super) fn in_segment(element: &'static str, segment: Segment<'_>) -> Option<Self> {
        let (id, authority) = components(element);
        let read = |element: &str| super::of_orders::value_in(element, segment).map(Cow::into_owned);
        Self::new(element, read(&id), read(&authority))
    }

    /// A number of an OBR as the ORC before it has it: ORC-2 and ORC-3 are OBR-2 and OBR-3.
    pub(super) fn in_common_order(element: &'static str, common: Segment<'_>) -> Option<Self> {
        let same = if element == "OBR.3" { "ORC.3" } else { "ORC.2" };
        Some(Self { element, ..Self::in_segment(same, common)? })
    }

    /// Every number of the repetitions of a field: a patient has several.
    pub(super) fn all(element: &'static str, message: &Message<'_>) -> Vec<Self> {
        let (id, authority) = (format!("{element}[*].1"), format!("{element}[*].4.1"));
        let (Ok(id), Ok(authority)) = (Path::parse(&id), Path::parse(&authority)) else { return Vec::new() };
        let Some(segment) = id.segments(message).next() else { return Vec::new() };
        let read = |path: &Path| -> Vec<Option<String>> {
            path.places_in(segment).into_iter().map(|value| value.map(|value| value.text().text.into_owned())).collect()
        };
        let pairs = read(&id).into_iter().zip(read(&authority));
        pairs.filter_map(|(id, authority)| Self::new(element, id, authority)).collect()
    }

    /// The numbers that a merge makes the patient's: MRG-1.
    pub(super) fn merged(message: &Message<'_>) -> Vec<Self> {
        Self::all("MRG.1", message).into_iter().map(|number| Self { element: "PID.3", ..number }).collect()
    }

    /// Returns `true` for the number of every dose without an order (CDC guide for immunization messaging, ORC-3).
    pub(super) fn is_shared(&self) -> bool {
        self.element == "ORC.3" && self.id == "9999"
    }

    pub(super) fn size(&self) -> u64 {
        (self.id.len() + self.authority.as_ref().map_or(0, String::len)) as u64
    }
}

/// All numbers that were read. A number without an authority is the one of the only authority that assigned it.
#[derive(Debug, Default)]
pub(super) struct Numbers<'n> {
    authorities: HashMap<(&'static str, &'n str), BTreeSet<&'n str>>,
    /// Patients: the numbers that one message gives a patient are one patient's.
    nodes: HashMap<String, usize>,
    parents: Vec<usize>,
}

impl<'n> Numbers<'n> {
    pub(super) fn read(&mut self, number: &'n Number) {
        if let Some(authority) = &number.authority {
            self.authorities.entry((number.element, &number.id)).or_default().insert(authority);
        }
    }

    /// The number with its authority, as far as that is known.
    pub(super) fn key(&self, number: &Number) -> String {
        let known = self.authorities.get(&(number.element, number.id.as_str()));
        let only = known.filter(|known| known.len() == 1).and_then(|known| known.first().copied());
        match number.authority.as_deref().or(only) {
            Some(authority) => format!("{}^{authority}", number.id),
            None => number.id.clone(),
        }
    }

    /// Learns that these numbers are one patient's; every number must have been read before.
    pub(super) fn one_patient(&mut self, numbers: &[Number]) {
        let mut first = None;
        for number in numbers {
            let key = self.key(number);
            let next = self.parents.len();
            let node = *self.nodes.entry(key).or_insert(next);
            if node == next {
                self.parents.push(next);
            }
            let (root, first) = (self.root(node), *first.get_or_insert(node));
            let first = self.root(first);
            if let Some(parent) = self.parents.get_mut(root) {
                *parent = first;
            }
        }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while let Some(&parent) = self.parents.get(node).filter(|parent| **parent != node) {
            // Halves the way for those that ask later.
            let beyond = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(parent) = self.parents.get_mut(node) {
                *parent = beyond;
            }
            node = beyond;
        }
        node
    }

    pub(super) fn patient(&mut self, numbers: &[Number]) -> Option<String> {
        let node = *self.nodes.get(&self.key(numbers.first()?))?;
        Some(self.root(node).to_string())
    }
}
