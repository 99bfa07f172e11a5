//! 271 (X279): is the patient covered, for what, when, in which network, at what cost.

use std::collections::HashMap;

use candor_check::compare::{DateValue, Ternary as Order};

use super::rejections::Rejections;
use super::scalar::Amount;
use super::settings::{Network, written};
use super::tree::Tree;
use super::words::{Coverage, period_name};
use super::{Answer, Said, Verdict};

/// EB01, as X279 gives its codes: what it says of coverage.
fn coverage(code: &str) -> Option<Coverage> {
    match code {
        "1" | "2" | "3" | "4" | "5" => Some(Coverage::Active),
        "6" | "7" | "8" | "I" => Some(Coverage::Inactive),
        _ => None,
    }
}

/// The service type of the whole plan: an EB without a service type (EB03) concerns it.
const WHOLE_PLAN: &str = "30";

/// The qualifiers of DTP that say when coverage holds.
const QUALIFIERS: [&str; 10] = ["291", "292", "307", "346", "347", "348", "349", "356", "357", "472"];

struct Benefit {
    eb: usize,
    code: String,
    services: Vec<String>,
    /// EB13 names a procedure, and EB03 no service type.
    is_of_procedure: bool,
    /// When it holds, as the loop says, or else the name of the patient.
    period: Period,
}

#[derive(Clone, Default)]
struct Period {
    from: Vec<(usize, DateValue)>,
    to: Vec<(usize, DateValue)>,
    /// The day that was asked about, which says nothing of other days.
    asked: Vec<(usize, DateValue)>,
    /// The DTP segments of bounds that cannot be read as dates.
    unread: Vec<usize>,
}

impl Period {
    /// Reads the DTP segments of an occurrence. A single day of 291, 307 or 472 is the one that was asked about; that of 346
    /// and its like begins a period.
    fn of(tree: &Tree<'_>, occurrence: usize) -> Self {
        let mut period = Self::default();
        for dtp in tree.own(occurrence, "DTP") {
            let qualifier = tree.text(dtp, 1);
            let Some(date) = tree.date(dtp, 3) else {
                if QUALIFIERS.contains(&&*qualifier) {
                    period.unread.push(dtp);
                }
                continue;
            };
            let range = matches!(date, DateValue::Range(..));
            match &*qualifier {
                "291" | "292" | "307" | "472" if range => {
                    period.from.push((dtp, date));
                    period.to.push((dtp, date));
                }
                "291" | "307" | "472" => period.asked.push((dtp, date)),
                "292" | "346" | "348" | "356" => period.from.push((dtp, date)),
                "347" | "349" | "357" => period.to.push((dtp, date)),
                _ => {}
            }
        }
        period
    }

    /// Takes the bounds of the surrounding level if it states none of its own. A date that cannot be read counts as
    /// stated: it may be either bound, so neither is taken from the surrounding level.
    fn within(self, around: Self) -> Self {
        if !self.unread.is_empty() {
            return self;
        }
        let is_whole = !self.from.is_empty() && !self.to.is_empty();
        Self {
            from: if self.from.is_empty() { around.from } else { self.from },
            to: if self.to.is_empty() { around.to } else { self.to },
            asked: if self.asked.is_empty() { around.asked } else { self.asked },
            unread: if is_whole { Vec::new() } else { around.unread },
        }
    }

    fn is_stated(&self) -> bool {
        !self.from.is_empty() || !self.to.is_empty() || !self.asked.is_empty() || !self.unread.is_empty()
    }

    /// Each once: a range states both bounds.
    fn segments(&self) -> impl Iterator<Item = usize> {
        let again = |number: &usize| !self.from.iter().any(|(from, _)| from == number);
        let to = self.to.iter().map(|(number, _)| *number).filter(again);
        let asked = self.asked.iter().map(|(number, _)| *number);
        self.from.iter().map(|(number, _)| *number).chain(to).chain(asked).chain(self.unread.iter().copied())
    }

    fn holds(&self, day: &candor_check::compare::Date) -> Verdict {
        let begun = self.from.iter().map(|(_, from)| day.before(from.first()));
        let over = self.to.iter().map(|(_, to)| to.last().before(day));
        let outside: Vec<Order> = begun.chain(over).collect();
        let is_asked = |(_, asked): &(usize, DateValue)| {
            day.before(asked.first()) == Order::No && asked.last().before(day) == Order::No
        };
        if outside.contains(&Order::Yes) {
            Verdict::Fails
        } else if self.unread.is_empty() && outside.is_empty() && self.asked.iter().any(is_asked) {
            Verdict::Holds
        } else if outside.is_empty() || !self.unread.is_empty() || outside.contains(&Order::Undecidable) {
            Verdict::Unknown
        } else {
            Verdict::Holds
        }
    }
}

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let whom = |occurrence: &usize| is_about(answer, tree, *occurrence);
    if let Some(member) = &answer.member_id {
        let names = tree.all(&["2100C", "2100D"]);
        let named: Vec<usize> = names.into_iter().filter(whom).filter_map(|name| tree.first(name, "NM1")).collect();
        let verdict = if named.is_empty() { Verdict::Fails } else { Verdict::Holds };
        let actual = if named.is_empty() { candor_json::Value::Null } else { member.0.clone().into() };
        said.push(Said::new("member_id", member.0.clone(), actual, verdict).on(named));
    }
    let patients = patients(tree);
    let is_meant = |patient: &usize| {
        let name = tree
            .below(*patient, &["2100C", "2100D"])
            .find(|&name| tree.around(name, &["2000C", "2000D"]) == Some(*patient));
        name.is_some_and(|name| whom(&name)) || (name.is_none() && answer.member_id.is_none())
    };
    let meant: Vec<usize> = patients.into_iter().filter(is_meant).collect();
    let mut by_patient: HashMap<usize, Vec<usize>> = HashMap::new();
    for occurrence in tree.all(&SERVICES) {
        if let Some(patient) = tree.around(occurrence, &["2000C", "2000D"]) {
            by_patient.entry(patient).or_default().push(occurrence);
        }
    }
    let levels = ["2000A", "2000B", "2000C", "2000D"];
    let loops = ["2000A", "2100A", "2100B", "2100C", "2100D"];
    let rejections = Rejections::of(tree, &levels, [&loops, &SERVICES]);
    let of = |patient: Option<usize>| {
        let about = patient.and_then(|patient| by_patient.get(&patient)).map(Vec::as_slice).unwrap_or_default();
        of_patient(answer, tree, patient, about, &rejections)
    };
    let all = match meant.as_slice() {
        [] => of(None),
        several => several.iter().flat_map(|&patient| of(Some(patient))).collect(),
    };
    said.extend(Said::together(all, "patients"));
    said
}

const SERVICES: [&str; 2] = ["2110C", "2110D"];

/// The answers about one patient with these loops about services, or in a set that names none.
fn of_patient(
    answer: &Answer,
    tree: &Tree<'_>,
    patient: Option<usize>,
    about: &[usize],
    rejections: &Rejections,
) -> Vec<Said> {
    let mut said = Vec::new();
    let benefits: Vec<Benefit> = about.iter().filter_map(|&occurrence| benefit(tree, occurrence)).collect();
    let wanted = answer.service_type.as_ref().map(|text| text.0.as_str());
    let of_service: Vec<&Benefit> = benefits.iter().filter(|benefit| benefit.is_for(wanted)).collect();
    let rows: Vec<&Benefit> = of_service.iter().copied().filter(|benefit| coverage(&benefit.code).is_some()).collect();
    // Next to an answer, an AAA for one of several services says nothing about the others. Without a service type the
    // plan answers, or else every EB of coverage.
    let is_of_plan = rows.iter().any(|row| row.is_for(Some(WHOLE_PLAN)));
    let asked = wanted.or(is_of_plan.then_some(WHOLE_PLAN));
    let is_asked = |benefit: Benefit| match asked {
        Some(_) => benefit.is_for(asked),
        None => rows.is_empty() || rows.iter().any(|row| row.shares_service(&benefit)),
    };
    let concerns = |at: usize| !SERVICES.contains(&tree.id(at)) || benefit(tree, at).is_none_or(is_asked);
    let rejected = rejections.around(tree, patient, concerns);
    if let (Some((why, aaa)), false) = (&rejected, rows.is_empty()) {
        let on: Vec<usize> = rows.iter().map(|row| row.eb).chain([*aaa]).collect();
        let both = |(member, expected): (&str, candor_json::Value)| {
            Said::silent(member, expected, &format!("answered, and {why}")).on(on.clone())
        };
        return answer.asserted().into_iter().filter(|(member, _)| *member != "member_id").map(both).collect();
    }
    if let Some(wanted) = wanted {
        said.push(match (of_service.is_empty(), &rejected) {
            (false, _) => {
                let on = of_service.iter().map(|benefit| benefit.eb);
                Said::new("service_type", wanted, wanted, Verdict::Holds).on(on)
            }
            (true, Some((why, aaa))) => Said::new("service_type", wanted, why.clone(), Verdict::Fails).on([*aaa]),
            (true, None) => Said::silent("service_type", wanted, "the set says nothing about it"),
        });
    }
    // Rows that hold at another time say nothing about the day, as long as one is left that may.
    let may_hold = |row: &&Benefit| answer.on.as_ref().is_none_or(|day| row.period.holds(&day.date) != Verdict::Fails);
    let on_the_day: Vec<&Benefit> = rows.iter().copied().filter(may_hold).collect();
    let deciding = if on_the_day.is_empty() { &rows } else { &on_the_day };
    if let Some(expected) = &answer.coverage {
        said.push(match &rejected {
            Some((why, aaa)) => Said::new("coverage", expected.name(), why.clone(), Verdict::Fails).on([*aaa]),
            None => covered(tree, expected, deciding, &of_service),
        });
    }
    // The day and the network are those of the coverage that is asserted, or of an active one.
    let of_coverage: Vec<&Benefit> = {
        let kind = answer.coverage.clone().unwrap_or(Coverage::Active);
        let of_kind: Vec<&Benefit> =
            deciding.iter().copied().filter(|row| coverage(&row.code).as_ref() == Some(&kind)).collect();
        if of_kind.is_empty() { deciding.clone() } else { of_kind }
    };
    if let Some(day) = &answer.on {
        said.push(match &rejected {
            Some((why, aaa)) => Said::new("on", day.written.clone(), why.clone(), Verdict::Fails).on([*aaa]),
            None => stated_on(tree, day, &of_coverage),
        });
    }
    if let Some(expected) = answer.network.filter(|_| !answer.asserts_cost() || rejected.is_some()) {
        said.push(match &rejected {
            Some((why, aaa)) => Said::new("network", expected.name(), why.clone(), Verdict::Fails).on([*aaa]),
            None => in_network(tree, expected, &of_coverage),
        });
    }
    if rejected.is_none() && !answer.asserts_cost() {
        // Where no cost is asserted, level and period are those of the coverage.
        for selector in selectors(answer).into_iter().filter(|selector| selector.member != "network") {
            said.push(selected(tree, &selector, &of_coverage));
        }
    }
    let of_cost: Vec<&Benefit> = of_service.iter().copied().filter(may_hold).collect();
    let costs = [
        ("copay", &answer.copay, "B", 7),
        ("deductible", &answer.deductible, "C", 7),
        ("coinsurance", &answer.coinsurance, "A", 8),
        ("out_of_pocket", &answer.out_of_pocket, "G", 7),
    ];
    if rejected.is_none() && answer.asserts_cost() {
        let asserted = costs.iter().filter(|(_, expected, ..)| expected.is_some());
        let codes: Vec<&str> = asserted.map(|(.., code, _)| *code).collect();
        let rows: Vec<&Benefit> =
            of_cost.iter().copied().filter(|benefit| codes.contains(&benefit.code.as_str())).collect();
        said.extend(selectors(answer).into_iter().map(|selector| selected(tree, &selector, &rows)));
    }
    for (member, expected, code, element) in costs {
        let Some(expected) = expected else { continue };
        said.push(match &rejected {
            Some((why, aaa)) if !of_cost.iter().any(|benefit| benefit.code == code) => {
                Said::new(member, expected.written.clone(), why.clone(), Verdict::Fails).on([*aaa])
            }
            _ => cost(answer, tree, (member, expected), &of_cost, (code, element)),
        });
    }
    said
}

/// A member that selects rows: its element of EB, and the codes that it selects.
struct Selector {
    member: &'static str,
    written: &'static str,
    element: usize,
    codes: Vec<&'static str>,
}

impl Selector {
    fn selects(&self, tree: &Tree<'_>, row: &Benefit) -> bool {
        let code = tree.text(row.eb, self.element);
        self.codes.iter().any(|own| *own == code)
    }
}

fn selectors(answer: &Answer) -> Vec<Selector> {
    let selector = |member, written, element, codes| Selector { member, written, element, codes };
    let level = answer.level.map(|level| selector("level", level.name(), 2, vec![level.code()]));
    let period = answer.period.map(|period| selector("period", period.name(), 6, vec![period.code()]));
    let network = answer.network.map(|network| {
        let own = if network == Network::In { "Y" } else { "N" };
        selector("network", network.name(), 12, vec![own, "W"])
    });
    level.into_iter().chain(period).chain(network).collect()
}

/// Judges a member that selects rows: it holds if any row has its value.
fn selected(tree: &Tree<'_>, selector: &Selector, rows: &[&Benefit]) -> Said {
    let on: Vec<usize> = rows.iter().filter(|row| selector.selects(tree, row)).map(|row| row.eb).collect();
    match on.is_empty() {
        true => {
            let why = format!("no row states {} {}", selector.member, selector.written);
            Said::silent(selector.member, selector.written, &why).on(rows.iter().map(|row| row.eb))
        }
        false => Said::new(selector.member, selector.written, selector.written, Verdict::Holds).on(on),
    }
}

fn stated(tree: &Tree<'_>, eb: usize) -> String {
    let level = match &*tree.text(eb, 2) {
        "IND" => Some("individual".to_owned()),
        "FAM" => Some("family".to_owned()),
        "" => None,
        code => Some(format!("EB02 {code}")),
    };
    let code = tree.text(eb, 6);
    let period = match period_name(&code) {
        Some(name) => Some(name.replace('_', " ")),
        None => (!code.is_empty()).then(|| format!("EB06 {code}")),
    };
    let network = match &*tree.text(eb, 12) {
        "Y" => Some("in the network".to_owned()),
        "N" => Some("out of the network".to_owned()),
        "W" => Some("in and out of the network".to_owned()),
        _ => None,
    };
    level.into_iter().chain(period).chain(network).collect::<Vec<_>>().join(", ")
}

/// True if a loop is about the patient of `answer`: by NM109 of the name, or of the subscriber for a dependent without
/// one.
fn is_about(answer: &Answer, tree: &Tree<'_>, occurrence: usize) -> bool {
    let Some(wanted) = &answer.member_id else { return true };
    let id = |name: usize| tree.first(name, "NM1").map(|nm1| tree.text(nm1, 9).into_owned()).unwrap_or_default();
    let own = tree.around(occurrence, &["2100C", "2100D"]).map(id).unwrap_or_default();
    if !own.is_empty() || tree.around(occurrence, &["2000D"]).is_none() {
        return own == wanted.0;
    }
    let subscriber = tree.around(occurrence, &["2000C"]);
    let name = subscriber.and_then(|subscriber| tree.below(subscriber, &["2100C"]).next());
    name.is_some_and(|name| id(name) == wanted.0)
}

fn benefit(tree: &Tree<'_>, occurrence: usize) -> Option<Benefit> {
    let eb = tree.first(occurrence, "EB")?;
    let around = tree.around(occurrence, &["2100C", "2100D"]).map(|name| Period::of(tree, name));
    Some(Benefit {
        eb,
        code: tree.text(eb, 1).into_owned(),
        services: tree.repetitions(eb, 3),
        is_of_procedure: !tree.text(eb, 13).is_empty() && tree.text(eb, 3).is_empty(),
        period: Period::of(tree, occurrence).within(around.unwrap_or_default()),
    })
}

impl Benefit {
    fn shares_service(&self, other: &Self) -> bool {
        self.services == other.services || self.services.iter().any(|own| other.services.contains(own))
    }

    /// True for a row about this service type. A row about one procedure is not about a service type, nor about the
    /// plan.
    fn is_for(&self, service: Option<&str>) -> bool {
        let is_of_plan = self.services.is_empty() && !self.is_of_procedure;
        match service {
            None => is_of_plan || !self.services.is_empty(),
            Some(service) => self.services.iter().any(|own| own == service) || (is_of_plan && service == WHOLE_PLAN),
        }
    }
}

/// The patients of a set: dependents, and subscribers without dependents or with an answer of their own.
fn patients(tree: &Tree<'_>) -> Vec<usize> {
    let says = |&subscriber: &usize| {
        let own = |occurrence: usize| tree.around(occurrence, &["2000C", "2000D"]) == Some(subscriber);
        tree.below(subscriber, &["2000D"]).next().is_none() || tree.below(subscriber, &["2110C"]).any(own)
    };
    let is_patient = |level: &usize| tree.id(*level) == "2000D" || says(level);
    tree.all(&["2000C", "2000D"]).into_iter().filter(is_patient).collect()
}

fn covered(tree: &Tree<'_>, expected: &Coverage, deciding: &[&Benefit], of_service: &[&Benefit]) -> Said {
    let on: Vec<usize> = deciding.iter().map(|row| row.eb).collect();
    let active = deciding.iter().any(|row| coverage(&row.code) == Some(Coverage::Active));
    let inactive = deciding.iter().any(|row| coverage(&row.code) == Some(Coverage::Inactive));
    match (active, inactive) {
        (true, true) => Said::silent("coverage", expected.name(), "both active and inactive").on(on),
        (true, false) => Said::new("coverage", expected.name(), "active", *expected == Coverage::Active).on(on),
        (false, true) => Said::new("coverage", expected.name(), "inactive", *expected == Coverage::Inactive).on(on),
        (false, false) => {
            let open = of_service.iter().find(|benefit| benefit.code == "V");
            let why = match open {
                Some(_) => "EB01 V: cannot be processed",
                None => "neither active nor inactive",
            };
            let on: Vec<usize> =
                of_service.iter().map(|benefit| benefit.eb).filter(|&eb| !tree.text(eb, 1).is_empty()).collect();
            Said::silent("coverage", expected.name(), why).on(on)
        }
    }
}

fn stated_on(tree: &Tree<'_>, day: &super::settings::Day, rows: &[&Benefit]) -> Said {
    let dates = |row: &&&Benefit| row.period.is_stated();
    let stated: Vec<&&Benefit> = rows.iter().filter(dates).collect();
    let Some(first) = stated.first() else {
        return Said::silent("on", day.written.clone(), "no dates are stated").on(rows.iter().map(|row| row.eb));
    };
    let on: Vec<usize> = stated.iter().flat_map(|row| row.period.segments()).collect();
    let shown = |row: &Benefit| {
        let dates: Vec<String> = row.period.segments().map(|dtp| tree.text(dtp, 3).into_owned()).collect();
        dates.join(", ")
    };
    let verdicts: Vec<Verdict> = stated.iter().map(|row| row.period.holds(&day.date)).collect();
    let verdict = if verdicts.contains(&Verdict::Holds) {
        Verdict::Holds
    } else if verdicts.contains(&Verdict::Unknown) || stated.len() < rows.len() {
        Verdict::Unknown
    } else {
        Verdict::Fails
    };
    Said::new("on", day.written.clone(), shown(first), verdict).on(on)
}

/// EB12: Y in the network, N out of it, W either way.
fn in_network(tree: &Tree<'_>, expected: Network, rows: &[&Benefit]) -> Said {
    let codes: Vec<String> = rows.iter().map(|row| tree.text(row.eb, 12).into_owned()).collect();
    let on: Vec<usize> = rows.iter().map(|row| row.eb).collect();
    let own = if expected == Network::In { "Y" } else { "N" };
    let stated: Vec<&str> = codes.iter().map(String::as_str).filter(|code| matches!(*code, "Y" | "N" | "W")).collect();
    let says = stated.iter().filter(|code| **code == own || **code == "W").count();
    let other = if expected == Network::In { "out" } else { "in" };
    match (stated.len(), says) {
        (0, _) => Said::silent("network", expected.name(), "no network is stated").on(on),
        (all, says) if says == all => Said::new("network", expected.name(), expected.name(), Verdict::Holds).on(on),
        (_, 0) => Said::new("network", expected.name(), other, Verdict::Fails).on(on),
        _ => Said::silent("network", expected.name(), "both in and out").on(on),
    }
}

/// An amount or a percentage. Without `period`, the remaining amount (EB06 29) does not count as an amount of the plan.
fn cost(
    answer: &Answer,
    tree: &Tree<'_>,
    (member, expected): (&str, &Amount),
    benefits: &[&Benefit],
    (code, element): (&str, usize),
) -> Said {
    const REMAINING: &str = "29";
    let selectors = selectors(answer);
    let is_cost = |benefit: &&&Benefit| benefit.code == code && !tree.text(benefit.eb, element).is_empty();
    let counts = |benefit: &&&Benefit| {
        (answer.period.is_some() || tree.text(benefit.eb, 6) != REMAINING)
            && selectors.iter().all(|selector| selector.selects(tree, benefit))
    };
    let all: Vec<&Benefit> = benefits.iter().filter(is_cost).copied().collect();
    let rows: Vec<usize> = all.iter().filter(counts).map(|benefit| benefit.eb).collect();
    let refused = |&eb: &usize| {
        let at = tree.occurrence(eb)?;
        Some((at, tree.first(at, "AAA")?))
    };
    if let Some((at, aaa)) = rows.iter().find_map(refused) {
        let why = format!("answered, and {}", super::rejections::rejected(tree, at, aaa));
        return Said::silent(member, expected.written.clone(), &why).on(rows.into_iter().chain([aaa]));
    }
    let Some(amounts) = rows.iter().map(|&eb| tree.amount(eb, element)).collect::<Option<Vec<_>>>() else {
        return Said::silent(member, expected.written.clone(), "an amount that is not a number").on(rows);
    };
    let mut different = amounts.clone();
    different.sort();
    different.dedup();
    match different.as_slice() {
        [] if !all.is_empty() && !selectors.is_empty() => {
            let wanted: Vec<&str> = selectors.iter().map(|selector| selector.written).collect();
            let why = format!("no amount is stated for {}", wanted.join(", "));
            Said::silent(member, expected.written.clone(), &why).on(all.iter().map(|row| row.eb))
        }
        [] => Said::silent(member, expected.written.clone(), "no amount is stated"),
        [only] => Said::new(member, expected.written.clone(), written(only), *only == expected.value).on(rows),
        several => {
            // Each amount with what its first row states, where that tells the rows apart.
            let shown = |amount| {
                let row = amounts.iter().position(|own| own == amount).and_then(|at| rows.get(at));
                let stated = row.map(|&eb| stated(tree, eb)).unwrap_or_default();
                if stated.is_empty() { written(amount) } else { format!("{} ({stated})", written(amount)) }
            };
            let shown: Vec<String> = several.iter().map(shown).collect();
            let shown = shown.join(" and ");
            match several.contains(&expected.value) {
                true => Said::silent(member, expected.written.clone(), &shown).on(rows),
                false => Said::new(member, expected.written.clone(), shown, Verdict::Fails).on(rows),
            }
        }
    }
}
