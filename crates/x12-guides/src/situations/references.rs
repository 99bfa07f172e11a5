//! Rules about numbers that refer to something else in the set.

use std::collections::{HashMap, HashSet};

use candor_x12::Segment;

use super::Reading;
use crate::validate::Finding;

/// The rules in words, with the guides they are of.
pub(super) const WORDS: [(&str, &str); 6] = [
    ("all with HL", "HL04 says whether there are levels below (1) or not (0)"),
    ("X222", "the pointers of SV107 lead to diagnoses that HI of the claim has"),
    ("X224", "the pointers of SV311 lead to diagnoses that HI of the claim has"),
    ("X222, X223, X224", "SVD01 names a payer whose name, NM109, is in a 2330B of the claim"),
    ("X222, X223, X224", "the lines of a claim are numbered from 1, one by one (LX01)"),
    ("X222, X223, X224", "a subscriber who is the patient (SBR02 18) has no patient below, 2000C"),
];

pub(super) fn check(reading: &Reading<'_, '_>, findings: &mut Vec<Finding>) {
    let [(_, levels), (_, pointers), (_, dental), (_, payers), (_, numbers), (_, patient)] = WORDS;
    children(reading, levels, findings);
    if reading.loops.guide().transaction() == "837" {
        let within = Within::of(reading);
        for claim in reading.occurrences("2300") {
            let lines = within.of_claim(claim, "2400");
            match reading.loops.guide().id().get(..10) {
                Some("005010X222") => diagnoses(reading, claim, lines, ("SV1", 7, pointers), findings),
                Some("005010X224") => diagnoses(reading, claim, lines, ("SV3", 11, dental), findings),
                _ => {}
            }
            numbered(reading, lines, numbers, findings);
            let [payments, names] = ["2430", "2330B"].map(|id| within.of_claim(claim, id));
            adjudications(reading, payments, names, payers, findings);
        }
        patients(reading, patient, findings);
    }
}

/// The loops that rules look at in each claim: every claim is then looked at for itself alone.
struct Within(HashMap<(usize, &'static str), Vec<usize>>);

impl Within {
    fn of(reading: &Reading<'_, '_>) -> Self {
        let mut within: HashMap<_, Vec<usize>> = HashMap::new();
        for id in ["2400", "2430", "2330B"] {
            for occurrence in reading.occurrences(id) {
                if let Some(claim) = reading.around(occurrence).find(|&at| reading.is_of(at, "2300")) {
                    within.entry((claim, id)).or_default().push(occurrence);
                }
            }
        }
        Self(within)
    }

    fn of_claim(&self, claim: usize, id: &'static str) -> &[usize] {
        self.0.get(&(claim, id)).map(Vec::as_slice).unwrap_or_default()
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

/// LX01 of the lines of one claim: 1, 2, 3.
fn numbered(reading: &Reading<'_, '_>, lines: &[usize], words: &str, findings: &mut Vec<Finding>) {
    for (expected, &line) in (1_usize..).zip(lines) {
        for (number, lx) in reading.held(line, "LX").take(1) {
            if lx.text(1) != expected.to_string() {
                findings.push(reading.finding(number, "IK403:7", Some(1), format!("{expected}: {words}")));
            }
        }
    }
}

/// A 2000C in a 2000B whose SBR02 is 18.
fn patients(reading: &Reading<'_, '_>, words: &str, findings: &mut Vec<Finding>) {
    let with_patient: HashSet<usize> = reading
        .occurrences("2000C")
        .filter_map(|patient| reading.around(patient).find(|&at| reading.is_of(at, "2000B")))
        .collect();
    for subscriber in reading.occurrences("2000B").filter(|subscriber| with_patient.contains(subscriber)) {
        for (number, insured) in reading.held(subscriber, "SBR") {
            if insured.text(2) == "18" {
                findings.push(reading.finding(number, "IK403:I12", Some(2), words.to_owned()));
            }
        }
    }
}

/// The pointers of a line count the diagnoses of HI*ABK or HI*BK of its claim.
fn diagnoses(
    reading: &Reading<'_, '_>,
    claim: usize,
    lines: &[usize],
    (service_id, element, words): (&str, usize, &str),
    findings: &mut Vec<Finding>,
) {
    let is_diagnosis = |first: &Segment<'_>| matches!(component(first, 1, 1).as_str(), "ABK" | "BK");
    let Some((_, diagnoses)) = reading.held(claim, "HI").find(|(_, segment)| is_diagnosis(segment)) else { return };
    let delimiters = diagnoses.delimiters();
    let count = diagnoses.elements().filter(|element| !element.is_empty(delimiters)).count();
    for &line in lines {
        for (number, service) in reading.held(line, service_id) {
            let pointers = (1..=4).map(|at| component(service, element, at)).filter(|pointer| !pointer.is_empty());
            let leads = |pointer: String| pointer.parse().is_ok_and(|at: usize| (1..=count).contains(&at));
            if !pointers.into_iter().all(leads) {
                let expected = format!("{words} (it has {count})");
                findings.push(reading.finding(number, "IK403:7", Some(element), expected));
            }
        }
    }
}

fn adjudications(
    reading: &Reading<'_, '_>,
    payments: &[usize],
    names: &[usize],
    words: &str,
    findings: &mut Vec<Finding>,
) {
    let payers: HashSet<_> =
        names.iter().flat_map(|&payer| reading.held(payer, "NM1")).map(|(_, name)| name.text(9)).collect();
    for (number, payment) in payments.iter().flat_map(|&at| reading.held(at, "SVD")) {
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
