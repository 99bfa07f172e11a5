//! Which segments of a message a criterion reads, and which of their values it names.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use candor_check::compare::{Datum, References};
use candor_check::field::{Expected, Field, Found, Quantifier, ReadFrom, Selection};
use candor_check::records::SafetyRow;
use candor_hl7v2::{Element, Message, Path, Segment};

use super::of_orders::{Placed, RESULTS, indexed, value_in};
use crate::items::{Judging, Read, ReadAt};
use crate::path::{GroupCondition, MessagePath};

/// The segments that a criterion reads, by their index in the message. Of each list one that is safe is enough: a field that
/// any of several values satisfies.
#[derive(Clone, Debug)]
pub(super) struct Reads(Vec<Vec<usize>>);

#[derive(Clone, Debug)]
pub(super) struct ReadElement {
    pub(super) path: String,
    pub(super) value: String,
    pub(super) span: Range<usize>,
}

impl Reads {
    pub(super) fn new(read: &[Read<'_>], judging: &Judging<'_>) -> Self {
        // The header is read of every message.
        let mut reads = Self(vec![vec![0]]);
        read.iter().for_each(|read| reads.add(read, judging));
        reads
    }

    fn add(&mut self, read: &Read<'_>, judging: &Judging<'_>) {
        let alternatives = read_by(read, judging.message);
        let is_one_enough = read.field.quantifier == Quantifier::Any && !asserts_every_value(read.field);
        for Read { field, at: ReadAt { path, segments } } in selecting(read, &alternatives, judging) {
            let each = |segments: Vec<Range<usize>>| segments.into_iter().map(|group| vec![group]).collect();
            let groups: Vec<_> = if is_one_enough { vec![segments] } else { each(segments) };
            for segments in groups {
                self.add(&Read { field, at: ReadAt { path: path.clone(), segments } }, judging);
            }
        }
        if is_one_enough {
            self.0.push(alternatives);
        } else {
            self.0.extend(alternatives.into_iter().map(|segment| vec![segment]));
        }
    }

    /// The first element of a row that makes the message unsafe. One whose value the author named does not.
    pub(super) fn element(&self, read: &[Read<'_>], message: &Message<'_>, row: &SafetyRow) -> Option<ReadElement> {
        let segments: Vec<Segment<'_>> = message.segments().collect();
        let naming: Vec<Naming<'_>> = read.iter().filter_map(|read| Naming::of(read, message, row)).collect();
        let of = |index: &usize| {
            let (index, segment) = judged_by(&segments, *index, row)?;
            let value = value_in(row.element, segment).filter(|value| row.values.hold_text(value))?.into_owned();
            (!naming.iter().any(|naming| naming.names(segment, &value))).then_some((index, segment, value))
        };
        let unsafe_one = |alternatives: &Vec<usize>| {
            let mut found = alternatives.iter().map(of);
            let first = found.next()??;
            found.all(|other| other.is_some()).then_some(first)
        };
        let (index, segment, value) = self.0.iter().find_map(unsafe_one)?;
        let same = segments.iter().take(index + 1).filter(|other| other.id() == segment.id()).count();
        let rest = row.element.get(3..).unwrap_or_default();
        let path = if same == 1 { row.element.to_owned() } else { format!("{}[{same}]{rest}", row.at) };
        Some(ReadElement { path, value, span: segment.piece().span() })
    }

    /// The lists of segments that are read, of those that are all among some.
    pub(super) fn among(&self, some: &[usize]) -> Vec<Vec<usize>> {
        let is_of = |list: &&Vec<usize>| !list.is_empty() && list.iter().all(|at| some.contains(at));
        self.0.iter().filter(is_of).cloned().collect()
    }

    /// The first result that corrects those of one list that is read, in the same message, and is not read itself.
    pub(super) fn corrected(&self, message: &Message<'_>) -> Option<ReadElement> {
        let results: Vec<Placed<'_>> = RESULTS.placed(message).filter(|placed| placed.is_item).collect();
        let corrects = |placed: &Placed<'_>| {
            value_in(RESULTS.status, placed.segment).is_some_and(|status| status == RESULTS.corrects)
        };
        if !results.iter().any(corrects) {
            return None;
        }
        // Several lines of a text share their code.
        let is_text = |placed: &Placed<'_>| {
            value_in("OBX.2", placed.segment).is_some_and(|of_type| of_type == "TX" || of_type == "FT")
        };
        let is_by = |by: &Placed<'_>, of: &Placed<'_>| {
            let filler = |placed: &Placed<'_>| value_in("OBR.3", placed.order?).map(Cow::into_owned);
            let is_one_order = by.number == of.number || filler(of).is_some_and(|number| filler(by) == Some(number));
            is_one_order && corrects(by) && RESULTS.differ_in_value(by.segment, of.segment)
        };
        let all: Vec<usize> = results.iter().map(|placed| placed.at).collect();
        let lists = self.among(&all);
        let read: HashSet<usize> = lists.iter().flatten().copied().collect();
        let correction = |at: &usize| {
            let of = results.get(results.binary_search_by_key(at, |placed| placed.at).ok()?)?;
            let is_other = |by: &Placed<'_>| !read.contains(&by.at) && is_by(by, of);
            results.iter().position(is_other).filter(|_| !corrects(of) && !is_text(of))
        };
        let by = lists.iter().find_map(|list| list.iter().map(correction).collect::<Option<Vec<_>>>()?.pop())?;
        let path = indexed(RESULTS.status, by + 1);
        Some(ReadElement { path, value: RESULTS.corrects.to_owned(), span: results.get(by)?.segment.piece().span() })
    }

    /// The orders that are read, counted from 0: of each segment the last ORC up to it. Of each list one that was not
    /// cancelled is enough.
    pub(super) fn orders(&self, message: &Message<'_>) -> Vec<Vec<usize>> {
        let mut before = 0_usize;
        let orders: Vec<Option<usize>> = message
            .segments()
            .map(|segment| {
                before += usize::from(&segment.id() == b"ORC");
                before.checked_sub(1)
            })
            .collect();
        let of = |alternatives: &Vec<usize>| {
            let of = |index: &usize| orders.get(*index).copied().flatten();
            let mut of: Vec<usize> = alternatives.iter().map(of).collect::<Option<_>>()?;
            of.dedup();
            (!of.is_empty()).then_some(of)
        };
        self.0.iter().filter_map(of).collect()
    }
}

/// The conditions of the groups around some segments; without segments, around those among which a path selects. Any
/// segment of a group may satisfy one.
fn selecting<'f>(read: &Read<'f>, segments: &[usize], judging: &Judging<'_>) -> Vec<Read<'f>> {
    let field = read.field;
    let starts: Vec<usize> = read.at.segments.iter().map(|range| range.start).collect();
    let within = if segments.is_empty() { starts.as_slice() } else { segments };
    let is_around = |range: &Range<usize>| {
        let first = within.partition_point(|at| *at < range.start);
        within.get(first).is_some_and(|at| *at < range.end)
    };
    let of_condition = |condition: &'f GroupCondition| {
        let mut path = condition.field.path.path()?.clone();
        while let Some(every) = path.of_every().into_iter().next() {
            path = every;
        }
        let named = judging.groups().ok()?.all().filter(|(name, _)| *name == condition.group);
        let segments = named.map(|(_, range)| range).filter(is_around).collect();
        Some(Read { field: &condition.field, at: ReadAt { path, segments } })
    };
    field.path.conditions().iter().filter_map(of_condition).collect()
}

/// The segments and fields that read a message, with the conditions of groups.
pub(super) fn with_conditions<'f>(read: &[Read<'f>], judging: &Judging<'_>) -> Vec<Read<'f>> {
    let mut all = read.to_vec();
    let mut number = 0;
    while let Some(read) = all.get(number) {
        let conditions = selecting(read, &[], judging);
        all.extend(conditions);
        number += 1;
    }
    all
}

/// True if a field asserts all values that its path selects together: a list of them, or their number.
fn asserts_every_value(field: &Field<MessagePath>) -> bool {
    matches!(&field.expected, Expected::Equals(candor_json::Value::Array(_)) | Expected::Count(_))
}

/// The segments that a field takes its value from: where any value is enough, those whose value is as asserted.
fn read_by(Read { field, at }: &Read<'_>, message: &Message<'_>) -> Vec<usize> {
    let starts: Vec<usize> = message.segments().map(|segment| segment.piece().span().start).collect();
    let index = |segment: &Segment<'_>| starts.binary_search(&segment.piece().span().start).ok();
    let path = &at.path;
    let all = path.segments_in(message, &at.segments);
    let valued: Vec<Segment<'_>> = all.filter(|segment| path.places_in(*segment).iter().any(Option::is_some)).collect();
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

/// The segment by which a row judges one that is read: itself, or the order of a result without a status.
fn judged_by<'m>(segments: &[Segment<'m>], index: usize, row: &SafetyRow) -> Option<(usize, Segment<'m>)> {
    let read = *segments.get(index)?;
    if read.id() == row.at.as_bytes() {
        return Some((index, read));
    }
    let is_without_status = row.at == "OBR" && read.id() == *b"OBX" && value_in("OBX.11", read).is_none();
    let before = segments.get(..index).filter(|_| is_without_status)?;
    let order = before.iter().rposition(|segment| segment.id() == *b"OBR")?;
    Some((order, *segments.get(order)?))
}

/// Elements that say the same as another: the status of an order (table 0038: CA, "Order was canceled").
const SAME: &[(&str, &str)] = &[("ORC.1", "ORC.5")];

/// The element that says the same as another, and its value in a segment.
pub(super) fn same_in<'m>(element: &str, segment: Segment<'m>) -> Option<(&'static str, Cow<'m, str>)> {
    let (_, same) = *SAME.iter().find(|(of, _)| *of == element)?;
    Some((same, value_in(same, segment)?))
}

/// True if a field or a condition names a value of a row's element, or of one that says the same, anywhere in the
/// message.
pub(super) fn names(read: &[Read<'_>], message: &Message<'_>, row: &SafetyRow, value: &str) -> bool {
    let same = SAME.iter().filter(|(element, _)| *element == row.element).map(|(_, other)| *other);
    let elements: Vec<&str> = std::iter::once(row.element).chain(same).collect();
    let is_named = |of: &str, segment: Segment<'_>| {
        let said = if of == row.element { Some(value.into()) } else { value_in(of, segment) };
        let said = said.filter(|said| row.values.hold_text(said));
        let mut namings = read.iter().filter_map(|read| Naming::at(read, message, row, of));
        said.is_some_and(|said| namings.any(|naming| naming.names(segment, &said)))
    };
    message.segments().any(|segment| elements.iter().any(|of| is_named(of, segment)))
}

/// A field or a path's condition that names a value of a row's element, and the segments in which it does.
struct Naming<'f> {
    field: &'f Field<MessagePath>,
    /// The value that a condition names; without one the field's own.
    condition: Option<&'f str>,
    starts: HashSet<usize>,
}

impl<'f> Naming<'f> {
    fn of(read: &'f Read<'_>, message: &Message<'_>, row: &SafetyRow) -> Option<Self> {
        Self::at(read, message, row, row.element)
    }

    fn at(Read { field, at }: &'f Read<'_>, message: &Message<'_>, row: &SafetyRow, element: &str) -> Option<Self> {
        let path = &at.path;
        let wanted = Path::parse(element).ok()?;
        let ((number, component, _), _) = wanted.elements().next()?;
        let same = |(asked, of, _): Element| asked == number && of.unwrap_or(1) == component.unwrap_or(1);
        let (_, condition) = path
            .elements()
            .filter(|_| element.starts_with(path.segment_id()))
            .find(|(element, named)| same(*element) && named.is_none_or(|named| row.values.hold_text(named)))?;
        let starts = path.segments_in(message, &at.segments).map(|segment| segment.piece().span().start).collect();
        Some(Self { field, condition, starts })
    }

    fn names(&self, segment: Segment<'_>, value: &str) -> bool {
        self.starts.contains(&segment.piece().span().start)
            && match self.condition {
                Some(named) => named == value,
                None => self.field.names(&Datum::Text(value.into()), &References::default()),
            }
    }
}
