//! Which segments of a message a criterion reads, and which of their values it names.

use std::ops::Range;

use candor_check::compare::{Datum, References};
use candor_check::field::{Field, Found, Quantifier, ReadFrom, Selection};
use candor_check::records::SafetyRow;
use candor_hl7v2::{Message, Path, Segment};

use crate::path::MessagePath;
use crate::settings::Settings;

/// The segments that a criterion reads, by their index in the message. Of each list one that is safe is enough: a field that
/// any of several values satisfies.
#[derive(Clone, Debug)]
pub(super) struct Reads(Vec<Vec<usize>>);

/// An element of a segment that is read.
#[derive(Clone, Debug)]
pub(super) struct ReadElement {
    pub(super) path: String,
    pub(super) value: String,
    pub(super) span: Range<usize>,
}

/// What stands in a segment at an element such as `OBX.11`.
pub(super) fn value_in(element: &str, segment: Segment<'_>) -> Option<String> {
    let path = Path::parse(element).ok()?;
    let value = path.places_in(segment).into_iter().flatten().next()?;
    Some(value.text().text.into_owned())
}

impl Reads {
    pub(super) fn new(settings: &Settings, message: &Message<'_>) -> Self {
        // The header is read of every message.
        let mut reads = vec![vec![0]];
        for field in settings.reads() {
            let alternatives = read_by(field, message);
            match field.quantifier {
                Quantifier::Any => reads.push(alternatives),
                _ => reads.extend(alternatives.into_iter().map(|segment| vec![segment])),
            }
        }
        Self(reads)
    }

    /// The elements of a row that make the message unsafe. Those whose value the author named do not.
    pub(super) fn elements(&self, settings: &Settings, message: &Message<'_>, row: &SafetyRow) -> Vec<ReadElement> {
        let segments: Vec<Segment<'_>> = message.segments().collect();
        let of = |index: &usize| {
            let segment = *segments.get(*index)?;
            let value = value_in(row.element, segment).filter(|value| row.values.hold_text(value))?;
            if segment.id() != row.at.as_bytes() {
                return None;
            }
            let same = segments.iter().take(*index + 1).filter(|other| other.id() == segment.id()).count();
            let rest = row.element.get(3..).unwrap_or_default();
            let path = if same == 1 { row.element.to_owned() } else { format!("{}[{same}]{rest}", row.at) };
            let named = settings.reads().any(|field| names(field, message, segment, row, &value));
            (!named).then(|| ReadElement { path, value, span: segment.piece().span() })
        };
        let mut found = Vec::new();
        for alternatives in &self.0 {
            let elements: Vec<Option<ReadElement>> = alternatives.iter().map(of).collect();
            if elements.iter().all(Option::is_some) {
                found.extend(elements.into_iter().flatten().next());
            }
        }
        found
    }

    /// The orders that are read, counted from 0: of each segment that is read the last ORC up to it.
    pub(super) fn orders(&self, message: &Message<'_>) -> Vec<usize> {
        let is_order: Vec<bool> = message.segments().map(|segment| &segment.id() == b"ORC").collect();
        let order = |index: &usize| is_order.iter().take(*index + 1).filter(|order| **order).count().checked_sub(1);
        let mut orders: Vec<usize> = self.0.iter().flatten().filter_map(order).collect();
        orders.sort_unstable();
        orders.dedup();
        orders
    }
}

/// The segments that a field takes its value from: where any value is enough, those whose value is as asserted.
fn read_by(field: &Field<MessagePath>, message: &Message<'_>) -> Vec<usize> {
    let starts: Vec<usize> = message.segments().map(|segment| segment.piece().span().start).collect();
    let index = |segment: &Segment<'_>| starts.iter().position(|start| *start == segment.piece().span().start);
    let path = field.path.path();
    let valued: Vec<Segment<'_>> =
        path.segments(message).filter(|segment| path.places_in(*segment).iter().any(Option::is_some)).collect();
    let references = References::default();
    let reading = ReadFrom { locator: "", span: None, references: &references };
    let satisfies = |segment: &&Segment<'_>| {
        path.places_in(**segment).into_iter().flatten().any(|value| {
            let found = Found { datum: Datum::Text(value.text().text), span: None };
            field.evaluate(Selection::texts(vec![found]), reading).passed
        })
    };
    let satisfying: Vec<usize> = match field.quantifier {
        Quantifier::Any => valued.iter().filter(satisfies).filter_map(index).collect(),
        _ => Vec::new(),
    };
    if satisfying.is_empty() { valued.iter().filter_map(index).collect() } else { satisfying }
}

/// Whether the author named the value that stands in a segment: by a condition of a path, or by a field of its own.
fn names(
    field: &Field<MessagePath>,
    message: &Message<'_>,
    segment: Segment<'_>,
    row: &SafetyRow,
    value: &str,
) -> bool {
    let path = field.path.path();
    if path.segment_id() != row.at {
        return false;
    }
    let Some((number, component, _)) =
        Path::parse(row.element).ok().and_then(|element| element.elements().next().map(|(element, _)| element))
    else {
        return false;
    };
    let same = |(asked, of, _): (u32, Option<u32>, Option<u32>)| {
        asked == number && (of.unwrap_or(1) == component.unwrap_or(1))
    };
    let start = segment.piece().span().start;
    if !path.segments(message).any(|selected| selected.piece().span().start == start) {
        return false;
    }
    let references = References::default();
    path.elements().any(|(element, named)| {
        same(element)
            && match named {
                Some(named) => named == value,
                None => field.names(&Datum::Text(value.into()), &references),
            }
    })
}
