//! 278 response (X217): was it certified, under which number, when, how much.

use candor_check::{Answer as Order, DateValue};

use super::eligibility::rejected;
use super::settings::written;
use super::tree::Tree;
use super::{Answer, Said, Verdict};

/// HCR01 (code list 306): A1 certified in total, A2 partially, A6 modified; A3 not certified, C cancelled; A4 pended and CT
/// (contact the payer) are no decision, NA (not required) neither.
fn certified(code: &str) -> Option<bool> {
    match code {
        "A1" | "A2" | "A6" => Some(true),
        "A3" | "C" => Some(false),
        _ => None,
    }
}

const LEVELS: [&str; 2] = ["2000E", "2000F"];

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let services = tree.all(&["2000F"]);
    let wanted: Vec<usize> = match &answer.service {
        Some(service) => services.into_iter().filter(|&level| is_service(tree, level, &service.0)).collect(),
        None => tree.all(&LEVELS),
    };
    let wanted: Vec<usize> = wanted.into_iter().filter(|&level| is_about(answer, tree, level)).collect();
    if let Some(service) = &answer.service {
        let on: Vec<usize> =
            wanted.iter().filter_map(|&level| procedure(tree, level).map(|(number, _)| number)).collect();
        let actual = if on.is_empty() { serde_json::Value::Null } else { service.0.clone().into() };
        let verdict = if on.is_empty() { Verdict::Fails } else { Verdict::Holds };
        said.push(Said::new("service", service.0.clone(), actual, verdict).on(on));
    }
    if let Some(member) = &answer.member_id {
        let names = tree.all(&["2010C", "2010D"]);
        let id = |&name: &usize| tree.first(name, "NM1").filter(|&nm1| tree.text(nm1, 9) == member.0);
        let on: Vec<usize> = names.iter().filter_map(id).collect();
        let actual = if on.is_empty() { serde_json::Value::Null } else { member.0.clone().into() };
        let verdict = if on.is_empty() { Verdict::Fails } else { Verdict::Holds };
        said.push(Said::new("member_id", member.0.clone(), actual, verdict).on(on));
    }
    // A service that says nothing of its own is decided with its event.
    let event_of = |&level: &usize| tree.around(level, &["2000E"]);
    let decisions = |level: &usize| {
        let own = tree.own(*level, "HCR");
        match own.is_empty() && answer.service.is_some() {
            true => event_of(level).map(|event| tree.own(event, "HCR")).unwrap_or_default(),
            false => own,
        }
    };
    let decided: Vec<usize> = wanted.iter().flat_map(decisions).collect();
    let rejection = rejection(tree).filter(|_| decided.is_empty());
    let refused = |member: &str, expected: serde_json::Value| {
        rejection.as_ref().map(|(why, aaa)| Said::new(member, expected, why.clone(), Verdict::Fails).on([*aaa]))
    };
    if let Some(expected) = answer.certified {
        said.push(refused("certified", expected.into()).unwrap_or_else(|| certification(tree, expected, &decided)));
    }
    if let Some(number) = &answer.certification_number {
        let stated: Vec<usize> = decided.iter().copied().filter(|&hcr| !tree.text(hcr, 2).is_empty()).collect();
        let mut numbers: Vec<String> = stated.iter().map(|&hcr| tree.text(hcr, 2).into_owned()).collect();
        numbers.dedup();
        said.push(refused("certification_number", number.0.clone().into()).unwrap_or_else(
            || match numbers.as_slice() {
                [] => Said::new("certification_number", number.0.clone(), serde_json::Value::Null, Verdict::Fails),
                several => {
                    let holds = several.contains(&number.0);
                    Said::new("certification_number", number.0.clone(), several.join(" and "), holds).on(stated)
                }
            },
        ));
    }
    if let Some(day) = &answer.on {
        let dates = |level: &usize| tree.own(*level, "DTP");
        let stated: Vec<(usize, DateValue)> = wanted
            .iter()
            .flat_map(dates)
            .filter(|&dtp| matches!(&*tree.text(dtp, 1), "472" | "007" | "435" | "598"))
            .filter_map(|dtp| Some((dtp, tree.date(dtp, 3)?)))
            .collect();
        said.push(refused("on", day.written.clone().into()).unwrap_or_else(|| on(tree, day, &stated)));
    }
    if let Some(expected) = &answer.quantity {
        let quantities: Vec<usize> = wanted.iter().flat_map(|&level| tree.own(level, "HSD")).collect();
        let mut amounts: Vec<_> = quantities.iter().filter_map(|&hsd| tree.amount(hsd, 2)).collect();
        amounts.sort();
        amounts.dedup();
        let written_ = |amounts: &[candor_check::Share]| amounts.iter().map(written).collect::<Vec<_>>().join(" and ");
        said.push(refused("quantity", expected.written.clone()).unwrap_or_else(|| match amounts.as_slice() {
            [] => Said::silent("quantity", expected.written.clone(), "no quantity is stated"),
            [only] => {
                Said::new("quantity", expected.written.clone(), written(only), *only == expected.value).on(quantities)
            }
            several if several.contains(&expected.value) => {
                Said::silent("quantity", expected.written.clone(), &written_(several)).on(quantities)
            }
            several => {
                Said::new("quantity", expected.written.clone(), written_(several), Verdict::Fails).on(quantities)
            }
        }));
    }
    said
}

fn is_about(answer: &Answer, tree: &Tree<'_>, level: usize) -> bool {
    let Some(wanted) = &answer.member_id else { return true };
    let patient = tree.around(level, &["2000D"]).or_else(|| tree.around(level, &["2000C"]));
    let id = |name: usize| tree.first(name, "NM1").is_some_and(|nm1| tree.text(nm1, 9) == wanted.0);
    let named = |patient: usize| tree.below(patient, &["2010C", "2010D"]).into_iter().any(id);
    let subscriber = tree.around(level, &["2000C"]);
    patient.is_some_and(named) || subscriber.is_some_and(named)
}

/// The procedure of a service: SV1 and SV2 hold it in a composite, SV3 too.
fn procedure(tree: &Tree<'_>, level: usize) -> Option<(usize, String)> {
    let places = [("SV1", 1), ("SV2", 2), ("SV3", 1)];
    places.iter().find_map(|&(id, element)| {
        let number = tree.first(level, id)?;
        Some((number, tree.component(number, element, 2)))
    })
}

fn is_service(tree: &Tree<'_>, level: usize, code: &str) -> bool {
    procedure(tree, level).is_some_and(|(_, procedure)| procedure == code)
}

fn rejection(tree: &Tree<'_>) -> Option<(String, usize)> {
    let levels = ["2000A", "2010A", "2010B", "2010C", "2010D", "2000E", "2010EA", "2010EB", "2010EC", "2000F", "2010F"];
    let at = |occurrence: usize| tree.first(occurrence, "AAA").map(|aaa| (rejected(tree, occurrence, aaa), aaa));
    tree.all(&levels).into_iter().find_map(at)
}

fn certification(tree: &Tree<'_>, expected: bool, decided: &[usize]) -> Said {
    let on: Vec<usize> = decided.to_vec();
    let mut codes: Vec<String> = decided.iter().map(|&hcr| tree.text(hcr, 1).into_owned()).collect();
    codes.sort();
    codes.dedup();
    let answers: Vec<Option<bool>> = codes.iter().map(|code| certified(code)).collect();
    let shown = format!("HCR01 {}", codes.join(" and "));
    match answers.as_slice() {
        [] => Said::silent("certified", expected, "no decision is stated"),
        all if all.iter().all(|answer| *answer == Some(true)) => {
            Said::new("certified", expected, true, expected).on(on)
        }
        all if all.iter().all(|answer| *answer == Some(false)) => {
            Said::new("certified", expected, false, !expected).on(on)
        }
        _ => Said::silent("certified", expected, &shown).on(on),
    }
}

fn on(tree: &Tree<'_>, day: &super::settings::Day, stated: &[(usize, DateValue)]) -> Said {
    let numbers: Vec<usize> = stated.iter().map(|(dtp, _)| *dtp).collect();
    let outside = |date: &DateValue| match (day.date.before(date.first()), date.last().before(&day.date)) {
        (Order::Yes, _) | (_, Order::Yes) => Verdict::Fails,
        (Order::No, Order::No) => Verdict::Holds,
        _ => Verdict::Unknown,
    };
    let verdicts: Vec<Verdict> = stated.iter().map(|(_, date)| outside(date)).collect();
    let shown: Vec<String> = numbers.iter().map(|&dtp| tree.text(dtp, 3).into_owned()).collect();
    if stated.is_empty() {
        return Said::silent("on", day.written.clone(), "no dates are stated");
    }
    let verdict = match verdicts.iter().all(|verdict| *verdict == Verdict::Fails) {
        true => Verdict::Fails,
        false if verdicts.contains(&Verdict::Holds) => Verdict::Holds,
        false => Verdict::Unknown,
    };
    Said::new("on", day.written.clone(), shown.join(", "), verdict).on(numbers)
}
