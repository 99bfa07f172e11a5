//! `answers.every`: finds the claims, sets or messages that were sent and lack an answer.

use std::collections::HashMap;

use candor_check::field::{FieldReason, FieldResult, Location};
use candor_json::json;

use crate::every::{Every, claim_paths};
use crate::path::ReadSet;
use crate::person;
use crate::request::{Answers, Link, Request, Requests, another_person, held, links, said};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Meets,
    Fails,
    Open,
}

/// The most that are named as missing.
const MOST_NAMED: usize = 20;

/// The parts of a request that need an answer, each with its name.
fn asked<'r>(every: Every, answer: &str, wanted: &str, request: &'r Request) -> Vec<(Option<&'r str>, String)> {
    let key = |path: &str| request.keys.get(path).and_then(|values| values.first()).map_or("", String::as_str);
    match (every, claim_paths(answer, wanted)) {
        (Every::Claim, Some((_, path))) => {
            let numbers = request.keys.get(path).into_iter().flatten();
            let locator = &request.place.locator;
            numbers.map(|number| (Some(number.as_str()), format!("claim {number} of {locator}"))).collect()
        }
        (Every::Message, _) => {
            let (what, number) = if answer == "TA1" { ("interchange", "ISA.13") } else { ("group", "GS.6") };
            vec![(None, format!("{what} {} of {}", key(number), request.place.locator))]
        }
        _ => vec![(None, request.label.clone())],
    }
}

struct Answering<'s, 'a> {
    set: &'s ReadSet<'a>,
    place: &'s Location,
    standing: Standing,
    claims: Vec<String>,
}

impl Answering<'_, '_> {
    fn answers(&self, every: Every, wanted: &str, request: &Request, claim: Option<&str>) -> bool {
        let answer = self.set.transaction();
        let own = claim_paths(&answer, wanted).map_or(&[][..], |(own, _)| own);
        let is_meant = |path: &str| match every {
            Every::Claim => !own.contains(&path),
            Every::Set => true,
            Every::Message => path != "AK2[*].2",
        };
        let links: Vec<(&str, &str, Link)> =
            links(&answer, wanted).iter().copied().filter(|(own, ..)| is_meant(own)).collect();
        let held = held(&said(self.set, &links), request, self.place);
        let names_it = claim.is_none_or(|claim| self.claims.iter().any(|own| own == claim));
        names_it
            && (claim.is_some() || !held.is_empty())
            && held.iter().all(|result| result.passed)
            && another_person(&person::of(self.set.segments(), true), request, claim, self.place).is_empty()
    }
}

impl Answers {
    /// Holds all sets against the requests: which claims, sets or messages have no answer. A set counts where it is as the
    /// criterion asserts.
    pub(crate) fn judge_every(
        &self,
        answer: &str,
        sets: &[(ReadSet<'_>, Location, Standing)],
        requests: &Requests,
        place: &str,
    ) -> Option<FieldResult> {
        let every = self.every?;
        let wanted = self.requested();
        let paths = claim_paths(answer, wanted).filter(|_| every == Every::Claim).map_or(&[][..], |(own, _)| own);
        let answering: Vec<Answering<'_, '_>> = sets
            .iter()
            .filter(|(.., standing)| *standing != Standing::Fails)
            .map(|(set, place, standing)| Answering {
                set,
                place,
                standing: if set.damage().is_some() { Standing::Open } else { *standing },
                claims: paths.iter().flat_map(|path| crate::request::values(set, path)).collect(),
            })
            .collect();
        let mut naming: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, set) in answering.iter().enumerate() {
            set.claims.iter().for_each(|claim| naming.entry(claim.as_str()).or_default().push(at));
        }
        let all: Vec<usize> = (0..answering.len()).collect();
        let (mut number, mut missing, mut named_before): (usize, Vec<String>, Option<String>) = (0, Vec::new(), None);
        for request in &requests.found {
            for (claim, name) in asked(every, answer, wanted, request) {
                // The sets of one message follow each other.
                if claim.is_none() && named_before.as_ref() == Some(&name) {
                    continue;
                }
                number += 1;
                let among = claim.map_or(&all, |claim| naming.entry(claim).or_default());
                let mut among = among.iter().filter_map(|at| answering.get(*at));
                let has =
                    among.any(|set| set.standing == Standing::Meets && set.answers(every, wanted, request, claim));
                if !has {
                    missing.push(name.clone());
                }
                named_before = Some(name);
            }
        }
        let noun = every.name();
        let expected = json!(format!("an answer to each of {number} {noun}{}", if number == 1 { "" } else { "s" }));
        let result = |actual, passed| {
            FieldResult::constraint("answers.every", expected.clone(), actual, passed).at(Location::whole(place))
        };
        let is_open = answering.iter().any(|set| set.standing == Standing::Open);
        Some(match (missing.as_slice(), requests.unreadable.first()) {
            ([], None) if number > 0 => result(json!(number), true),
            ([], Some(why)) => result(json!(why), false).because(FieldReason::Undecidable),
            ([], None) => result(json!(format!("no {noun} in {}", self.within())), false),
            (missing, _) => {
                let more = missing.len().saturating_sub(MOST_NAMED);
                let first: Vec<&str> = missing.iter().take(MOST_NAMED).map(String::as_str).collect();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let failed = result(json!(format!("none to {}{more}", first.join(", "))), false);
                if is_open { failed.because(FieldReason::Undecidable) } else { failed }
            }
        })
    }
}
