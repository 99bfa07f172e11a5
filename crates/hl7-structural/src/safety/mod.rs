//! "Safe by default": segments that say of themselves that the work does not count, and messages that a later message
//! cancels.

mod cancel;
mod identity;
mod of_orders;
mod reads;
mod table;

use std::cell::LazyCell;
use std::collections::HashMap;

use candor_check::evidence::quoted;
use candor_check::field::{FieldReason, Location};
use candor_check::records::{
    Asserting, Candidate, Element, Fact, Facts, SafetyRow, UnsafeMatch, undoes_another, undone, unsafe_element,
};
use candor_hl7v2::{Message, Segment};
use candor_json::json;

pub(crate) use cancel::Cancels;

use crate::items::{Judging, Read};
use crate::seen;
use of_orders::{DOSES, Items, RESULTS, WHOLE};
use reads::Reads;
use table::{TABLE, text_at};

/// Finds the reason why a message is unsafe. `names_event` is true if the message was selected by its trigger event.
pub(crate) fn unsafe_match(
    read: &[Read<'_>],
    asserting: &Asserting,
    candidate: &Candidate<seen::Message>,
    message: &Message<'_>,
    facts: &Facts<'_>,
    names_event: bool,
) -> Option<UnsafeMatch> {
    let judging = Judging::new(message, None);
    let reads = LazyCell::new(|| Reads::new(read, &judging));
    let naming = LazyCell::new(|| reads::with_conditions(read, &judging));
    let offset = candidate.content.offset();
    let place = |span: std::ops::Range<usize>| match offset {
        Some(offset) => {
            let span = offset + span.start as u64..offset + span.end as u64;
            Location::bytes(candidate.source.locator.as_str(), span)
        }
        None => candidate.source.place(),
    };
    let element = |found: reads::ReadElement| Element {
        path: found.path.clone(),
        value: json!(found.value),
        source: place(found.span),
        named: false,
        assert: found.path,
    };
    let of_row = |row: &SafetyRow| {
        // Most messages have no such value, and need no closer look.
        let holds = |segment: Segment<'_>| {
            let value = || of_orders::value_in(row.element, segment);
            segment.id() == row.at.as_bytes() && value().is_some_and(|value| row.values.hold_text(&value))
        };
        match message.segments().any(holds) {
            true => reads.element(&naming, message, row).into_iter().map(element).collect(),
            false => Vec::new(),
        }
    };
    let named = |row: &SafetyRow, fact: &Fact| {
        (names_event && fact.path == cancel::EVENT)
            || reads::names(&naming, message, row, fact.value.as_str().unwrap_or_default())
    };
    let by_another = |own: &[Fact]| {
        let undone = undone(&TABLE, asserting, facts, own);
        undone.or_else(|| undoes_another(&TABLE, asserting, facts, own, named))
    };
    let found = unsafe_element(&TABLE, asserting, of_row);
    let own = candidate.content.facts.as_ref().map(|own| own.as_slice()).unwrap_or_default();
    found.or_else(|| of_what_is_read(own, message, &reads, by_another)).or_else(|| {
        let of_results = |row: &&SafetyRow| Items::of(row).is_some_and(|items| items.status == RESULTS.status);
        let row = TABLE.rows().iter().find(|row| of_results(row) && asserting.concerns(row))?;
        let by = reads.corrected(message)?;
        let (path, value) = (by.path, json!(by.value));
        let why = format!("another result of the message may correct it: {path} is {}", quoted(&value));
        let result = row.quoted(path, value).at(place(by.span)).because(FieldReason::Undecidable);
        Some(UnsafeMatch { result, why: format!("{why}; write `allow_modifiers: true` to count it") })
    })
}

/// The segment whose orders cancel others and are cancelled.
const ORDER: &str = "ORC";

/// Judges the facts of a message. Of several orders in one message those count that the criterion reads; if it reads
/// none of them, one that is safe is enough.
fn of_what_is_read(
    own: &[Fact],
    message: &Message<'_>,
    reads: &LazyCell<Reads, impl FnOnce() -> Reads>,
    judge: impl Fn(&[Fact]) -> Option<UnsafeMatch>,
) -> Option<UnsafeMatch> {
    if own.is_empty() {
        return None;
    }
    let by = |of: &dyn Fn(&str) -> bool| {
        let own: Vec<Fact> = own.iter().filter(|fact| of(&fact.path)).cloned().collect();
        judge(&own)
    };
    let all = message.segments().filter(|segment| segment.id() == ORDER.as_bytes()).count();
    let read = reads.orders(message);
    let is_of_one = |path: &str| [ORDER, "OBR", "OBX", "RXA"].iter().any(|id| path.starts_with(id));
    let of_items = || [&RESULTS, &DOSES].into_iter().find_map(|items| of_items(items, own, message, reads, &judge));
    by(&|path| !is_of_one(path)).or_else(of_items).or_else(|| match read.as_slice() {
        [] => {
            let each = (0..all).map(|order| by(&|path| cancel::is_of_order(path, order)));
            each.collect::<Option<Vec<_>>>()?.pop()
        }
        read => read.iter().find_map(|orders| {
            let each = orders.iter().map(|&order| by(&|path| cancel::is_of_order(path, order)));
            each.collect::<Option<Vec<_>>>()?.pop()
        }),
    })
}

/// The items that a criterion reads, by what later messages make of them; all of them, where it reads none.
fn of_items(
    items: &'static Items,
    own: &[Fact],
    message: &Message<'_>,
    reads: &Reads,
    judge: &impl Fn(&[Fact]) -> Option<UnsafeMatch>,
) -> Option<UnsafeMatch> {
    if !own.iter().any(|fact| fact.row.ends_with(items.status)) {
        return None;
    }
    let values = items.values_in(message);
    let placed: Vec<_> = items.placed(message).filter(|placed| placed.is_item).collect();
    let by_place: HashMap<usize, usize> = placed.iter().enumerate().map(|(index, placed)| (placed.at, index)).collect();
    let mut by_path: HashMap<&str, Vec<&Fact>> = HashMap::new();
    for fact in own.iter().filter(|fact| fact.row.ends_with(items.status)) {
        by_path.entry(&fact.path).or_default().push(fact);
    }
    let one = |at: &usize| {
        let placed = placed.get(*by_place.get(at)?)?;
        let (order, name) = (placed.number, items.name(placed.segment));
        let value = values.get(&(order, name.clone())).map(String::as_str);
        let undone = by_path.get(items.order_path(order).as_str()).map(Vec::as_slice).unwrap_or_default();
        let named = |name: String| -> Vec<Fact> {
            // A correction to the same value leaves it.
            let undone = undone.iter().filter(|fact| fact.value.as_str() != value);
            undone.map(|&fact| Fact { numbers: vec![Some(name.clone())], ..fact.clone() }).collect()
        };
        let is_apart = |other: &String| !values.contains_key(&(order, other.clone()));
        let alternate = items.alternate_name(placed.segment).filter(is_apart);
        let otherwise = of_orders::name_otherwise(&name).filter(is_apart);
        let whole = placed.order.map(of_orders::whole).unwrap_or_default().into_iter().filter(|name| name != WHOLE);
        let names = [of_orders::as_alternate(&name), WHOLE.to_owned(), name].into_iter().chain(alternate).chain(whole);
        judge(&names.flat_map(named).collect::<Vec<_>>())
            .or_else(|| judge(&otherwise.map(named).unwrap_or_default()).map(of_one_sub_id))
    };
    let all: Vec<usize> = placed.iter().map(|placed| placed.at).collect();
    let mut lists = reads.among(&all);
    if lists.is_empty() {
        lists.push(all);
    }
    lists.iter().find_map(|list| list.iter().map(one).collect::<Option<Vec<_>>>()?.pop())
}

/// Leaves open what undoes a result: one of them has the sub-id 1 and the other none.
fn of_one_sub_id(found: UnsafeMatch) -> UnsafeMatch {
    let why = format!("if an OBX-4 of 1 and an empty one name the same result, {}", found.why);
    UnsafeMatch { result: found.result.because(FieldReason::Undecidable), why }
}
