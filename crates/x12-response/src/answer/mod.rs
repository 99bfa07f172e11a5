//! `answer`: the meaning of a transaction set, asserted in words instead of paths.

mod acknowledged;
mod balance;
mod eligibility;
mod enrollment;
mod patients;
mod premium;
mod rejections;
mod remittance;
mod review;
mod scalar;
mod settings;
mod standing;
mod status;
mod subject;
mod tree;
mod words;

pub(crate) use balance::Balance;
pub(crate) use tree::Tree;

use candor_check::field::{FieldReason, FieldResult, Location};
use candor_json::{Value, json};
use candor_x12_guides::Loops;

use crate::claims::History;
use crate::path::ReadSet;
pub(crate) use settings::Answer;
pub(crate) use subject::Subject;

#[derive(Clone)]
pub(crate) struct Said {
    member: String,
    expected: Value,
    actual: Value,
    verdict: Verdict,
    rests_on: Vec<usize>,
    /// The subject of the answer where there are several: TRN02 of a claim.
    about: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Holds,
    Fails,
    /// The segments contradict each other, or say nothing about it.
    Unknown,
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

impl Said {
    fn new(member: &str, expected: impl Into<Value>, actual: impl Into<Value>, verdict: impl Into<Verdict>) -> Self {
        let (expected, actual, verdict) = (expected.into(), actual.into(), verdict.into());
        Self { member: member.to_owned(), expected, actual, verdict, rests_on: Vec::new(), about: None }
    }

    fn silent(member: &str, expected: impl Into<Value>, why: &str) -> Self {
        Self::new(member, expected, why, Verdict::Unknown)
    }

    /// Answers about several of `whom`, one for each member: together where they agree, and no answer where they differ.
    fn together(all: Vec<Self>, whom: &str) -> Vec<Self> {
        let mut members: Vec<Vec<Self>> = Vec::new();
        for said in all {
            match members.iter_mut().find(|list| list.first().is_some_and(|first| first.member == said.member)) {
                Some(list) => list.push(said),
                None => members.push(vec![said]),
            }
        }
        members.into_iter().filter_map(|list| Self::of_one_member(list, whom)).collect()
    }

    fn of_one_member(all: Vec<Self>, whom: &str) -> Option<Self> {
        const MOST_SHOWN: usize = 3;
        const MOST_NAMED: usize = 5;
        let count = all.len();
        let rests_on: Vec<usize> = all.iter().flat_map(|one| one.rests_on.iter().copied()).collect();
        let mut shown: Vec<(Value, Vec<String>)> = Vec::new();
        for one in &all {
            match shown.iter_mut().find(|(actual, _)| *actual == one.actual) {
                Some((_, about)) => about.extend(one.about.clone()),
                None => {
                    if shown.len() < MOST_SHOWN {
                        shown.push((one.actual.clone(), one.about.clone().into_iter().collect()));
                    }
                }
            }
        }
        let mut others = all.into_iter();
        let first = others.next()?;
        let verdict = if others.all(|one| one.verdict == first.verdict) { first.verdict } else { Verdict::Unknown };
        let actual = match shown.as_slice() {
            [(only, _)] => only.clone(),
            several => {
                let text = |(value, about): &(Value, Vec<String>)| {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let named = about.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
                    match about.len().saturating_sub(MOST_NAMED) {
                        _ if named.is_empty() => text,
                        0 => format!("{named} {text}"),
                        more => format!("{named} and {more} more {text}"),
                    }
                };
                let texts: Vec<String> = several.iter().map(text).collect();
                json!(format!("of {count} {whom}: {}", texts.join("; ")))
            }
        };
        Some(Self { actual, verdict, rests_on, about: None, ..first })
    }

    fn on(self, rests_on: impl IntoIterator<Item = usize>) -> Self {
        Self { rests_on: rests_on.into_iter().collect(), ..self }
    }
}

pub(crate) struct Answered {
    pub(crate) results: Vec<FieldResult>,
    pub(crate) quoted: Vec<Value>,
}

impl Answer {
    pub(crate) fn judge(&self, set: &ReadSet<'_>, place: &Location, history: &History<'_>) -> Answered {
        let transaction = set.transaction();
        let unknown = |why: String| {
            let result = |(member, expected): (&str, Value)| {
                FieldResult::constraint(format!("answer.{member}"), expected, json!(why), false)
                    .because(FieldReason::Undecidable)
                    .at(place.clone())
            };
            Answered { results: self.asserted().into_iter().map(result).collect(), quoted: Vec::new() }
        };
        let Some(judge) = judges(&transaction) else {
            return unknown(format!("a set of {transaction:?}, which `answer` is not for"));
        };
        if let Some(member) = self.foreign(&transaction) {
            return unknown(format!("a set of {transaction}, which `answer.{member}` is not for"));
        }
        if let Some(why) = set.damage() {
            return unknown(why);
        }
        if transaction == "TA1" {
            return answered(acknowledged::interchange(self, set.view()), None, set, place);
        }
        let Some(loops) = set.loops() else {
            return unknown(format!("a set of guide {:?}, whose loops are not known", set.guide()));
        };
        let tree = Tree::of(loops, set.segments());
        let said = match transaction.as_str() {
            "835" => remittance::judge(self, &tree, &Remittance { set, place, history }),
            _ => judge(self, &tree),
        };
        answered(said, Some((&tree, loops)), set, place)
    }
}

struct Remittance<'r, 'a> {
    set: &'r ReadSet<'a>,
    place: &'r Location,
    history: &'r History<'r>,
}

type Judge = fn(&Answer, &Tree<'_>) -> Vec<Said>;

fn judges(transaction: &str) -> Option<Judge> {
    Some(match transaction {
        "271" => eligibility::judge,
        "277" => status::judge,
        "278" => review::judge,
        "820" => premium::judge,
        "834" => enrollment::judge,
        // With what other remittances say.
        "835" => |_, _| Vec::new(),
        "997" | "999" => acknowledged::judge,
        "TA1" => |_, _| Vec::new(),
        _ => return None,
    })
}

fn answered(said: Vec<Said>, read: Option<(&Tree<'_>, &Loops)>, set: &ReadSet<'_>, place: &Location) -> Answered {
    const MOST_QUOTED: usize = 20;
    let mut quoted = Vec::new();
    let results = said.into_iter().map(|said| {
        let place_of = |number: &usize| {
            let segment = read.and_then(|(tree, _)| tree.segment(*number))?;
            let start = segment.offset();
            Some(match set.is_located() {
                true => Location::bytes(place.locator.as_str(), start..start + segment.raw().len() as u64),
                false => place.clone(),
            })
        };
        let path = format!("answer.{}", said.member);
        let shown: Vec<Value> = said
            .rests_on
            .iter()
            .take(MOST_QUOTED)
            .filter_map(|number| {
                let (tree, loops) = read?;
                let text = tree.segment(*number)?.whole().text().into_owned();
                Some(json!({"loop": loops.trail(tree.occurrence(*number)?), "segment": text, "source": place_of(number)}))
            })
            .collect();
        if !shown.is_empty() {
            quoted.push(json!({"path": path, "segments": shown}));
        }
        let source = said.rests_on.first().and_then(place_of).unwrap_or_else(|| place.clone());
        let result = FieldResult::constraint(path, said.expected, said.actual, said.verdict == Verdict::Holds);
        match said.verdict {
            Verdict::Unknown => result.because(FieldReason::Undecidable),
            Verdict::Holds | Verdict::Fails => result,
        }
        .at(source)
    });
    let results = results.collect();
    Answered { results, quoted }
}
