//! What an audit changes of a transaction set, and why each is a harm or none, with the words of the guides (005010).

use std::ops::Range;

use candor_check::operators::{Change, Operator, Target};
use candor_check::strict_json::{Edit, edited};

/// The operators of X12 transaction sets.
#[rustfmt::skip]
pub const OPERATORS: &[Operator] = &[
    Operator::harm("x12/other-member", other_member,
        "NM109 of the insured is his member number: the answer is about somebody else."),
    Operator::harm("x12/test-interchange", test_interchange,
        "ISA15 T: \"Test Data\"; where production is looked at, nothing was answered."),
    Operator::harm("x12/void", |target| frequency(target, "8", "void"),
        "CLM05-3 8: \"Void/Cancel of Prior Claim\"."),
    Operator::harm("x12/replacement", |target| frequency(target, "7", "replacement"),
        "CLM05-3 7: \"Replacement of Prior Claim\": not the claim that was to be filed."),
    Operator::harm("x12/reversal", reversal,
        "CLP02 22: \"Reversal of Previous Payment\"."),
    Operator::harm("x12/rejected-beside", rejected_beside,
        "AAA01 N: the request is \"not valid\", or the transaction was rejected; AAA03 says why."),
    Operator::harm("x12/repeated-set", repeated_set,
        "The same set with another control number is a second transaction."),
    Operator::harm("x12/other-trace", other_trace,
        "TRN02 reassociates an answer with its request: this answer is to another one."),
    Operator::equivalent("x12/newline-terminators", newline_terminators,
        "Line ends after a segment terminator are of the medium and no part of the data."),
    Operator::equivalent("x12/other-delimiters", other_delimiters,
        "The interchange header names its own delimiters."),
];

/// The delimiters of the interchange that a file begins with.
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

/// The segments of the set, each with its place in the record.
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

fn other_member(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let found = named(target, &marks, "NM1", Some("IL")).into_iter().find_map(|segment| element(segment, &marks, 9));
    let change = |(span, was): (Range<usize>, &str)| {
        let sentence = format!("NM109 of the insured became ZZ{was} (it was {was}).");
        target.change([Edit { span, with: format!("ZZ{was}") }], sentence)
    };
    found.filter(|(_, was)| !was.is_empty()).map(change).into_iter().collect()
}

fn test_interchange(target: &Target<'_>) -> Vec<Change> {
    // ISA15 stands at the 103rd byte: the header has fixed places.
    let is_production = target.is_production && target.file().and_then(|file| file.get(102..103)) == Some("P");
    match is_production && delimiters(target).is_some() {
        true => vec![
            target
                .change_file([Edit { span: 102..103, with: "T".to_owned() }], "ISA15 became T (it was P): test data."),
        ],
        false => Vec::new(),
    }
}

fn frequency(target: &Target<'_>, code: &str, what: &str) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let one = |segment| {
        let (span, was) = element(segment, &marks, 5)?;
        let (before, old) = was.rsplit_once(marks.component).filter(|(_, old)| *old != code)?;
        let at = span.start + before.len() + marks.component.len_utf8();
        let sentence = format!("CLM05-3 became {code}, {what} (it was {old}).");
        Some(target.change([Edit { span: at..at + old.len(), with: code.to_owned() }], sentence))
    };
    named(target, &marks, "CLM", None).into_iter().filter_map(one).collect()
}

fn reversal(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let one = |segment| {
        let (span, was) = element(segment, &marks, 2).filter(|(_, was)| *was != "22")?;
        Some(
            target
                .change([Edit { span, with: "22".to_owned() }], format!("CLP02 became 22, a reversal (it was {was}).")),
        )
    };
    named(target, &marks, "CLP", None).into_iter().filter_map(one).collect()
}

/// SE01 with some segments more.
fn counted(target: &Target<'_>, marks: &Delimiters, more: u64) -> Option<Edit> {
    let (span, count) =
        named(target, marks, "SE", None).into_iter().next_back().and_then(|segment| element(segment, marks, 1))?;
    Some(Edit { span, with: (count.parse::<u64>().ok()? + more).to_string() })
}

fn rejected_beside(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    // AAA stands in the guides of eligibility and services review alone.
    let is_answer = named(target, &marks, "ST", Some("271")).len() + named(target, &marks, "ST", Some("278")).len() > 0;
    let insured = named(target, &marks, "NM1", Some("IL")).into_iter().next();
    let (true, Some((at, text)), Some(count)) = (is_answer, insured, counted(target, &marks, 1)) else {
        return Vec::new();
    };
    let (star, end) = (marks.element, at + text.len());
    let rejection = Edit { span: end..end, with: format!("{}AAA{star}N{star}{star}75{star}C", marks.segment) };
    vec![target.change([rejection, count], "An AAA segment after the insured says that he was not found (AAA03 75).")]
}

fn repeated_set(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let (Some(set), Some(file)) = (target.record().filter(|set| set.starts_with("ST")), target.file()) else {
        return Vec::new();
    };
    let first = named(target, &marks, "ST", None).into_iter().next().and_then(|segment| element(segment, &marks, 2));
    let last =
        named(target, &marks, "SE", None).into_iter().next_back().and_then(|segment| element(segment, &marks, 2));
    let (Some((first, number)), Some((last, _))) = (first, last) else { return Vec::new() };
    let other = number.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect::<String>();
    let renumbered =
        edited(set.as_bytes(), &[Edit { span: first, with: other.clone() }, Edit { span: last, with: other }]);
    let end = target.start() + set.len();
    let again = Edit { span: end..end, with: String::from_utf8_lossy(&renumbered).into_owned() };
    // The group behind it counts its sets.
    let trailer = format!("{}GE{}", marks.segment, marks.element);
    let Some(at) = file
        .get(end.saturating_sub(1)..)
        .and_then(|rest| rest.find(&trailer))
        .map(|at| at + end.saturating_sub(1) + trailer.len())
    else {
        return Vec::new();
    };
    let count: String = file.get(at..).into_iter().flat_map(str::chars).take_while(char::is_ascii_digit).collect();
    let Ok(sets) = count.parse::<u64>() else { return Vec::new() };
    let counted = Edit { span: at..at + count.len(), with: (sets + 1).to_string() };
    vec![target.change_file(
        [again, counted],
        format!("The set stands in {} a second time, with another control number.", target.place.locator),
    )]
}

fn other_trace(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let found = named(target, &marks, "TRN", None).into_iter().find_map(|segment| element(segment, &marks, 2));
    let change = |(span, was): (Range<usize>, &str)| {
        target.change([Edit { span, with: format!("{was}-9") }], format!("TRN02 became {was}-9 (it was {was})."))
    };
    found.filter(|(_, was)| !was.is_empty()).map(change).into_iter().collect()
}

fn newline_terminators(target: &Target<'_>) -> Vec<Change> {
    let (Some(marks), Some(file)) = (delimiters(target), target.file()) else { return Vec::new() };
    if file.contains('\n') {
        return Vec::new();
    }
    let with = file.replace(marks.segment, &format!("{}\n", marks.segment));
    let edit = Edit { span: 0..file.len(), with };
    vec![target.change_file([edit], format!("Each segment of {} stands on a line of its own.", target.place.locator))]
}

fn other_delimiters(target: &Target<'_>) -> Vec<Change> {
    let (Some(marks), Some(file)) = (delimiters(target), target.file()) else { return Vec::new() };
    if file.contains(['|', '!']) || file.matches("ISA").count() > 1 {
        return Vec::new();
    }
    let with = file.replace(marks.element, "|").replace(marks.segment, "!");
    let edit = Edit { span: 0..file.len(), with };
    vec![target.change_file([edit], format!("{} has other delimiters.", target.place.locator))]
}
