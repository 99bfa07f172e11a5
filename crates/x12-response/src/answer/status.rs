//! 277 (X212) and 277CA (X214): was the claim accepted, rejected, pended, finalized.

use std::collections::{HashMap, HashSet};

use super::patients::{member, named_patients};
use super::scalar::Text;
use super::settings::Claim;
use super::tree::Tree;
use super::{Answer, Said, Verdict};

/// A claim status category (STC01-1, code list 507).
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

    /// Compares it with the asserted status; a claim that is paid or denied is finalized.
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

pub(super) fn rejects(stc: &candor_x12::Segment<'_>) -> bool {
    let delimiters = stc.delimiters();
    let category = |element| {
        let piece = stc.element(element).and_then(|piece| piece.components(delimiters).next());
        piece.map(|piece| piece.text().into_owned()).unwrap_or_default()
    };
    let is_rejected = |element| status(&category(element)) == Status::Rejected;
    [1, 10, 11].into_iter().any(is_rejected) || stc.text(3) == "U"
}

const CLAIMS: [&str; 2] = ["2200D", "2200E"];
const ABOVE: [&str; 2] = ["2200B", "2200C"];
const ACKNOWLEDGMENT: &str = "005010X214";

pub(super) fn judge(answer: &Answer, tree: &Tree<'_>) -> Vec<Said> {
    let mut said = Vec::new();
    let above = Above::of(tree);
    let is_wanted = |claim: &usize| answer.claim_id.as_ref().is_none_or(|wanted| is_named(tree, *claim, wanted));
    let named: Vec<usize> = tree.all(&CLAIMS).into_iter().filter(is_wanted).collect();
    if let Some(wanted) = &answer.claim_id {
        let traces: Vec<usize> = named.iter().filter_map(|&claim| tree.first(claim, "TRN")).collect();
        said.push(match (traces.is_empty(), above.rejections.first()) {
            (false, _) => Said::new("claim_id", wanted.0.clone(), wanted.0.clone(), Verdict::Holds).on(traces),
            (true, Some((why, stc))) => Said::silent("claim_id", wanted.0.clone(), why).on([*stc]),
            (true, None) => Said::new("claim_id", wanted.0.clone(), candor_json::Value::Null, Verdict::Fails),
        });
    }
    let patients = if answer.member_id.is_some() { named_patients(tree) } else { HashMap::new() };
    let member = |claim: usize| member(tree, &patients, claim);
    let is_of_member = |claim: &usize| {
        answer.member_id.as_ref().is_none_or(|Text(wanted)| member(*claim).is_some_and(|(_, own)| own == *wanted))
    };
    let claims: Vec<usize> = named.iter().copied().filter(is_of_member).collect();
    if let Some(Text(wanted)) = &answer.member_id {
        let names = |claims: &[usize]| claims.iter().filter_map(|&claim| member(claim)).collect::<Vec<_>>();
        said.push(match (claims.is_empty(), above.rejections.first()) {
            (false, _) => {
                let on = names(&claims).into_iter().map(|(name, _)| name);
                Said::new("member_id", wanted.clone(), wanted.clone(), Verdict::Holds).on(on)
            }
            (true, Some((why, stc))) if named.is_empty() => Said::silent("member_id", wanted.clone(), why).on([*stc]),
            (true, _) => {
                let others = names(&named);
                let actual = others.first().map_or(candor_json::Value::Null, |(_, own)| own.clone().into());
                let on = others.iter().map(|(name, _)| *name);
                Said::new("member_id", wanted.clone(), actual, Verdict::Fails).on(on)
            }
        });
    }
    if let Some(expected) = answer.claim {
        said.push(of_claims(tree, expected, &claims, &above, answer.claim_id.is_some() || answer.member_id.is_some()));
    }
    said
}

/// True if TRN02 of a claim, REF*D9 or REF*1K is this number.
fn is_named(tree: &Tree<'_>, claim: usize, wanted: &Text) -> bool {
    let trace = tree.own(claim, "TRN").into_iter().any(|trn| tree.text(trn, 2) == wanted.0);
    let number = |reference: usize| {
        matches!(&*tree.text(reference, 1), "D9" | "1K" | "EJ") && tree.text(reference, 2) == wanted.0
    };
    trace || tree.own(claim, "REF").into_iter().any(number)
}

/// The statuses of an occurrence, each with its segment. STC10 and STC11 add to STC01, and so does STC03 where it
/// rejects what is accepted.
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

type Rejection = (String, usize);

struct Above {
    /// Every rejection, in order.
    rejections: Vec<Rejection>,
    /// The first rejection by the level that it is of.
    by_level: HashMap<usize, Rejection>,
    /// The status segments that reject nothing.
    others: Vec<usize>,
    without_claims: Vec<Rejection>,
}

impl Above {
    fn of(tree: &Tree<'_>) -> Self {
        const LEVELS: [&str; 2] = ["2000B", "2000C"];
        let mut with_claims: HashSet<usize> = HashSet::new();
        for claim in tree.all(&CLAIMS) {
            // Levels around one claim that are known are around every other in them.
            let mut at = tree.around(claim, &LEVELS);
            while let Some(level) = at.filter(|&level| with_claims.insert(level)) {
                at = tree.parent(level).and_then(|parent| tree.around(parent, &LEVELS));
            }
        }
        let mut above =
            Self { rejections: Vec::new(), by_level: HashMap::new(), others: Vec::new(), without_claims: Vec::new() };
        for occurrence in tree.all(&ABOVE) {
            let Some(rejection) = rejection_of(tree, occurrence) else {
                above.others.extend(tree.own(occurrence, "STC"));
                continue;
            };
            let level = tree.around(occurrence, &LEVELS);
            if level.is_some_and(|level| !with_claims.contains(&level)) {
                above.without_claims.push(rejection.clone());
            }
            if let Some(level) = level {
                above.by_level.entry(level).or_insert_with(|| rejection.clone());
            }
            above.rejections.push(rejection);
        }
        above
    }

    fn around(&self, tree: &Tree<'_>, claim: usize) -> Option<&Rejection> {
        let level = |id: &str| tree.around(claim, &[id]).and_then(|level| self.by_level.get(&level));
        level("2000B").or_else(|| level("2000C"))
    }
}

fn rejection_of(tree: &Tree<'_>, above: usize) -> Option<Rejection> {
    let (_, stc) = statuses(tree, above).into_iter().find(|(status, _)| *status == Status::Rejected)?;
    Some((format!("rejected in {}: STC01 {}", tree.id(above), tree.text(stc, 1)), stc))
}

fn of_claims(tree: &Tree<'_>, expected: Claim, claims: &[usize], above: &Above, is_one: bool) -> Said {
    let traced = |claim: usize| tree.first(claim, "TRN").map(|trn| tree.text(trn, 2).into_owned());
    let of_one = |&claim: &usize| Said { about: traced(claim), ..of_claim(tree, expected, above, claim) };
    let mut all: Vec<Said> = claims.iter().map(of_one).collect();
    // A receiver or a provider that was rejected whole, without any claim: its claims were rejected as well.
    for (why, stc) in above.without_claims.iter().filter(|_| !is_one || claims.is_empty()) {
        let verdict = if expected == Claim::Rejected { Verdict::Holds } else { Verdict::Fails };
        all.push(Said::new("claim", expected.name(), why.clone(), verdict).on([*stc]));
    }
    // One that was rejected is enough for not all to be accepted.
    let is_refused = |one: &Said| {
        one.about.is_some()
            && one.verdict == Verdict::Fails
            && one.actual.as_str().is_some_and(|it| it.starts_with("rejected"))
    };
    let refused = expected == Claim::Accepted && all.iter().any(is_refused);
    let said = Said::together(all, "claims").into_iter().next();
    let said = said.map(|said| if refused { Said { verdict: Verdict::Fails, ..said } } else { said });
    said.unwrap_or_else(|| match above.others.first() {
        Some(&stc) => {
            let at = tree.occurrence(stc).map(|occurrence| tree.id(occurrence)).unwrap_or_default();
            let why = format!("no status of a claim is stated: STC01 {} in {at} is of no claim", tree.text(stc, 1));
            Said::silent("claim", expected.name(), &why).on([stc])
        }
        None => Said::silent("claim", expected.name(), "no status is stated"),
    })
}

fn of_claim(tree: &Tree<'_>, expected: Claim, above: &Above, claim: usize) -> Said {
    let mut found = statuses(tree, claim);
    found.extend(above.around(tree, claim).map(|(_, stc)| (Status::Rejected, *stc)));
    // X214 has a line only if it caused the rejection of its claim (X12, RFI 1211 and 2203).
    if tree.guide().id() == ACKNOWLEDGMENT && found.iter().any(|(status, _)| *status == Status::Accepted) {
        let lines = tree.below(claim, &["2220D"]).flat_map(|line| tree.own(line, "STC"));
        let rejected = lines.filter(|&stc| tree.segment(stc).is_some_and(rejects));
        found.extend(rejected.map(|stc| (Status::Rejected, stc)));
    }
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
