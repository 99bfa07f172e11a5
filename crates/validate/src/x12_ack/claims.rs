//! 277CA (X214): which claims of an 837 are accepted.

use super::amounts::{amount, cents};
use super::{group, plain, segment, set};
use crate::Stamp;
use crate::x12::{Fault, SeenInterchange, SeenSet};

const GUIDE: &str = "005010X214";

pub(super) fn write(interchange: &SeenInterchange, stamp: &Stamp, text: &mut String) {
    let all = interchange.groups.iter().flat_map(|group| &group.sets);
    let answered = all.filter(|set| set.transaction == "837" && !set.segments.is_empty());
    let sets: Vec<String> =
        (1..).zip(answered).map(|(number, claims)| set(number, ("277", GUIDE), &of_set(claims, stamp))).collect();
    if !sets.is_empty() {
        group(interchange, stamp, ("HN", GUIDE), text, &sets);
    }
}

struct Claim<'s> {
    number: String,
    charge: String,
    patient: Vec<String>,
    provider: usize,
    service: Option<&'s [String]>,
    /// Runs of segments, from and to: the levels around it and itself.
    runs: Vec<(usize, usize)>,
}

fn get(segment: &[String], position: usize) -> String {
    segment.get(position).map(|text| plain(text)).unwrap_or_default()
}

fn of_set(set: &SeenSet, stamp: &Stamp) -> String {
    let claims = claims(&set.segments);
    let rejected = |claim: &Claim<'_>| -> Vec<&Fault> {
        let concerns = |fault: &&Fault| {
            let at = fault.position.saturating_sub(1);
            fault.position == 0 || claim.runs.iter().any(|(from, to)| (*from..*to).contains(&at))
        };
        set.faults.iter().filter(concerns).collect()
    };
    let name =
        |code: &str| set.segments.iter().find(|s| get(s, 0) == "NM1" && get(s, 1) == code).cloned().unwrap_or_default();
    let reference = set.segments.iter().find(|s| get(s, 0) == "BHT").map(|s| get(s, 3)).unwrap_or_default();
    let (date, time) = (stamp.date.as_str(), stamp.time.as_str());
    let mut text = String::new();
    segment(&mut text, &["BHT", "0085", "08", &reference, date, time, "TH"]);
    segment(&mut text, &["HL", "1", "", "20", "1"]);
    let payer = name("40");
    segment(&mut text, &["NM1", "PR", "2", &get(&payer, 3), "", "", "", "", "46", &get(&payer, 9)]);
    segment(&mut text, &["TRN", "1", &reference]);
    segment(&mut text, &["DTP", "050", "D8", date]);
    segment(&mut text, &["DTP", "009", "D8", date]);
    let decided: Vec<(&Claim<'_>, Vec<&Fault>)> = claims.iter().map(|claim| (claim, rejected(claim))).collect();
    let accepted = decided.iter().filter(|(_, faults)| faults.is_empty()).count();
    let sum = |wanted: bool| {
        let charges = decided.iter().filter(|(_, faults)| faults.is_empty() == wanted);
        charges.map(|(claim, _)| cents(&claim.charge)).sum::<Option<i128>>().map(amount)
    };
    segment(&mut text, &["HL", "2", "1", "21", if claims.is_empty() { "0" } else { "1" }]);
    let submitter = name("41");
    let of_submitter = |position| get(&submitter, position);
    segment(
        &mut text,
        &[
            "NM1",
            "41",
            &of_submitter(2),
            &of_submitter(3),
            &of_submitter(4),
            &of_submitter(5),
            "",
            "",
            "46",
            &of_submitter(9),
        ],
    );
    segment(&mut text, &["TRN", "2", &reference]);
    let total = claims.iter().map(|claim| cents(&claim.charge)).sum::<Option<i128>>().map(amount).unwrap_or_default();
    let whole = if accepted == 0 { ["A3:21", "U"] } else { ["A1:19:PR", "WQ"] };
    segment(&mut text, &["STC", whole[0], date, whole[1], &total]);
    for (code, number) in [("90", accepted), ("AA", claims.len() - accepted)] {
        if number > 0 {
            segment(&mut text, &["QTY", code, &number.to_string()]);
        }
    }
    for (code, wanted) in [("YU", true), ("YY", false)] {
        if decided.iter().any(|(_, faults)| faults.is_empty() == wanted)
            && let Some(sum) = sum(wanted)
        {
            segment(&mut text, &["AMT", code, &sum]);
        }
    }
    let mut level = 2;
    let mut provider = None;
    for (claim, faults) in &decided {
        if provider.is_none_or(|(at, _)| at != claim.provider) {
            level += 1;
            provider = Some((claim.provider, level));
            segment(&mut text, &["HL", &level.to_string(), "2", "19", "1"]);
            let own = set.segments.get(claim.provider).cloned().unwrap_or_default();
            let of = |position| get(&own, position);
            segment(&mut text, &["NM1", "85", &of(2), &of(3), &of(4), &of(5), "", &of(7), &of(8), &of(9)]);
            // This reports nothing about the provider itself: X214 then has 0 as the trace.
            segment(&mut text, &["TRN", "1", "0"]);
            let of_provider = || decided.iter().filter(|(other, _)| other.provider == claim.provider);
            let charges = of_provider().map(|(claim, _)| cents(&claim.charge)).sum::<Option<i128>>();
            let some = of_provider().any(|(_, faults)| faults.is_empty());
            let [code, action] = if some { ["A1:19:PR", "WQ"] } else { ["A3:21", "U"] };
            segment(&mut text, &["STC", code, "", action, &charges.map(amount).unwrap_or_default()]);
        }
        level += 1;
        let parent = provider.map_or(2, |(_, level)| level);
        segment(&mut text, &["HL", &level.to_string(), &parent.to_string(), "PT"]);
        let of = |position| get(&claim.patient, position);
        let number = of(9);
        let qualifier = if number.is_empty() { "" } else { "MI" };
        segment(&mut text, &["NM1", "QC", "1", &of(3), &of(4), &of(5), "", &of(7), qualifier, &number]);
        segment(&mut text, &["TRN", "2", &claim.number]);
        segment(&mut text, &["STC", status(faults), date, if faults.is_empty() { "WQ" } else { "U" }, &claim.charge]);
        if let Some(service) = claim.service.filter(|_| !faults.iter().any(|fault| fault.segment == "DTP")) {
            segment(&mut text, &["DTP", "472", &get(service, 2), &get(service, 3)]);
        }
    }
    text
}

/// Accepted (A2), or rejected for what is missing (A6), for what does not fit the rest (A8), for anything else (A7).
fn status(faults: &[&Fault]) -> &'static str {
    let is_missing =
        |fault: &&Fault| matches!(&*fault.code, "IK403:1" | "IK403:2" | "IK304:3" | "IK304:I6" | "IK403:I9");
    match faults {
        [] => "A2:20:PR",
        all if all.iter().all(is_missing) => "A6:21",
        all if all.iter().all(|fault| fault.code == "IK403:I12") => "A8:21",
        _ => "A7:21",
    }
}

fn claims(segments: &[Vec<String>]) -> Vec<Claim<'_>> {
    let is_level = |s: &Vec<String>| get(s, 0) == "HL";
    let ends = |from: usize, of_claim: bool| {
        let rest = segments.iter().enumerate().skip(from + 1);
        let end = |(_, s): &(usize, &Vec<String>)| is_level(s) || get(s, 0) == "SE" || of_claim && get(s, 0) == "CLM";
        rest.clone().find(end).map_or(segments.len(), |(at, _)| at)
    };
    let first_level = segments.iter().position(is_level).unwrap_or(0);
    // The runs of the levels that are open, without the claims in them.
    let (mut provider, mut subscriber, mut patient) = ((0, 0), (0, 0), (0, 0));
    let (mut billing, mut insured, mut person) = (0, Vec::new(), Vec::new());
    let mut found: Vec<Claim<'_>> = Vec::new();
    for (at, own) in segments.iter().enumerate() {
        match (get(own, 0).as_str(), get(own, 1).as_str()) {
            ("HL", _) => {
                let run = (at, ends(at, true));
                match get(own, 3).as_str() {
                    "20" => (provider, subscriber, patient) = (run, (0, 0), (0, 0)),
                    "22" => {
                        (subscriber, patient) = (run, (0, 0));
                        person.clear();
                    }
                    _ => patient = run,
                }
            }
            ("NM1", "85") => billing = at,
            ("NM1", "IL") if found.last().is_none_or(|claim| claim.runs.iter().all(|run| run.1 <= at)) => {
                insured = own.clone();
            }
            ("NM1", "QC") => person = own.clone(),
            ("CLM", _) => {
                let run = (at, ends(at, true));
                let inside = segments.get(run.0..run.1).unwrap_or_default();
                let date = |code: &str| inside.iter().find(|s| get(s, 0) == "DTP" && get(s, 1) == code);
                found.push(Claim {
                    number: get(own, 1),
                    charge: get(own, 2),
                    patient: if person.is_empty() { insured.clone() } else { person.clone() },
                    provider: billing,
                    service: date("472").or_else(|| date("434")).map(Vec::as_slice),
                    runs: vec![(0, first_level), provider, subscriber, patient, run],
                });
            }
            _ => {}
        }
    }
    found
}
