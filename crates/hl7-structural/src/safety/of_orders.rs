//! Items of an order that later messages withdraw or correct one by one: its results and its doses.

use std::borrow::Cow;
use std::collections::HashMap;

use candor_check::records::SafetyRow;
use candor_hl7v2::{Message, Path, Segment};
use sha2::{Digest as _, Sha256};

/// A kind of items.
#[derive(Debug)]
pub(super) struct Items {
    /// The segment of an order.
    order: &'static str,
    /// The segment of an item.
    pub(super) segment: &'static str,
    /// The status of an item: the element of the table's row.
    pub(super) status: &'static str,
    /// The status of the order, for items without one.
    pub(super) of_order: Option<&'static str>,
    /// The status by which an item corrects what was sent before.
    pub(super) corrects: &'static str,
    /// The identifier of an item, and its alternate.
    codes: [&'static str; 2],
    /// The element in which items of one code differ.
    part: &'static str,
    /// The fields that a correction changes.
    values: &'static [u32],
    /// The codes of messages that are read for such items; empty if all are.
    messages: &'static [&'static str],
}

pub(super) static RESULTS: Items = Items {
    order: "OBR",
    segment: "OBX",
    status: "OBX.11",
    of_order: Some("OBR.25"),
    corrects: "C",
    codes: ["OBX.3.1", "OBX.3.4"],
    part: "OBX.4",
    values: &[5, 6],
    messages: &[],
};

/// The values of a dose are its amount, its unit and its completion status.
pub(super) static DOSES: Items = Items {
    order: "ORC",
    segment: "RXA",
    status: "RXA.21",
    of_order: None,
    corrects: "U",
    codes: ["RXA.5.1", "RXA.5.4"],
    part: "RXA.3.1",
    values: &[6, 7, 20],
    messages: &["VXU", "RAS"],
};

/// The name of every item of an order without a code.
pub(super) const WHOLE: &str = "*";

/// The names of every item of an order, by each code of its service: panels of one accession may share a number.
pub(super) fn whole(order: Segment<'_>) -> Vec<String> {
    let codes = ["OBR.4.1", "OBR.4.4"].into_iter().filter_map(|code| text_in(code, order));
    let named: Vec<String> = codes.map(|code| format!("{WHOLE} {code}")).collect();
    if named.is_empty() { vec![WHOLE.to_owned()] } else { named }
}

/// An order, or an item in its order.
#[derive(Clone, Copy)]
pub(super) struct Placed<'m> {
    /// The index of the segment in the message.
    pub(super) at: usize,
    pub(super) segment: Segment<'m>,
    pub(super) is_item: bool,
    /// The number of the order, counted from 1; 0 for items before the first one.
    pub(super) number: usize,
    pub(super) order: Option<Segment<'m>>,
    /// The ORC between the order and the one before it.
    pub(super) common: Option<Segment<'m>>,
}

/// The path of an element in one of several segments, counted from 1.
pub(super) fn indexed(element: &str, number: usize) -> String {
    element.split_once('.').map_or_else(String::new, |(segment, field)| format!("{segment}[{number}].{field}"))
}

impl Items {
    /// The items of a row by which later messages undo them.
    pub(super) fn of(row: &SafetyRow) -> Option<&'static Self> {
        row.undoes.as_ref()?;
        [&RESULTS, &DOSES].into_iter().find(|items| items.status == row.element)
    }

    /// Returns `true` if messages of a code may have such items.
    pub(super) fn may_be_in(&self, code: Option<&str>) -> bool {
        self.messages.is_empty() || code.is_some_and(|code| self.messages.contains(&code))
    }

    /// The path of an order, counted from 1, under which its items are known.
    pub(super) fn order_path(&self, number: usize) -> String {
        format!("{}[{number}]", self.order)
    }

    /// The orders and the items of a message.
    pub(super) fn placed<'m>(&'static self, message: &'m Message<'_>) -> impl Iterator<Item = Placed<'m>> {
        let (mut number, mut order, mut common, mut before) = (0_usize, None, None, None);
        message.segments().enumerate().filter_map(move |(at, segment)| {
            let is_item = segment.id() == self.segment.as_bytes();
            if segment.id() == self.order.as_bytes() {
                number += 1;
                order = Some(segment);
                common = before.take();
            } else if !is_item {
                if segment.id() == *b"ORC" {
                    before = Some(segment);
                }
                return None;
            }
            Some(Placed { at, segment, is_item, number, order, common })
        })
    }

    /// The orders of a message that have items, each once.
    pub(super) fn orders<'m>(&'static self, message: &'m Message<'_>) -> impl Iterator<Item = Placed<'m>> {
        let mut last = None;
        let is_new = move |placed: &Placed<'_>| last.replace(placed.number) != Some(placed.number);
        self.placed(message).filter(|placed| placed.is_item).filter(is_new)
    }

    /// The digest of the values of each item, by the number of its order and its name.
    pub(super) fn values_in(&'static self, message: &Message<'_>) -> HashMap<(usize, String), String> {
        let mut digests: HashMap<(usize, String), Sha256> = HashMap::new();
        for placed in self.placed(message).filter(|placed| placed.is_item) {
            let digest = digests.entry((placed.number, self.name(placed.segment))).or_default();
            for value in self.values_of(placed.segment) {
                digest.update(value);
                digest.update(b"\r");
            }
        }
        let hex = |digest: Sha256| -> String { digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect() };
        digests.into_iter().map(|(of, digest)| (of, hex(digest))).collect()
    }

    fn values_of<'m>(&self, segment: Segment<'m>) -> impl Iterator<Item = &'m [u8]> {
        let raw = move |field: &u32| segment.field(*field).map(|field| field.piece().raw()).unwrap_or_default();
        self.values.iter().map(raw)
    }

    /// Which item of its order a segment is: its code, the alternate one if it has no other, and its part.
    pub(super) fn name(&self, segment: Segment<'_>) -> String {
        let [code, alternate] = self.codes.map(|code| text_in(code, segment));
        format!("{} {}", code.or(alternate).unwrap_or_default(), text_in(self.part, segment).unwrap_or_default())
    }

    /// The name of an item by its alternate code, if it has both.
    pub(super) fn alternate_name(&self, segment: Segment<'_>) -> Option<String> {
        let [code, alternate] = self.codes.map(|code| text_in(code, segment));
        let alternate = code.and(alternate)?;
        Some(format!("{alternate} {}", text_in(self.part, segment).unwrap_or_default()))
    }

    /// The names of an item that undoes others. Two items that share only their alternate codes are not the same.
    pub(super) fn names(&self, segment: Segment<'_>) -> Vec<String> {
        let alternate = self.alternate_name(segment).map(|name| as_alternate(&name));
        std::iter::once(self.name(segment)).chain(alternate).collect()
    }

    /// Returns `true` if two segments are the same item with other values.
    pub(super) fn differ_in_value(&self, one: Segment<'_>, other: Segment<'_>) -> bool {
        let (name, other_name) = (self.name(one), self.name(other));
        let is_same = name == other_name
            || self.alternate_name(one).as_ref() == Some(&other_name)
            || self.alternate_name(other).as_ref() == Some(&name);
        is_same && !self.values_of(one).eq(self.values_of(other))
    }
}

/// The name of an item by the alternate code of what undoes it.
pub(super) fn as_alternate(name: &str) -> String {
    format!("alternate {name}")
}

/// The same result, if a sub-id of 1 and none mean the same.
pub(super) fn name_otherwise(name: &str) -> Option<String> {
    match name.rsplit_once(' ')? {
        (code, "") => Some(format!("{code} 1")),
        (code, "1") => Some(format!("{code} ")),
        _ => None,
    }
}

/// The value in a segment at an element such as `OBX.11`.
pub(super) fn value_in<'m>(element: &str, segment: Segment<'m>) -> Option<Cow<'m, str>> {
    if let Some(field) = element.get(4..).and_then(|field| field.parse().ok()) {
        let raw = segment.field(field)?.piece().raw();
        // Letters and digits alone are their own text in every message.
        if raw.iter().all(u8::is_ascii_alphanumeric) {
            return std::str::from_utf8(raw).ok().filter(|text| !text.is_empty()).map(Cow::Borrowed);
        }
    }
    let path = Path::parse(element).ok()?;
    let value = path.places_in(segment).into_iter().flatten().next()?;
    Some(value.text().text)
}

fn text_in<'m>(element: &str, segment: Segment<'m>) -> Option<Cow<'m, str>> {
    value_in(element, segment).filter(|text| !text.is_empty())
}
