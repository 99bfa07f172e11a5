//! Rules about numbers that refer to something else in the set.

use std::collections::HashSet;

use candor_x12::Segment;

use super::Reading;
use crate::validate::Finding;

/// The rules in words, with the guides they are of.
pub(super) const WORDS: [(&str, &str); 3] = [
    ("all with HL", "HL04 says whether there are levels below (1) or not (0)"),
    ("X222", "the pointers of SV107 lead to diagnoses that HI of the claim has"),
    ("X222, X223, X224", "SVD01 names a payer whose name, NM109, stands in a 2330B of the claim"),
];

pub(super) fn check(reading: &Reading<'_, '_>, findings: &mut Vec<Finding>) {
    let [(_, levels), (_, pointers), (_, payers)] = WORDS;
    children(reading, levels, findings);
    if reading.loops.guide().transaction() == "837" {
        for claim in reading.occurrences("2300") {
            if reading.loops.guide().id().starts_with("005010X222") {
                diagnoses(reading, claim, pointers, findings);
            }
            adjudications(reading, claim, payers, findings);
        }
    }
}

/// HL04 (data element 736): 1, another HL names this one as its parent; 0, none does.
fn children(reading: &Reading<'_, '_>, words: &str, findings: &mut Vec<Finding>) {
    let levels = || reading.segments.iter().enumerate().filter(|(_, segment)| segment.id().is("HL"));
    let parents: HashSet<_> = levels().map(|(_, level)| level.text(2)).filter(|parent| !parent.is_empty()).collect();
    for (number, level) in levels() {
        let has_children = parents.contains(&level.text(1));
        if matches!((level.text(4).as_ref(), has_children), ("0", true) | ("1", false)) {
            findings.push(reading.finding(number, "IK403:7", Some(4), words.to_owned()));
        }
    }
}

/// The pointers of 2400 SV107 count the diagnoses of HI*ABK or HI*BK.
fn diagnoses(reading: &Reading<'_, '_>, claim: usize, words: &str, findings: &mut Vec<Finding>) {
    let is_diagnosis = |first: &Segment<'_>| matches!(component(first, 1, 1).as_str(), "ABK" | "BK");
    let Some((_, diagnoses)) = reading.held(claim, "HI").find(|(_, segment)| is_diagnosis(segment)) else { return };
    let delimiters = diagnoses.delimiters();
    let count = diagnoses.elements().filter(|element| !element.is_empty(delimiters)).count();
    for line in reading.occurrences("2400").filter(|&line| reading.is_within(line, claim)) {
        for (number, service) in reading.held(line, "SV1") {
            let pointers = (1..=4).map(|at| component(service, 7, at)).filter(|pointer| !pointer.is_empty());
            let leads = |pointer: String| pointer.parse().is_ok_and(|at: usize| (1..=count).contains(&at));
            if !pointers.into_iter().all(leads) {
                let expected = format!("{words} (it has {count})");
                findings.push(reading.finding(number, "IK403:7", Some(7), expected));
            }
        }
    }
}

fn adjudications(reading: &Reading<'_, '_>, claim: usize, words: &str, findings: &mut Vec<Finding>) {
    let within = |id: &'static str| reading.occurrences(id).filter(|&at| reading.is_within(at, claim));
    let payers: Vec<_> =
        within("2330B").flat_map(|payer| reading.held(payer, "NM1")).map(|(_, name)| name.text(9)).collect();
    for (number, payment) in within("2430").flat_map(|at| reading.held(at, "SVD")) {
        if !payers.contains(&payment.text(1)) {
            findings.push(reading.finding(number, "IK403:I12", Some(1), words.to_owned()));
        }
    }
}

fn component(segment: &Segment<'_>, element: usize, component: usize) -> String {
    let delimiters = segment.delimiters();
    let piece = segment.element(element).and_then(|element| element.components(delimiters).nth(component - 1));
    piece.map(|piece| piece.text().into_owned()).unwrap_or_default()
}
