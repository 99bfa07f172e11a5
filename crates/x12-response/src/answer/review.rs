//! 278 response (X217): was it certified, under which number, when, how much.

use candor_check::compare::{DateValue, Ternary as Order};

use super::rejections::{Rejections, rejected};
use super::settings::written;
use super::tree::Tree;
use super::words::Certified;
use super::{Answer, Said, Verdict};

/// Reads HCR01 (code list 306): A1 certified in total, A2 partially, A6 modified; A3 not certified, C cancelled. A4
/// (pended), CT (contact the payer) and NA (not required) do not decide.
fn certified(code: &str) -> Option<bool> {
    match code {
        "A1" | "A2" | "A6" => Some(true),
        "A3" | "C" => Some(false),
        _ => None,
    }
}

const LEVELS: [&str; 2] = ["2000E", "2000F"];
/// The levels whose AAA concerns everything below.
const ABOVE: [&str; 5] = ["2000A", "2010A", "2010B", "2010C", "2010D"];

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let is_meant = |level: &usize| is_about(answer, tree, *level);
    let levels: Vec<usize> = match answer.procedure() {
        Some(service) => {
            tree.all(&["2000F"]).into_iter().filter(|&level| is_service(tree, level, &service.0)).collect()
        }
        None => tree.all(&LEVELS),
    };
    let levels: Vec<usize> = levels.into_iter().filter(is_meant).collect();
    if let Some(service) = answer.procedure() {
        let on: Vec<usize> =
            levels.iter().filter_map(|&level| procedure(tree, level).map(|(number, _)| number)).collect();
        let actual = if on.is_empty() { candor_json::Value::Null } else { service.0.clone().into() };
        let verdict = if on.is_empty() { Verdict::Fails } else { Verdict::Holds };
        said.push(Said::new("service", service.0.clone(), actual, verdict).on(on));
    }
    if let Some(member) = &answer.member_id {
        let names = tree.all(&["2010C", "2010D"]);
        let id = |&name: &usize| tree.first(name, "NM1").filter(|&nm1| tree.text(nm1, 9) == member.0);
        let on: Vec<usize> = names.iter().filter_map(id).collect();
        let actual = if on.is_empty() { candor_json::Value::Null } else { member.0.clone().into() };
        let verdict = if on.is_empty() { Verdict::Fails } else { Verdict::Holds };
        said.push(Said::new("member_id", member.0.clone(), actual, verdict).on(on));
    }
    if levels.is_empty() {
        said.extend(unreviewed(answer, tree));
        return said;
    }
    let holders = ["2000A", "2000B", "2000C", "2000D", "2000E", "2000F"];
    let own = ["2000E", "2010EA", "2010EB", "2010EC", "2000F", "2010F"];
    let is_dated = |at: usize| !dated(tree, at).is_empty();
    let is_counted = |at: usize| !tree.own(at, "HSD").is_empty();
    let once = Once {
        rejections: Rejections::of(tree, &holders, [&ABOVE, &own]),
        undated: answer.on.as_ref().and_then(|_| first_without(answer, tree, is_dated)),
        uncounted: answer.quantity.as_ref().and_then(|_| first_without(answer, tree, is_counted)),
    };
    let all = levels.iter().flat_map(|&level| of_level(answer, tree, level, &once)).collect();
    said.extend(Said::together(all, "events and services"));
    said
}

fn asked(answer: &Answer) -> Vec<(&'static str, candor_json::Value)> {
    let selecting = ["service", "member_id"];
    answer.asserted().into_iter().filter(|(member, _)| !selecting.contains(member)).collect()
}

/// Judges a set without an event and without a service: an AAA above rejects it, otherwise no decision is stated.
fn unreviewed(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let concerns = |level: &usize| match tree.id(*level) {
        "2000A" | "2010A" | "2010B" => true,
        _ => is_about(answer, tree, *level),
    };
    let above = tree.all(&ABOVE).into_iter().filter(concerns);
    let rejection = above.flat_map(|level| tree.first(level, "AAA").map(|aaa| (level, aaa))).next();
    let one = |(member, expected): (&'static str, candor_json::Value)| match rejection {
        Some((level, aaa)) => Said::new(member, expected, rejected(tree, level, aaa), Verdict::Fails).on([aaa]),
        None => Said::silent(member, expected, "no decision is stated"),
    };
    asked(answer).into_iter().map(one).collect()
}

/// Found once for all levels of a set.
struct Once {
    rejections: Rejections,
    /// Where no level has a date, the one that reports it.
    undated: Option<usize>,
    /// Where no level has a quantity, the one that reports it.
    uncounted: Option<usize>,
}

fn of_level(answer: &Answer, tree: &Tree<'_>, level: usize, once: &Once) -> Vec<Said> {
    let own = tree.own(level, "HCR");
    let rejection = once.rejections.around(tree, Some(level), |_| true);
    let event = tree.around(level, &["2000E"]).filter(|&event| event != level);
    // A service that says nothing of its own is decided with its event; an event that says nothing, by its services.
    let decided = match event {
        Some(event) if own.is_empty() && rejection.is_none() => tree.own(event, "HCR"),
        _ => own,
    };
    let is_left_to_services =
        event.is_none() && decided.is_empty() && rejection.is_none() && tree.below(level, &["2000F"]).next().is_some();
    if let Some((why, aaa)) = rejection {
        let on: Vec<usize> = decided.iter().copied().chain([aaa]).collect();
        let one = |(member, expected): (&'static str, candor_json::Value)| match decided.is_empty() {
            true => Said::new(member, expected, why.clone(), Verdict::Fails).on(on.clone()),
            false => Said::silent(member, expected, &format!("decided, and {why}")).on(on.clone()),
        };
        return asked(answer).into_iter().map(one).collect();
    }
    let mut said = Vec::new();
    if let Some(expected) = answer.certified.filter(|_| !is_left_to_services) {
        said.push(certification(tree, expected, &decided));
    }
    if let Some(number) = answer.certification_number.as_ref().filter(|_| !is_left_to_services) {
        said.push(numbered(tree, &number.0, &decided));
    }
    // Dates and quantities belong to their level: a level without them does not contradict those of another. A selected
    // service without a date takes the date of its event.
    let mut dates = dated(tree, level);
    if let Some(event) = event.filter(|_| dates.is_empty() && answer.procedure().is_some()) {
        dates = dated(tree, event);
    }
    if let Some(day) = answer.on.as_ref().filter(|_| !dates.is_empty() || once.undated == Some(level)) {
        said.push(on(tree, day, &dates));
    }
    let quantities = tree.own(level, "HSD");
    let is_said = !quantities.is_empty() || once.uncounted == Some(level);
    if let Some(expected) = answer.quantity.as_ref().filter(|_| is_said) {
        said.push(counted(tree, expected, quantities));
    }
    said
}

/// The first of the wanted levels if none of them has the value: it reports for all of them.
fn first_without(answer: &Answer, tree: &Tree<'_>, has: impl Fn(usize) -> bool) -> Option<usize> {
    let is_wanted = |at: &usize| {
        is_about(answer, tree, *at) && answer.procedure().is_none_or(|service| is_service(tree, *at, &service.0))
    };
    let levels: Vec<usize> = tree.all(&LEVELS).into_iter().filter(is_wanted).collect();
    levels.first().copied().filter(|_| !levels.iter().any(|&at| has(at)))
}

/// The dates of a level that are about its service.
fn dated(tree: &Tree<'_>, level: usize) -> Vec<usize> {
    tree.own(level, "DTP").into_iter().filter(|&dtp| is_of_service(tree, dtp)).collect()
}

/// DTP01: 472 is the service, AAH the event, 435 the admission, 007 and 036 begin and end the certification.
fn is_of_service(tree: &Tree<'_>, dtp: usize) -> bool {
    matches!(&*tree.text(dtp, 1), "472" | "AAH" | "435" | "598" | "007" | "036")
}

fn numbered(tree: &Tree<'_>, expected: &str, decided: &[usize]) -> Said {
    let stated: Vec<usize> = decided.iter().copied().filter(|&hcr| !tree.text(hcr, 2).is_empty()).collect();
    let mut numbers: Vec<String> = stated.iter().map(|&hcr| tree.text(hcr, 2).into_owned()).collect();
    numbers.dedup();
    match numbers.as_slice() {
        [] => Said::silent("certification_number", expected, "no number is stated").on(decided.iter().copied()),
        [only] => Said::new("certification_number", expected, only.clone(), only == expected).on(stated),
        several => Said::silent("certification_number", expected, &several.join(" and ")).on(stated),
    }
}

fn counted(tree: &Tree<'_>, expected: &super::scalar::Amount, quantities: Vec<usize>) -> Said {
    let Some(mut amounts) = quantities.iter().map(|&hsd| tree.amount(hsd, 2)).collect::<Option<Vec<_>>>() else {
        return Said::silent("quantity", expected.written.clone(), "a quantity that is not a number").on(quantities);
    };
    amounts.sort();
    amounts.dedup();
    let shown = amounts.iter().map(written).collect::<Vec<_>>().join(" and ");
    match amounts.as_slice() {
        [] => Said::silent("quantity", expected.written.clone(), "no quantity is stated"),
        [only] => Said::new("quantity", expected.written.clone(), shown, *only == expected.value).on(quantities),
        several if several.contains(&expected.value) => {
            Said::silent("quantity", expected.written.clone(), &shown).on(quantities)
        }
        _ => Said::new("quantity", expected.written.clone(), shown, Verdict::Fails).on(quantities),
    }
}

/// True if a level is about the patient of `answer`: by NM109 of the dependent, or of the subscriber if there is no
/// dependent or it has no number of its own.
fn is_about(answer: &Answer, tree: &Tree<'_>, level: usize) -> bool {
    let Some(wanted) = &answer.member_id else { return true };
    let id = |patient: usize, name: &str| {
        let name = tree.below(patient, &[name]).next()?;
        let number = tree.text(tree.first(name, "NM1")?, 9).into_owned();
        Some(number).filter(|number| !number.is_empty())
    };
    let dependent = tree.around(level, &["2000D"]).and_then(|dependent| id(dependent, "2010D"));
    let own = dependent.or_else(|| tree.around(level, &["2000C"]).and_then(|subscriber| id(subscriber, "2010C")));
    own.is_some_and(|own| own == wanted.0)
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

fn certification(tree: &Tree<'_>, expected: Certified, decided: &[usize]) -> Said {
    let on: Vec<usize> = decided.to_vec();
    let mut codes: Vec<String> = decided.iter().map(|&hcr| tree.text(hcr, 1).into_owned()).collect();
    codes.sort();
    codes.dedup();
    let shown = format!("HCR01 {}", codes.join(" and "));
    let one = |code: &String| match expected {
        Certified::Decided(expected) => certified(code).map(|decided| decided == expected),
        // Certified as asked for or not at all is a decision, and no change of one.
        Certified::Modified => certified(code).map(|_| code == "A6"),
        Certified::Pended => match code.as_str() {
            "A4" => Some(true),
            _ => certified(code).map(|_| false),
        },
    };
    let answers: Vec<Option<bool>> = codes.iter().map(one).collect();
    let said = |holds: bool| match expected {
        Certified::Decided(expected) => Said::new("certified", expected, holds == expected, holds),
        _ if holds => Said::new("certified", expected.written(), expected.written(), Verdict::Holds),
        _ => Said::new("certified", expected.written(), shown.clone(), Verdict::Fails),
    };
    match answers.as_slice() {
        [] => Said::silent("certified", expected.written(), "no decision is stated"),
        all if all.iter().all(|answer| *answer == Some(true)) => said(true).on(on),
        all if all.iter().all(|answer| *answer == Some(false)) => said(false).on(on),
        _ => Said::silent("certified", expected.written(), &shown).on(on),
    }
}

fn on(tree: &Tree<'_>, day: &super::settings::Day, stated: &[usize]) -> Said {
    let within = |from: Option<&DateValue>, to: Option<&DateValue>| {
        let begun = from.map(|from| day.date.before(from.first()));
        let over = to.map(|to| to.last().before(&day.date));
        match (begun, over) {
            (Some(Order::Yes), _) | (_, Some(Order::Yes)) => Verdict::Fails,
            (None | Some(Order::No), None | Some(Order::No)) => Verdict::Holds,
            _ => Verdict::Unknown,
        }
    };
    let dates: Vec<(String, Option<DateValue>)> =
        stated.iter().map(|&dtp| (tree.text(dtp, 1).into_owned(), tree.date(dtp, 3))).collect();
    let shown: Vec<String> = stated.iter().map(|&dtp| tree.text(dtp, 3).into_owned()).collect();
    if stated.is_empty() {
        return Said::silent("on", day.written.clone(), "no dates are stated");
    }
    if dates.iter().any(|(_, date)| date.is_none()) {
        let why = format!("{}: not a date", shown.join(", "));
        return Said::silent("on", day.written.clone(), &why).on(stated.iter().copied());
    }
    // A certification is a period; every other date is a day or a range of its own.
    let of = |qualifier: &str| dates.iter().find(|(own, _)| own == qualifier).and_then(|(_, date)| date.as_ref());
    let (from, to) = (of("007"), of("036"));
    let to = to.or_else(|| from.filter(|from| matches!(from, DateValue::Range(..))));
    let period = (from.is_some() || to.is_some()).then(|| within(from, to));
    let others = dates.iter().filter(|(own, _)| own != "007" && own != "036");
    let verdicts: Vec<Verdict> = others.map(|(_, date)| within(date.as_ref(), date.as_ref())).chain(period).collect();
    let verdict = match verdicts.iter().all(|verdict| *verdict == Verdict::Fails) {
        true => Verdict::Fails,
        false if verdicts.contains(&Verdict::Holds) => Verdict::Holds,
        false => Verdict::Unknown,
    };
    Said::new("on", day.written.clone(), shown.join(", "), verdict).on(stated.iter().copied())
}
