//! 277 (X212) and 277CA (X214): was the claim accepted, rejected, pended, finalized.

use super::settings::{Claim, Text};
use super::tree::Tree;
use super::{Answer, Said, Verdict};

/// What a claim status category (STC01-1, code list 507) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Accepted,
    Rejected,
    Pended,
    Finalized,
    Paid,
    Denied,
    /// Received, forwarded, split: not yet an answer.
    Open,
}

/// A2 is accepted into the payer's system; A0 and A1 say that it was forwarded or received, and no more.
fn status(category: &str) -> Status {
    match category {
        "A2" => Status::Accepted,
        "A3" | "A4" | "A6" | "A7" | "A8" => Status::Rejected,
        "F1" => Status::Paid,
        "F2" => Status::Denied,
        _ if category.starts_with('F') => Status::Finalized,
        _ if category.starts_with('P') || category.starts_with('R') => Status::Pended,
        _ => Status::Open,
    }
}

impl Status {
    const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Pended => "pended",
            Self::Finalized => "finalized",
            Self::Paid => "paid",
            Self::Denied => "denied",
            Self::Open => "no decision",
        }
    }

    /// Whether it is what is asserted; a claim that is paid or denied is finalized.
    fn is(self, claim: Claim) -> Verdict {
        let holds = match claim {
            Claim::Accepted => self == Self::Accepted,
            Claim::Rejected => self == Self::Rejected,
            Claim::Pended => self == Self::Pended,
            Claim::Finalized => matches!(self, Self::Finalized | Self::Paid | Self::Denied),
            Claim::Paid => self == Self::Paid,
            Claim::Denied => self == Self::Denied,
        };
        let open = match claim {
            Claim::Paid | Claim::Denied => matches!(self, Self::Open | Self::Finalized),
            _ => self == Self::Open,
        };
        if open { Verdict::Unknown } else { holds.into() }
    }
}

const CLAIMS: [&str; 2] = ["2200D", "2200E"];
const ABOVE: [&str; 2] = ["2200B", "2200C"];

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let is_wanted = |claim: &usize| answer.claim_id.as_ref().is_none_or(|wanted| is_named(tree, *claim, wanted));
    let claims: Vec<usize> = tree.all(&CLAIMS).into_iter().filter(is_wanted).collect();
    if let Some(wanted) = &answer.claim_id {
        let named: Vec<usize> = claims.iter().filter_map(|&claim| tree.first(claim, "TRN")).collect();
        let above = rejected_above(tree, None);
        said.push(match (named.is_empty(), &above) {
            (false, _) => Said::new("claim_id", wanted.0.clone(), wanted.0.clone(), Verdict::Holds).on(named),
            (true, Some((why, stc))) => Said::silent("claim_id", wanted.0.clone(), why).on([*stc]),
            (true, None) => Said::new("claim_id", wanted.0.clone(), serde_json::Value::Null, Verdict::Fails),
        });
    }
    if let Some(expected) = answer.claim {
        said.push(of_claims(tree, expected, &claims, answer.claim_id.is_some()));
    }
    said
}

/// Whether TRN02 of a claim is this one, or REF*D9 or REF*1K.
fn is_named(tree: &Tree<'_>, claim: usize, wanted: &Text) -> bool {
    let trace = tree.own(claim, "TRN").into_iter().any(|trn| tree.text(trn, 2) == wanted.0);
    let number = |reference: usize| {
        matches!(&*tree.text(reference, 1), "D9" | "1K" | "EJ") && tree.text(reference, 2) == wanted.0
    };
    trace || tree.own(claim, "REF").into_iter().any(number)
}

/// What the status segments of an occurrence say: each with its segment. STC10 and STC11 add to STC01, and so does STC03
/// where it rejects what is accepted.
fn statuses(tree: &Tree<'_>, occurrence: usize) -> Vec<(Status, usize)> {
    let of = |stc: usize| {
        let categories = [1, 10, 11].map(|element| tree.component(stc, element, 1));
        let mut found: Vec<Status> =
            categories.iter().filter(|category| !category.is_empty()).map(|category| status(category)).collect();
        // Rejected by its action: U (data element 306, X214).
        let is_refused = tree.text(stc, 3) == "U" && found.contains(&Status::Accepted);
        found.extend(is_refused.then_some(Status::Rejected));
        found.into_iter().map(move |status| (status, stc))
    };
    tree.own(occurrence, "STC").into_iter().flat_map(of).collect()
}

/// A rejection of everything below the receiver or the provider, around an occurrence or anywhere.
fn rejected_above(tree: &Tree<'_>, claim: Option<usize>) -> Option<(String, usize)> {
    let concerns = |&above: &usize| {
        let level = if tree.id(above) == "2200B" { "2000B" } else { "2000C" };
        claim.is_none_or(|claim| tree.around(claim, &[level]) == tree.around(above, &[level]))
    };
    tree.all(&ABOVE).into_iter().filter(concerns).find_map(|above| rejection_of(tree, above))
}

fn rejection_of(tree: &Tree<'_>, above: usize) -> Option<(String, usize)> {
    let (_, stc) = statuses(tree, above).into_iter().find(|(status, _)| *status == Status::Rejected)?;
    Some((format!("rejected in {}: STC01 {}", tree.id(above), tree.text(stc, 1)), stc))
}

fn of_claims(tree: &Tree<'_>, expected: Claim, claims: &[usize], is_one: bool) -> Said {
    let mut all: Vec<Said> = claims.iter().map(|&claim| of_claim(tree, expected, claim)).collect();
    // A receiver or a provider that was rejected whole, without any claim: its claims were rejected as well.
    let has_claim = |above: usize| {
        let level = tree.around(above, &["2000B", "2000C"]);
        let claims = tree.all(&CLAIMS);
        level.is_some_and(|level| claims.iter().any(|&claim| tree.is_around(level, claim)))
    };
    let without_claims = tree.all(&ABOVE).into_iter().filter(|&above| !has_claim(above));
    for above in without_claims.filter(|_| !is_one || claims.is_empty()) {
        if let Some((why, stc)) = rejection_of(tree, above) {
            let verdict = if expected == Claim::Rejected { Verdict::Holds } else { Verdict::Fails };
            all.push(Said::new("claim", expected.name(), why, verdict).on([stc]));
        }
    }
    let said = Said::together(all, "claims").into_iter().next();
    said.unwrap_or_else(|| Said::silent("claim", expected.name(), "no status is stated"))
}

fn of_claim(tree: &Tree<'_>, expected: Claim, claim: usize) -> Said {
    let mut found = statuses(tree, claim);
    found.extend(rejected_above(tree, Some(claim)).map(|(_, stc)| (Status::Rejected, stc)));
    // What was received first and accepted then is accepted.
    let answers = found.iter().filter(|(status, _)| *status != Status::Open);
    let deciding: Vec<(Status, usize)> = answers.copied().collect();
    let deciding = if deciding.is_empty() { found } else { deciding };
    let on: Vec<usize> = deciding.iter().map(|(_, stc)| *stc).collect();
    let Some(&(first, stc)) = deciding.first() else {
        return Said::silent("claim", expected.name(), "no status is stated").on(tree.first(claim, "TRN"));
    };
    let verdicts: Vec<Verdict> = deciding.iter().map(|(status, _)| status.is(expected)).collect();
    if verdicts.iter().any(|verdict| Some(verdict) != verdicts.first()) {
        let mut names: Vec<&str> = deciding.iter().map(|(status, _)| status.name()).collect();
        names.dedup();
        return Said::silent("claim", expected.name(), &names.join(" and ")).on(on);
    }
    let shown = match first.is(expected) {
        Verdict::Holds => expected.name().to_owned(),
        _ => format!("{} (STC01 {})", first.name(), tree.text(stc, 1)),
    };
    Said::new("claim", expected.name(), shown, first.is(expected)).on(on)
}
