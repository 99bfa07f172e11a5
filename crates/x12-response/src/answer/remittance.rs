//! 835 (X221): was the claim paid or denied, how much, with which adjustments, and does the remittance balance.
//!
//! The sums are those of the guide's section on balancing, as pyx12 and linuxforhealth-x12 check them too:
//! a service SVC02 less its CAS is SVC03; a claim CLP03 less the CAS of claim and services is CLP04; the transaction
//! BPR02 is the sum of CLP04 less the sum of PLB.

use candor_check::compare::Decimal;
use candor_json::{Value, json};
use num_rational::BigRational;

use super::balance::{Balance, Faults, Unknown};
use super::scalar::Text;
use super::settings::{Adjustment, Claim, written};
use super::standing::{Remitted, standing};
use super::tree::Tree;
use super::words::{LineStatus, PaidService, Service};
use super::{Answer, Remittance, Said, Verdict};
use crate::claims::{RemittedClaim, described};

/// A claim as it is in the end: by this set, or by a later one.
struct Standing<'c> {
    claim: &'c Remitted,
    status: String,
    /// CLP04, where it is a number.
    amount: Option<BigRational>,
    elsewhere: Option<String>,
}

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>, remittance: &Remittance<'_, '_>) -> Vec<Said> {
    if let Some(clp) = stray(tree) {
        let one = |(member, expected): (&'static str, Value)| Said::silent(member, expected, STRAY).on([clp]);
        return answer.asserted().into_iter().map(one).collect();
    }
    let mut said = Vec::new();
    let all = tree.all(&["2100"]);
    let claims: Vec<Remitted> = all.iter().filter_map(|&occurrence| claim(tree, occurrence)).collect();
    let named: Vec<&Remitted> = claims
        .iter()
        .filter(|claim| answer.claim_id.as_ref().is_none_or(|id| tree.text(claim.clp, 1) == id.0))
        .collect();
    if let Some(Text(id)) = &answer.claim_id {
        let actual = if named.is_empty() { Value::Null } else { json!(id) };
        let verdict = if named.is_empty() { Verdict::Fails } else { Verdict::Holds };
        said.push(Said::new("claim_id", id.clone(), actual, verdict).on(named.iter().map(|claim| claim.clp)));
    }
    let is_of_member = |claim: &&Remitted| {
        answer.member_id.as_ref().is_none_or(|Text(member)| members(tree, claim).iter().any(|(_, id)| id == member))
    };
    let wanted: Vec<&Remitted> = named.iter().copied().filter(is_of_member).collect();
    if let Some(Text(member)) = &answer.member_id {
        said.push(match wanted.is_empty() {
            false => {
                let names = wanted.iter().flat_map(|claim| members(tree, claim));
                let on: Vec<usize> = names.filter(|(_, id)| id == member).map(|(name, _)| name).collect();
                Said::new("member_id", member.clone(), member.clone(), Verdict::Holds).on(on)
            }
            true => {
                let others: Vec<(usize, String)> = named.iter().flat_map(|claim| members(tree, claim)).collect();
                let actual = others.first().map_or(Value::Null, |(_, id)| json!(id));
                Said::new("member_id", member.clone(), actual, Verdict::Fails).on(others.iter().map(|(name, _)| *name))
            }
        });
    }
    let (standing, open) = in_the_end(tree, &wanted, remittance);
    if let Some(why) = open {
        let on: Vec<usize> = wanted.iter().map(|claim| claim.clp).collect();
        let is_said = |member: &str| matches!(member, "claim_id" | "member_id" | "balanced");
        let asserted = answer.asserted().into_iter().filter(|(member, _)| !is_said(member));
        said.extend(asserted.map(|(member, expected)| Said::silent(member, expected, &why).on(on.iter().copied())));
        said.extend(answer.balanced.map(|expected| balances(answer, expected, tree, &claims, &wanted)));
        return said;
    }
    if let Some(expected) = answer.claim {
        said.push(paid(expected, &wanted, &standing));
    }
    if let Some(expected) = &answer.amount {
        let on: Vec<usize> = standing.iter().map(|standing| standing.claim.clp).collect();
        let amounts: Option<Vec<BigRational>> = standing.iter().map(|standing| standing.amount.clone()).collect();
        said.push(match amounts.as_deref() {
            None => Said::silent("amount", expected.written.clone(), "a CLP04 that is not a number").on(on),
            Some(amounts) => match amounts {
                [] => Said::silent("amount", expected.written.clone(), "no payment remains")
                    .on(wanted.iter().map(|c| c.clp)),
                [only] => Said::new("amount", expected.written.clone(), written(only), *only == expected.value).on(on),
                several => {
                    let shown: Vec<String> = several.iter().map(written).collect();
                    Said::silent("amount", expected.written.clone(), &shown.join(" and ")).on(on)
                }
            },
        });
    }
    if let Some(Service::Paid(expected)) = &answer.service {
        said.push(of_service(tree, answer, expected, &wanted, &standing));
    }
    for (number, expected) in answer.adjustments.iter().flatten().enumerate() {
        let here: Option<Vec<&Remitted>> =
            standing.iter().map(|standing| standing.elsewhere.is_none().then_some(standing.claim)).collect();
        said.push(match here {
            Some(here) => adjusted(tree, number, expected, &here),
            None => {
                let why = "the claim was paid anew by a later remittance";
                Said::silent(&format!("adjustments[{number}]"), json!(expected.reason.0), why)
            }
        });
    }
    said.extend(answer.balanced.map(|expected| balances(answer, expected, tree, &claims, &wanted)));
    said
}

fn balances(answer: &Answer, expected: bool, tree: &Tree<'_>, claims: &[Remitted], wanted: &[&Remitted]) -> Said {
    let (faults, unknown) = match &answer.claim_id {
        _ if answer.claim_id.is_none() && answer.member_id.is_none() => {
            let every: Vec<&Remitted> = claims.iter().collect();
            let (mut faults, mut unknown) = claims_balance(tree, &every);
            transaction_balances(tree, &every, &mut faults, &mut unknown);
            (faults, unknown)
        }
        _ if wanted.is_empty() => (Vec::new(), Some(("the claim is not there".to_owned(), 0))),
        _ => claims_balance(tree, wanted),
    };
    match (faults.first(), unknown) {
        (Some((why, _)), _) => {
            let more = if faults.len() > 1 { format!("; {} more", faults.len() - 1) } else { String::new() };
            let on: Vec<usize> = faults.iter().map(|(_, at)| *at).collect();
            let actual = if expected { json!(format!("{why}{more}")) } else { json!(false) };
            Said::new("balanced", expected, actual, !expected).on(on)
        }
        (None, Some((why, at))) => Said::silent("balanced", expected, &why).on([at]),
        (None, None) => Said::new("balanced", expected, true, expected).on(wanted.iter().map(|claim| claim.clp)),
    }
}

const STRAY: &str = "a CLP lies outside of every 2000 (LX), so the claims of the set are not known";

/// A CLP that is in no loop of claims.
fn stray(tree: &Tree<'_>) -> Option<usize> {
    let is_stray = |&clp: &usize| tree.occurrence(clp).is_none_or(|occurrence| tree.id(occurrence) != "2100");
    tree.with_id("CLP").find(is_stray)
}

fn claim(tree: &Tree<'_>, occurrence: usize) -> Option<Remitted> {
    tree.first(occurrence, "CLP").map(|clp| Remitted { occurrence, clp })
}

/// The claims as they are in the end, by this remittance and those that were sent later; or why that is not known.
fn in_the_end<'c>(
    tree: &Tree<'_>,
    wanted: &[&'c Remitted],
    remittance: &Remittance<'_, '_>,
) -> (Vec<Standing<'c>>, Option<String>) {
    let here = standing(tree, wanted);
    // If no payment remains here, a later set may have paid anew.
    let last_reversed: Vec<&Remitted> =
        if here.is_empty() { wanted.last().copied().into_iter().collect() } else { here };
    let mut found = Vec::new();
    for claim in last_reversed {
        let Some(own) = remittance.claim(tree, claim) else { continue };
        let later = match remittance.last_after(&own) {
            Ok(later) => later,
            Err(why) => return (Vec::new(), Some(why)),
        };
        let this =
            || Standing { claim, status: own.status.clone(), amount: tree.amount(claim.clp, 4), elsewhere: None };
        match later {
            None if own.is_reversal() => {}
            None => found.push(this()),
            Some(last) if last.is_reversal() => {}
            Some(last) => found.push(Standing {
                claim,
                status: last.status.clone(),
                amount: Decimal::plain(&last.paid).and_then(|paid| paid.to_fraction()),
                elsewhere: Some(last.label.clone()),
            }),
        }
    }
    (found, None)
}

impl Remittance<'_, '_> {
    fn claim(&self, tree: &Tree<'_>, claim: &Remitted) -> Option<RemittedClaim> {
        Some(RemittedClaim::of(tree.segment(claim.clp)?, self.set.view(), self.place, self.set.is_located()))
    }

    /// The last of the later remittances of a claim, if one of them or this one reverses the claim.
    fn last_after<'h>(&'h self, own: &RemittedClaim) -> Result<Option<&'h RemittedClaim>, String> {
        let after: Vec<(&RemittedClaim, bool)> = self.history.after(own, |other| !other.is_in(self.place));
        if !own.is_reversal() && !after.iter().any(|(other, _)| other.is_reversal()) {
            return Ok(None);
        }
        let unknown =
            |other: &RemittedClaim| format!("{}, and whether that came before or after is not known", described(other));
        if let Some((other, _)) =
            after.iter().find(|(other, is_known)| !is_known && other.is_reversal() != own.is_reversal())
        {
            return Err(unknown(other));
        }
        let mut last: Option<&RemittedClaim> = None;
        for (other, _) in after.into_iter().filter(|(_, is_known)| *is_known) {
            last = match last.map(|last| (last, other.is_after(last))) {
                None | Some((_, Some(true))) => Some(other),
                Some((last, None)) if last.is_reversal() != other.is_reversal() => return Err(unknown(other)),
                Some((last, _)) => Some(last),
            };
        }
        Ok(last)
    }
}

/// CLP02 (code list 1029): 4 is denied; 1, 2, 3 and 19, 20, 21 were processed, and paid if CLP04 says so.
fn paid(expected: Claim, wanted: &[&Remitted], standing: &[Standing<'_>]) -> Said {
    let on: Vec<usize> = standing.iter().map(|standing| standing.claim.clp).collect();
    if standing.is_empty() && !wanted.is_empty() {
        let reversed = wanted.iter().map(|claim| claim.clp);
        return Said::new("claim", expected.name(), "reversed", Verdict::Fails).on(reversed);
    }
    let answers: Vec<(Verdict, String)> = standing
        .iter()
        .map(|Standing { status, amount, elsewhere, .. }| {
            let zero = BigRational::from_integer(0.into());
            let (verdict, shown) = match (status.as_str(), amount.clone()) {
                ("4", Some(amount)) if amount == zero => {
                    ((expected == Claim::Denied).into(), "denied (CLP02 4)".to_owned())
                }
                ("4", _) => {
                    let amount = amount.as_ref().map(written).unwrap_or_default();
                    (Verdict::Unknown, format!("denied (CLP02 4), and paid {amount}"))
                }
                ("1" | "2" | "3" | "19" | "20" | "21", Some(amount)) if amount > zero => {
                    ((expected == Claim::Paid).into(), format!("paid {}", written(&amount)))
                }
                // Forwarded or a predetermination: nothing is paid, and nothing is denied.
                ("23" | "25", Some(amount)) if amount == zero => {
                    let verdict = if expected == Claim::Paid { Verdict::Fails } else { Verdict::Unknown };
                    (verdict, format!("nothing is paid (CLP02 {status})"))
                }
                // Nothing was paid; whether that is a denial is a matter of the adjustments.
                ("1" | "2" | "3" | "19" | "20" | "21", Some(_)) => {
                    let verdict = if expected == Claim::Paid { Verdict::Fails } else { Verdict::Unknown };
                    (verdict, format!("processed without payment (CLP02 {status})"))
                }
                _ => (Verdict::Unknown, format!("CLP02 {status}")),
            };
            (verdict, elsewhere.iter().fold(shown, |shown, set| format!("{shown} in the end, by {set}")))
        })
        .collect();
    let shown = |answers: &[(Verdict, String)]| {
        let mut shown: Vec<&str> = answers.iter().map(|(_, shown)| shown.as_str()).collect();
        shown.dedup();
        shown.truncate(3);
        shown.join(" and ")
    };
    match answers.as_slice() {
        [] => Said::silent("claim", expected.name(), "no claim is there"),
        all if all.iter().all(|(verdict, _)| *verdict == Verdict::Holds) => {
            Said::new("claim", expected.name(), expected.name(), Verdict::Holds).on(on)
        }
        all if all.iter().all(|(verdict, _)| *verdict == Verdict::Fails) => {
            Said::new("claim", expected.name(), shown(all), Verdict::Fails).on(on)
        }
        all => Said::silent("claim", expected.name(), &shown(all)).on(on),
    }
}

/// The persons of a claim by number: NM109 of the patient, of the insured and of the corrected insured.
fn members(tree: &Tree<'_>, claim: &Remitted) -> Vec<(usize, String)> {
    let is_person = |&name: &usize| matches!(&*tree.text(name, 1), "QC" | "IL" | "74");
    let names = tree.own(claim.occurrence, "NM1").into_iter().filter(is_person);
    names.map(|name| (name, tree.text(name, 9).into_owned())).filter(|(_, id)| !id.is_empty()).collect()
}

/// The lines of a procedure (SVC01-2, with or without its qualifier) in the claims that are paid in the end.
fn of_service(
    tree: &Tree<'_>,
    answer: &Answer,
    expected: &PaidService,
    wanted: &[&Remitted],
    standing: &[Standing<'_>],
) -> Said {
    let written_down = || answer.service.as_ref().map(Service::written).unwrap_or_default();
    if standing.is_empty() && !wanted.is_empty() {
        let reversed = wanted.iter().map(|claim| claim.clp);
        return Said::new("service", written_down(), "reversed", Verdict::Fails).on(reversed);
    }
    if let Some(elsewhere) = standing.iter().find_map(|standing| standing.elsewhere.as_ref()) {
        return Said::silent("service", written_down(), &format!("the claim was paid anew by {elsewhere}"));
    }
    let is_wanted = |&svc: &usize| {
        let (qualifier, procedure) = (tree.component(svc, 1, 1), tree.component(svc, 1, 2));
        expected.procedure.0 == procedure || expected.procedure.0 == format!("{qualifier}:{procedure}")
    };
    let lines: Vec<(usize, &Standing<'_>, usize)> = standing
        .iter()
        .flat_map(|standing| {
            let services = tree.below(standing.claim.occurrence, &["2110"]);
            services.filter_map(move |at| Some((tree.first(at, "SVC")?, standing, at)))
        })
        .filter(|(svc, ..)| is_wanted(svc))
        .collect();
    let all = lines.iter().map(|&(svc, standing, at)| of_line(tree, expected, svc, standing, at));
    let said = Said::together(all.map(|said| Said { expected: written_down(), ..said }).collect(), "lines");
    said.into_iter().next().unwrap_or_else(|| {
        Said::new("service", written_down(), Value::Null, Verdict::Fails).on(wanted.iter().map(|claim| claim.clp))
    })
}

/// Reasons (code list 139) that take nothing away that was to be paid: the patient's deductible, coinsurance and copayment, and
/// what the contract does not allow.
const NO_DENIAL: [&str; 5] = ["1", "2", "3", "45", "253"];

fn of_line(tree: &Tree<'_>, expected: &PaidService, svc: usize, standing: &Standing<'_>, at: usize) -> Said {
    let zero = BigRational::from_integer(0.into());
    let reasons = adjustments(tree, &tree.own(at, "CAS"));
    let takes_away = reasons.iter().any(|(_, reason, ..)| !NO_DENIAL.contains(&reason.as_str()));
    let amount = tree.amount(svc, 3);
    let (status, shown) = match &amount {
        Some(amount) if *amount > zero => (Some(LineStatus::Paid), "paid"),
        Some(_) if standing.status == "4" || takes_away => (Some(LineStatus::Denied), "denied"),
        Some(_) => (None, "processed without payment"),
        None => (None, "an amount that is not a number"),
    };
    let of_status = expected.status.map(|wanted| match (status, &amount, wanted) {
        (Some(status), ..) => Verdict::from(status == wanted),
        (None, Some(_), LineStatus::Paid) => Verdict::Fails,
        (None, ..) => Verdict::Unknown,
    });
    let of_amount = expected.amount.as_ref().map(|wanted| match &amount {
        Some(amount) => Verdict::from(*amount == wanted.value),
        None => Verdict::Unknown,
    });
    let verdicts: Vec<Verdict> = of_status.into_iter().chain(of_amount).collect();
    let verdict = match verdicts.contains(&Verdict::Fails) {
        true => Verdict::Fails,
        false if verdicts.contains(&Verdict::Unknown) => Verdict::Unknown,
        false => Verdict::Holds,
    };
    let mut why: Vec<String> = reasons.iter().map(|(group, reason, ..)| format!("{group}-{reason}")).collect();
    why.dedup();
    let paid = amount.as_ref().map(written).unwrap_or_default();
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    Said::new("service", Value::Null, format!("{shown} {paid}{why}"), verdict)
        .on([svc].into_iter().chain(tree.own(at, "CAS")))
}

/// Every adjustment of CAS segments: group, reason, amount; up to six reasons a segment.
fn adjustments(tree: &Tree<'_>, segments: &[usize]) -> Vec<(String, String, Option<BigRational>, usize)> {
    let mut found = Vec::new();
    for &cas in segments {
        let group = tree.text(cas, 1).into_owned();
        for triple in 0..6 {
            let reason = tree.text(cas, 2 + 3 * triple).into_owned();
            if !reason.is_empty() {
                found.push((group.clone(), reason, tree.amount(cas, 3 + 3 * triple), cas));
            }
        }
    }
    found
}

fn of_claim(tree: &Tree<'_>, claim: &Remitted) -> Vec<usize> {
    let services = tree.below(claim.occurrence, &["2110"]).flat_map(|service| tree.own(service, "CAS"));
    tree.own(claim.occurrence, "CAS").into_iter().chain(services).collect()
}

fn adjusted(tree: &Tree<'_>, number: usize, expected: &Adjustment, standing: &[&Remitted]) -> Said {
    let member = format!("adjustments[{number}]");
    let segments: Vec<usize> = standing.iter().flat_map(|claim| of_claim(tree, claim)).collect();
    let matching: Vec<_> = adjustments(tree, &segments)
        .into_iter()
        .filter(|(group, reason, ..)| *group == expected.group.0 && *reason == expected.reason.0)
        .collect();
    let on: Vec<usize> = matching.iter().map(|(.., cas)| *cas).collect();
    let name = format!("{} {}", expected.group.0, expected.reason.0);
    let total: Option<BigRational> = matching.iter().map(|(_, _, amount, _)| amount.clone()).sum();
    let wanted = match &expected.amount {
        Some(amount) => json!(format!("{name} {}", written(&amount.value))),
        None => json!(name),
    };
    match (matching.is_empty(), total, &expected.amount) {
        (true, ..) => {
            Said::new(&member, wanted, Value::Null, Verdict::Fails).on(standing.iter().map(|claim| claim.clp))
        }
        (_, Some(total), Some(amount)) => {
            let holds = total == amount.value;
            Said::new(&member, wanted, format!("{name} {}", written(&total)), holds).on(on)
        }
        (_, None, Some(_)) => Said::silent(&member, wanted, "an amount that is not a number").on(on),
        (_, _, None) => Said::new(&member, wanted, name, Verdict::Holds).on(on),
    }
}

impl Balance {
    /// Of an 835 all that [`judge`] looks at; of an 837 every claim (CLM02) against its lines. Nothing for other sets.
    pub(crate) fn of(transaction: &str, tree: &Tree<'_>) -> Option<Self> {
        match transaction {
            "835" => {
                if let Some(clp) = stray(tree) {
                    return Some(Self { faults: Vec::new(), unknown: Some((STRAY.to_owned(), clp)) });
                }
                let claims: Vec<Remitted> = tree.all(&["2100"]).into_iter().filter_map(|o| claim(tree, o)).collect();
                let every: Vec<&Remitted> = claims.iter().collect();
                let (mut faults, mut unknown) = claims_balance(tree, &every);
                transaction_balances(tree, &every, &mut faults, &mut unknown);
                Some(Self { faults, unknown })
            }
            "837" => Some(Self::of_claims(tree)),
            "820" => Some(super::premium::balance(tree)),
            _ => None,
        }
    }

    fn of_claims(tree: &Tree<'_>) -> Self {
        let (mut faults, mut unknown) = (Vec::new(), None);
        for occurrence in tree.all(&["2300"]) {
            let Some(clm) = tree.first(occurrence, "CLM") else { continue };
            let charge = |line: usize| {
                let of = |&(id, element): &(&str, usize)| tree.first(line, id).map(|number| (number, element));
                [("SV1", 2), ("SV2", 3), ("SV3", 2)].iter().find_map(of)
            };
            let charges: Vec<(usize, usize)> = tree.below(occurrence, &["2400"]).filter_map(charge).collect();
            let total: Option<BigRational> =
                charges.iter().map(|&(number, element)| tree.amount(number, element)).sum();
            match (tree.amount(clm, 2), total) {
                (Some(claimed), Some(total)) if claimed != total => {
                    let (claimed, total) = (written(&claimed), written(&total));
                    faults.push((format!("CLM02 {claimed} is not the sum of its lines {total}"), clm));
                }
                (Some(_), Some(_)) => {}
                _ => {
                    unknown.get_or_insert_with(|| ("an amount of CLM or its lines is not a number".to_owned(), clm));
                }
            }
        }
        Self { faults, unknown }
    }
}

/// Claims and services that do not balance, and the first amount that is not a number.
fn claims_balance(tree: &Tree<'_>, claims: &[&Remitted]) -> (Faults, Unknown) {
    let (mut faults, mut unknown) = (Vec::new(), None);
    for claim in claims {
        for service in tree.below(claim.occurrence, &["2110"]) {
            let Some(svc) = tree.first(service, "SVC") else { continue };
            let cas = tree.own(service, "CAS");
            hold(tree, "SVC", svc, (2, 3), &cas, &mut faults, &mut unknown);
        }
        hold(tree, "CLP", claim.clp, (3, 4), &of_claim(tree, claim), &mut faults, &mut unknown);
    }
    (faults, unknown)
}

fn hold(
    tree: &Tree<'_>,
    id: &str,
    number: usize,
    (charge, payment): (usize, usize),
    cas: &[usize],
    faults: &mut Faults,
    unknown: &mut Unknown,
) {
    let reduced: Option<BigRational> = adjustments(tree, cas).into_iter().map(|(_, _, amount, _)| amount).sum();
    match (tree.amount(number, charge), tree.amount(number, payment), reduced) {
        (Some(charged), Some(paid), Some(reduced)) if &charged - &reduced != paid => faults.push((
            format!(
                "{id}{charge:02} {} less CAS {} is not {id}{payment:02} {}",
                written(&charged),
                written(&reduced),
                written(&paid)
            ),
            number,
        )),
        (Some(_), Some(_), Some(_)) => {}
        _ => {
            unknown.get_or_insert_with(|| (format!("an amount of {id} or its CAS is not a number"), number));
        }
    }
}

/// BPR02 against the sum of CLP04 less the sum of PLB.
fn transaction_balances(tree: &Tree<'_>, claims: &[&Remitted], faults: &mut Faults, unknown: &mut Unknown) {
    let Some(bpr) = tree.first(0, "BPR") else {
        unknown.get_or_insert_with(|| ("there is no BPR".to_owned(), 0));
        return;
    };
    let paid: Option<BigRational> = claims.iter().map(|claim| tree.amount(claim.clp, 4)).sum();
    let provider = tree.own(0, "PLB").into_iter().flat_map(|plb| {
        let amounts = (4..=14).step_by(2).filter(move |&element| !tree.text(plb, element).is_empty());
        amounts.map(move |element| tree.amount(plb, element))
    });
    let provider: Option<BigRational> = provider.sum();
    match (tree.amount(bpr, 2), paid, provider) {
        (Some(total), Some(paid), Some(provider)) if &paid - &provider != total => faults.push((
            format!(
                "BPR02 {} is not the sum of CLP04 {} less PLB {}",
                written(&total),
                written(&paid),
                written(&provider)
            ),
            bpr,
        )),
        (Some(_), Some(_), Some(_)) => {}
        _ => {
            unknown.get_or_insert_with(|| ("an amount of BPR, CLP or PLB is not a number".to_owned(), bpr));
        }
    }
}
