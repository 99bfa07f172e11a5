//! Changes that make the work wrong.

use std::ops::Range;

use candor_check::operators::{Change, Target};
use candor_check::strict_json::{Edit, edited};

use super::{counted, delimiters, element, group_count, named};

pub(super) fn other_member(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let found = named(target, &marks, "NM1", Some("IL")).into_iter().find_map(|segment| element(segment, &marks, 9));
    let change = |(span, was): (Range<usize>, &str)| {
        let sentence = format!("NM109 of the insured became ZZ{was} (it was {was}).");
        target.change([Edit { span, with: format!("ZZ{was}") }], sentence)
    };
    found.filter(|(_, was)| !was.is_empty()).map(change).into_iter().collect()
}

pub(super) fn test_interchange(target: &Target<'_>) -> Vec<Change> {
    // ISA15 is the 103rd byte: the header has fixed places.
    let is_production = target.is_production && target.file().and_then(|file| file.get(102..103)) == Some("P");
    match is_production && delimiters(target).is_some() {
        true => vec![
            target
                .change_file([Edit { span: 102..103, with: "T".to_owned() }], "ISA15 became T (it was P): test data."),
        ],
        false => Vec::new(),
    }
}

pub(super) fn frequency(target: &Target<'_>, code: &str, what: &str) -> Vec<Change> {
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

pub(super) fn reversal(target: &Target<'_>) -> Vec<Change> {
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

pub(super) fn rejected_beside(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    // Only the guides of eligibility and services review have AAA.
    let is_answer = named(target, &marks, "ST", Some("271")).len() + named(target, &marks, "ST", Some("278")).len() > 0;
    let insured = named(target, &marks, "NM1", Some("IL")).into_iter().next();
    let (true, Some((at, text)), Some(count)) = (is_answer, insured, counted(target, &marks, 1)) else {
        return Vec::new();
    };
    let (star, end) = (marks.element, at + text.len());
    let rejection = Edit { span: end..end, with: format!("{}AAA{star}N{star}{star}75{star}C", marks.segment) };
    vec![target.change([rejection, count], "An AAA segment after the insured says that he was not found (AAA03 75).")]
}

pub(super) fn repeated_set(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let Some(set) = target.record().filter(|set| set.starts_with("ST")) else { return Vec::new() };
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
    let Some((count, sets)) = group_count(target, &marks) else { return Vec::new() };
    let counted = Edit { span: count, with: (sets + 1).to_string() };
    vec![target.change_file(
        [again, counted],
        format!("The set is added to {} a second time, with another control number.", target.place.locator),
    )]
}

pub(super) fn other_trace(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let found = named(target, &marks, "TRN", None).into_iter().find_map(|segment| element(segment, &marks, 2));
    let change = |(span, was): (Range<usize>, &str)| {
        target.change([Edit { span, with: format!("{was}-9") }], format!("TRN02 became {was}-9 (it was {was})."))
    };
    found.filter(|(_, was)| !was.is_empty()).map(change).into_iter().collect()
}

/// The first answer about a kind of service, and the review of one, of another kind.
pub(super) fn other_service_type(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    let one = |(name, number): (&str, usize)| {
        let found = named(target, &marks, name, None)
            .into_iter()
            .find_map(|segment| element(segment, &marks, number).filter(|(_, was)| !was.is_empty()));
        let (span, was) = found?;
        let other = if was == "98" { "33" } else { "98" };
        let sentence = format!("{name}{number:02} became {other}, another kind of service (it was {was}).");
        Some(target.change([Edit { span, with: other.to_owned() }], sentence))
    };
    [("EB", 3), ("UM", 3)].into_iter().filter_map(one).collect()
}

/// The plan of an answer ended: on the day on which it began, or long ago.
pub(super) fn ended_coverage(target: &Target<'_>) -> Vec<Change> {
    let Some(marks) = delimiters(target) else { return Vec::new() };
    if named(target, &marks, "ST", Some("271")).is_empty() {
        return Vec::new();
    }
    let (star, end_of) = (marks.element, marks.segment);
    // The statements before the answers hold for all of them.
    let Some((answer, _)) = named(target, &marks, "EB", None).into_iter().next() else { return Vec::new() };
    let begins = |segment: (usize, &str)| {
        let (_, date) = element(segment, &marks, 3)?;
        let is_day = |day: &&str| day.bytes().all(|byte| byte.is_ascii_digit());
        (segment.0 < answer).then(|| date.get(..8).filter(is_day).map(str::to_owned))?
    };
    let begin = ["346", "291", "307", "356"]
        .into_iter()
        .find_map(|qualifier| named(target, &marks, "DTP", Some(qualifier)).into_iter().find_map(begins));
    let end = begin.unwrap_or_else(|| "20000101".to_owned());
    let Some(count) = counted(target, &marks, 1) else { return Vec::new() };
    let put_in = Edit { span: answer..answer, with: format!("DTP{star}347{star}D8{star}{end}{end_of}") };
    vec![target.change([put_in, count], format!("DTP*347 says that the plan ended on {end}."))]
}
