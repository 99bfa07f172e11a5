//! The changes that an audit makes to a transaction set, each with the reason why it is a harm, an equivalent or a
//! breach (005010).

mod breaches;
mod equivalents;
mod harms;

use std::ops::Range;

use candor_check::operators::{Operator, Target};
use candor_check::strict_json::Edit;

use equivalents as same;

/// The operators of X12 transaction sets.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("x12/other-member", harms::other_member,
        "NM109 of the insured is his member number: the answer is about somebody else."),
    Operator::harm("x12/test-interchange", harms::test_interchange,
        "ISA15 T marks test data: for a check of production, the set answers nothing."),
    Operator::harm("x12/void", |target| harms::frequency(target, "8", "void"),
        "CLM05-3 8 voids a claim that was filed before, and files none."),
    Operator::harm("x12/replacement", |target| harms::frequency(target, "7", "replacement"),
        "CLM05-3 7 replaces a claim that was filed before: not the claim that was to be filed."),
    Operator::harm("x12/reversal", harms::reversal,
        "CLP02 22 takes a payment back."),
    Operator::harm("x12/rejected-beside", harms::rejected_beside,
        "AAA says that the request, or a part of it, was rejected; AAA03 says why."),
    Operator::harm("x12/repeated-set", harms::repeated_set,
        "The same set with another control number is a second transaction."),
    Operator::harm("x12/other-trace", harms::other_trace,
        "TRN02 reassociates an answer with its request: this answer is to another one."),
    Operator::harm("x12/other-service-type", harms::other_service_type,
        "EB03 and UM03 name the kind of service: the answer is about another one."),
    Operator::harm("x12/ended-coverage", harms::ended_coverage,
        "DTP01 347 is the end of the plan: a coverage that is over covers nothing."),
    Operator::equivalent("x12/newline-terminators", same::newline_terminators,
        "Line ends after a segment terminator are of the medium and no part of the data."),
    Operator::equivalent("x12/other-delimiters", same::other_delimiters,
        "The interchange header names its own delimiters."),
    Operator::equivalent("x12/80-columns", same::columns,
        "Line ends within a wrapped file are of the medium: the segment terminator alone ends a segment."),
    Operator::equivalent("x12/own-interchange", same::own_interchange,
        "An interchange holds groups, and a group sets: which of them travel together says nothing of them."),
    Operator::equivalent("x12/beside-others", same::beside_others,
        "A group holds one set or more: adding the set of another person does not change this one."),
    Operator::equivalent("x12/optional-segment", same::optional_segment,
        "MSG, NTE and REF are situational: they add free text and further numbers."),
    Operator::breach("x12/forbidden-set", breaches::forbidden_set,
        "A set of the transaction and the values that the criterion forbids."),
];

struct Delimiters {
    element: char,
    component: char,
    segment: char,
}

fn delimiters(target: &Target<'_>) -> Option<Delimiters> {
    let header = target.file()?.get(..106).filter(|header| header.starts_with("ISA") && header.is_ascii())?;
    let at = |place: usize| header.chars().nth(place);
    Some(Delimiters { element: at(3)?, component: at(104)?, segment: at(105)? })
}

fn segments<'a>(target: &Target<'a>, marks: &Delimiters) -> Vec<(usize, &'a str)> {
    let mut at = 0;
    let mut found = Vec::new();
    for segment in target.record().unwrap_or_default().split_inclusive(marks.segment) {
        let text = segment.trim_end_matches(marks.segment).trim_start();
        let lead = segment.len() - segment.trim_start().len();
        if !text.is_empty() {
            found.push((at + lead, text));
        }
        at += segment.len();
    }
    found
}

fn element<'a>(segment: (usize, &'a str), marks: &Delimiters, number: usize) -> Option<(Range<usize>, &'a str)> {
    let mut at = segment.0;
    for (index, text) in segment.1.split(marks.element).enumerate() {
        if index == number {
            return Some((at..at + text.len(), text));
        }
        at += text.len() + 1;
    }
    None
}

/// Segments of a name, and of a first element where one is given.
fn named<'a>(target: &Target<'a>, marks: &Delimiters, name: &str, first: Option<&str>) -> Vec<(usize, &'a str)> {
    let is_one = |segment: &(usize, &str)| {
        let mut elements = segment.1.split(marks.element);
        elements.next() == Some(name) && first.is_none_or(|first| elements.next() == Some(first))
    };
    segments(target, marks).into_iter().filter(is_one).collect()
}

/// SE01 with some segments more.
fn counted(target: &Target<'_>, marks: &Delimiters, more: u64) -> Option<Edit> {
    let (span, count) =
        named(target, marks, "SE", None).into_iter().next_back().and_then(|segment| element(segment, marks, 1))?;
    Some(Edit { span, with: (count.parse::<u64>().ok()? + more).to_string() })
}

/// The trailer of the set's group: the number of its sets, with its place in the file.
fn group_count(target: &Target<'_>, marks: &Delimiters) -> Option<(Range<usize>, u64)> {
    let file = target.file()?;
    let end = target.start() + target.record()?.len();
    let mut at = end;
    for segment in file.get(end..)?.split_inclusive(marks.segment) {
        let text = segment.trim_start_matches(|c: char| c == marks.segment || c.is_whitespace());
        let start = at + (segment.len() - text.len());
        if let Some(rest) = text.strip_prefix("GE").and_then(|rest| rest.strip_prefix(marks.element)) {
            let count: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let from = start + 2 + marks.element.len_utf8();
            return Some((from..from + count.len(), count.parse().ok()?));
        }
        at += segment.len();
    }
    None
}
