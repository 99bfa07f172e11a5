//! "Safe by default" for X12: which claims a criterion reads, and what makes them or their set unsafe. The rows are data.

mod facts;
mod units;

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use candor_check::compare::{Datum, References};
use candor_check::field::{Expected, Field, FieldReason, Location, Quantifier, ReadFrom};
use candor_check::records::{Asserting, Element, FactRole, Facts, SafetyRow, UnsafeMatch, undone, unsafe_element};
use candor_json::json;
use candor_x12::{NamedElement, Path, Segment, Value};
use candor_x12_guides::{Guide, Part};

use crate::claims::{History, RemittedClaim};
use crate::path::{ReadSet, SetPath};
use crate::settings::Settings;
use facts::{TABLE, fact, facts};
use units::{Claim, Units};

pub(crate) type Read<'f> = (&'f Field<SetPath>, Part);

pub(crate) fn unsafe_match(
    reads: &[Read<'_>],
    asserting: &Asserting,
    set: &ReadSet<'_>,
    place: &Location,
    history: &History<'_>,
) -> Option<UnsafeMatch> {
    let looking = Looking::of(reads, set, place);
    let own = unsafe_element(&TABLE, asserting, |row| looking.own(row));
    let of_claims = || looking.void(asserting).or_else(|| looking.reversed(asserting, history));
    own.or_else(of_claims).or_else(|| looking.rejected(asserting))
}

/// The beginning of each level, with the AAA of it or of a level around it. The segments after a level's first answer
/// concern one service only.
fn rejections(segments: &[Segment<'_>]) -> Vec<(usize, Option<usize>)> {
    let mut levels: Vec<(usize, Option<usize>)> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut is_answered = false;
    for (number, segment) in segments.iter().enumerate() {
        let id = segment.id();
        if id.is("HL") {
            // A level names its parent, which comes before it.
            let above = by_id.get(&*segment.text(2)).and_then(|at| levels.get(*at)?.1);
            by_id.insert(segment.text(1).into_owned(), levels.len());
            levels.push((number, above));
            is_answered = false;
        } else if ANSWERS.iter().any(|answer| id.is(answer)) {
            is_answered = true;
        } else if let Some((_, rejected @ None)) = levels.last_mut().filter(|_| id.is("AAA") && !is_answered) {
            *rejected = Some(number);
        }
    }
    levels
}

struct Looking<'l, 'a> {
    reads: &'l [Read<'l>],
    set: &'l ReadSet<'a>,
    place: &'l Location,
    units: Units,
    /// By field, the segments of the values that it names.
    named: Vec<OnceCell<HashSet<Option<usize>>>>,
}

impl<'l, 'a> Looking<'l, 'a> {
    fn of(reads: &'l [Read<'l>], set: &'l ReadSet<'a>, place: &'l Location) -> Self {
        Self { reads, set, place, units: Units::of(set.segments()), named: vec![OnceCell::new(); reads.len()] }
    }

    fn fields(&self) -> impl Iterator<Item = Read<'_>> {
        self.reads.iter().copied()
    }

    fn values(&self, (field, part): Read<'_>) -> Vec<Value<'a>> {
        field.path.path().and_then(|path| self.set.values_in(part, path)).unwrap_or_default()
    }

    /// The number of the segment that a value is read from; nothing for ISA and GS.
    fn segment_of(&self, value: &Value<'_>) -> Option<usize> {
        let segments = self.set.segments();
        let at = segments.partition_point(|segment| segment.offset() <= value.offset).checked_sub(1)?;
        let segment = segments.get(at)?;
        (value.offset < segment.offset() + segment.raw().len().max(1) as u64).then_some(at)
    }

    /// The values by which a field holds: where one is enough, those that make it hold, and else all.
    fn deciding(&self, read: Read<'_>) -> Vec<Option<usize>> {
        let (field, _) = read;
        let values = self.values(read);
        if !one_is_enough(field) || values.len() < 2 {
            return values.iter().map(|value| self.segment_of(value)).collect();
        }
        let references = References::default();
        let reading = ReadFrom { locator: &self.place.locator, span: self.place.span, references: &references };
        let holds = |value: &&Value<'a>| self.set.judge(field, vec![(*value).clone()], reading).passed;
        values.iter().filter(holds).map(|value| self.segment_of(value)).collect()
    }

    /// Elements of the set and its interchange that a row is about. Candor reads those of claims for each field.
    fn own(&self, row: &SafetyRow) -> Vec<Element> {
        let Some(path) = Path::parse(row.element).ok().filter(|_| ![CLAIM, ANSWER].contains(&row.at)) else {
            return Vec::new();
        };
        let values = self.set.values(&path).unwrap_or_default();
        values.into_iter().map(|value| self.element(row, &path, value)).collect()
    }

    fn element(&self, row: &SafetyRow, path: &Path, value: Value<'_>) -> Element {
        let span = value.offset..value.offset + value.len as u64;
        let named = self.is_named(path, &value.text, self.segment_of(&value));
        Element {
            path: row.element.to_owned(),
            value: json!(value.text),
            source: if self.set.is_located() {
                Location::bytes(self.place.locator.as_str(), span)
            } else {
                self.place.clone()
            },
            named,
            assert: row.element.to_owned(),
        }
    }

    /// True if the author named this value of the element: by a field that reads this segment, or by a condition in a
    /// path.
    fn is_named(&self, path: &Path, text: &str, segment: Option<usize>) -> bool {
        let Some(meant) = path.element() else { return false };
        let same = |named: &NamedElement| {
            let component = named.component.is_none() || named.component == meant.component;
            named.element == meant.element && (component || meant.component.is_none() && named.component == Some(1))
        };
        let references = References::default();
        self.fields().zip(&self.named).any(|((field, part), named)| {
            let Some(read) = field.path.path() else { return false };
            let on_segment = || read.conditions().any(|(named, value)| same(&named) && value == text);
            let by_path = read.segment() == path.segment() && on_segment();
            let begins = |id: &str| {
                let loops = Guide::all().flat_map(Guide::loops).filter(|known| known.id() == id);
                loops.filter_map(|known| known.first()).any(|first| path.segment().is(first.id()))
            };
            let on_loop = read.loops().iter().any(|step| {
                let by_first = step.conditions().any(|(named, value)| same(&named) && value == text);
                let inside = |(inner, value): (&Path, &str)| {
                    let own = || inner.conditions().any(|(named, value)| same(&named) && value == text);
                    let reads = value == text && inner.element().as_ref().is_some_and(same);
                    inner.segment() == path.segment() && (reads || own())
                };
                by_first && begins(step.id()) || step.inner().any(inside)
            });
            let by_value = || {
                let reads = read.segment() == path.segment() && read.element().as_ref().is_some_and(same);
                let names = |value: &&Value<'_>| field.names(&Datum::Text(value.text.clone()), &references);
                let find = || self.values((field, part)).iter().filter(names).map(|one| self.segment_of(one)).collect();
                reads && named.get_or_init(find).contains(&segment)
            };
            by_path || on_loop || by_value()
        })
    }

    /// A void: every claim that a field speaks of says that it takes one back.
    fn void(&self, asserting: &Asserting) -> Option<UnsafeMatch> {
        let mut rows = TABLE.rows().iter().filter(|row| row.at == CLAIM && row.undoes.is_none());
        rows.find_map(|row| {
            let path = Path::parse(row.element).ok().filter(|_| asserting.concerns(row))?;
            let unsafe_claim = |claim: &Claim| {
                let segments = self.set.segments().get(claim.clone()).unwrap_or_default();
                let value = path.select_among(segments.iter().copied()).into_iter().next()?;
                let is_unsafe = row.values.hold_text(&value.text);
                is_unsafe.then(|| row.unsafe_match(self.element(row, &path, value)))?
            };
            let all_of = |claims: &[Claim]| {
                let mut unsafe_ones = claims.iter().map(unsafe_claim);
                let first = unsafe_ones.next()??;
                unsafe_ones.all(|other| other.is_some()).then_some(first)
            };
            let around = |segment: Option<usize>| match segment.and_then(|number| self.units.claim_with(number)) {
                Some(claim) => unsafe_claim(claim),
                None => all_of(self.units.claims_around(segment)),
            };
            let of_field = |read: Read<'_>| every(self.deciding(read).into_iter().map(around), one_is_enough(read.0));
            let is_read = self.fields().next().is_some();
            if is_read { self.fields().find_map(of_field) } else { all_of(self.units.claims_around(None)) }
        })
    }

    fn reversed(&self, asserting: &Asserting, history: &History<'_>) -> Option<UnsafeMatch> {
        let row = TABLE.rows().iter().find(|row| row.at == CLAIM && row.undoes.is_some())?;
        if !asserting.concerns(row) {
            return None;
        }
        let path = Path::parse(row.element).ok()?;
        let of_claim = |segment: Option<usize>| {
            let claim = self.units.claim_with(segment?)?;
            let clp = self.set.segments().get(claim.start).filter(|first| first.id().is("CLP"))?;
            let own = RemittedClaim::of(clp, self.set.view(), self.place, self.set.is_located());
            let after = history.after(&own, |_| true);
            // Whether the last word on the claim takes it back.
            let in_the_end = || {
                let own = fact(row, &own, FactRole::Undone, Some(0));
                undone(&TABLE, asserting, &Facts::new(&facts(row, &after)), &[own])
            };
            if !own.is_reversal() {
                return in_the_end();
            }
            let value = path.select_among(std::iter::once(*clp)).into_iter().next()?;
            let found = row.unsafe_match(self.element(row, &path, value))?;
            let corrections: Vec<bool> =
                after.iter().filter(|(other, _)| !other.is_reversal()).map(|(_, is_known)| *is_known).collect();
            match corrections.as_slice() {
                [] => Some(found),
                known if known.contains(&true) => in_the_end(),
                // The order of the two is not known.
                _ => Some(UnsafeMatch { result: found.result.because(FieldReason::Undecidable), ..found }),
            }
        };
        let of_field = |read: Read<'_>| every(self.deciding(read).into_iter().map(of_claim), one_is_enough(read.0));
        let found: Vec<UnsafeMatch> = self.fields().filter_map(of_field).collect();
        let certain = found.iter().position(|found| !found.is_undecidable()).unwrap_or_default();
        found.into_iter().nth(certain)
    }

    /// An AAA at the level of an answer that a field reads, or at one around it: the set says both that the request was
    /// answered and that it was rejected.
    fn rejected(&self, asserting: &Asserting) -> Option<UnsafeMatch> {
        let row = TABLE.rows().iter().find(|row| row.at == ANSWER && asserting.concerns(row))?;
        let path =
            Path::parse(row.element).ok().filter(|_| ["271", "278"].contains(&self.set.transaction().as_str()))?;
        let reads_it = |(field, _): Read<'_>| field.path.path().is_some_and(|read| read.segment() == path.segment());
        if self.fields().any(reads_it) {
            return None;
        }
        let segments = self.set.segments();
        let levels = rejections(segments);
        if levels.iter().all(|(_, rejected)| rejected.is_none()) {
            return None;
        }
        let is_answer = |at: &usize| segments.get(*at).is_some_and(|one| ANSWERS.iter().any(|id| one.id().is(id)));
        let above = |answer: Option<usize>| {
            let answer = answer.filter(is_answer)?;
            let level = levels.partition_point(|(start, _)| *start <= answer).checked_sub(1)?;
            let rejection = segments.get(levels.get(level)?.1?)?;
            let value = path.select_among(std::iter::once(*rejection)).into_iter().next()?;
            let found =
                row.values.hold_text(&value.text).then(|| row.unsafe_match(self.element(row, &path, value)))??;
            Some(UnsafeMatch {
                result: found.result.because(FieldReason::Undecidable),
                why: format!("the request was answered, and rejected: {}", found.why),
            })
        };
        self.fields().find_map(|read| every(self.deciding(read).into_iter().map(above), one_is_enough(read.0)))
    }

    fn reads_remitted_claim(&self) -> bool {
        let is_claim = |segment: &Option<usize>| segment.is_some_and(|number| self.units.claim_with(number).is_some());
        self.fields().any(|read| self.deciding(read).iter().any(is_claim))
    }
}

pub(crate) fn hangs_on_remittances(
    settings: &Settings,
    reads: &[Read<'_>],
    set: &ReadSet<'_>,
    place: &Location,
) -> bool {
    set.transaction() == "835" && {
        let looking = Looking::of(reads, set, place);
        settings.answer.is_some() || looking.reads_remitted_claim()
    }
}

const CLAIM: &str = "claim";
const ANSWER: &str = "answer";

/// The segments that answer a request, which an AAA at their level or one around it contradicts.
const ANSWERS: [&str; 2] = ["EB", "HCR"];

/// True if one of the values that a field's path selects is enough. A list of values and their number are about all of
/// them.
fn one_is_enough(field: &Field<SetPath>) -> bool {
    let is_list = matches!(&field.expected, Expected::Equals(candor_json::Value::Array(_)) | Expected::Count(_));
    field.quantifier == Quantifier::Any && !is_list
}

/// Of what decides a field: where one is enough, all of it has to be unsafe, and else one.
fn every(found: impl Iterator<Item = Option<UnsafeMatch>>, one_is_enough: bool) -> Option<UnsafeMatch> {
    let mut found = found;
    if !one_is_enough {
        return found.flatten().next();
    }
    let first = found.next()??;
    let mut undecided = first.is_undecidable().then(|| first.clone());
    for other in found {
        let other = other?;
        if other.is_undecidable() {
            undecided.get_or_insert(other);
        }
    }
    Some(undecided.unwrap_or(first))
}
