//! `answers`: the request in the sandbox that a set answers, held together by what both must name alike.

use std::collections::{BTreeMap, HashMap};

use candor_check::field::{FieldReason, FieldResult, Location};
use candor_check::sandbox::{FileEntry, Folder};
use candor_json::{Value, json};
use candor_x12::{Item, Path, Walk};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::every::Every;
use crate::limits::{obstacle, x12_limits};
use crate::path::ReadSet;
use crate::person::{self, Person};
use crate::selection::Transaction;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answers {
    transaction: Transaction,
    #[serde(rename = "in")]
    folder: Within,
    /// The claims, sets or messages of which each needs its answer.
    #[serde(default)]
    pub(crate) every: Option<Every>,
}

/// A folder below `x12/`, as the sandbox names it: `x12/requests`.
#[derive(Clone, Debug)]
struct Within(String);

impl<'de> Deserialize<'de> for Within {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let below = text.trim_end_matches('/').strip_prefix("x12/").filter(|below| {
            !below.is_empty() && below.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        });
        match below {
            Some(below) => Ok(Self(below.to_owned())),
            None => Err(D::Error::custom(format!(
                "`in` is {text:?}; expected a folder below x12/, such as \"x12/requests\""
            ))),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) label: String,
    pub(crate) place: Location,
    pub(crate) keys: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    persons: Vec<Person>,
}

/// The requests that were found, and what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    pub(crate) found: Vec<Request>,
    #[serde(default)]
    pub(crate) unreadable: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    All,
    /// Something of it is: a remittance pays claims of many files.
    Any,
}

/// By the transaction that answers and the one that asked: what the answer names, and where the request has it.
/// TRN02 with TRN01 2 and BHT03 are echoes (X279, X212, X217); TRN02 of a 277CA and CLP01 of an 835 are CLM01 (X214, X221);
/// AK101, AK102 are GS01, GS06, AK202 is ST02 (X231); TA101 to TA103 are ISA13, ISA09, ISA10.
pub(crate) fn links(answer: &str, request: &str) -> &'static [(&'static str, &'static str, Link)] {
    match (answer, request) {
        ("271", "270") | ("278", "278") => &[("BHT.3", "BHT.3", Link::All), ("TRN[1=2].2", "TRN[*].2", Link::All)],
        ("277", "276") => &[
            ("BHT.3", "BHT.3", Link::All),
            ("2200B.TRN[1=2].2", "BHT.3", Link::All),
            ("2200D.TRN[1=2].2", "TRN[*].2", Link::All),
            ("2200E.TRN[1=2].2", "TRN[*].2", Link::All),
        ],
        ("277", "837") => &[("2200B.TRN[*].2", "BHT.3", Link::All), ("2200D.TRN[*].2", "CLM[*].1", Link::All)],
        ("835", "837") => &[("CLP[*].1", "CLM[*].1", Link::Any)],
        ("997" | "999", _) => {
            &[("AK1.1", "GS.1", Link::All), ("AK1.2", "GS.6", Link::All), ("AK2[*].2", "ST.2", Link::Any)]
        }
        ("TA1", _) => &[("TA1.1", "ISA.13", Link::All), ("TA1.2", "ISA.9", Link::All), ("TA1.3", "ISA.10", Link::All)],
        _ => &[],
    }
}

/// Every path that a request may be asked for.
const KEYS: [&str; 9] = ["BHT.3", "TRN[*].2", "CLM[*].1", "GS.1", "GS.6", "ST.2", "ISA.13", "ISA.9", "ISA.10"];

/// The most persons of one answer that are shown to be others.
const MOST_DIFFERENCES: usize = 20;

/// The most values of one path that are kept of a request.
const MOST_VALUES: usize = 100_000;

type Said<'l> = (&'l str, &'l str, Link, Vec<String>);

pub(crate) fn said<'l>(set: &ReadSet<'_>, links: &[(&'l str, &'l str, Link)]) -> Vec<Said<'l>> {
    links.iter().map(|&(own, asked, link)| (own, asked, link, values(set, own))).collect()
}

impl Answers {
    pub(crate) fn within(&self) -> String {
        format!("x12/{}", self.folder.0)
    }

    pub(crate) fn requested(&self) -> &'static str {
        match self.transaction {
            Transaction::Set(transaction) => transaction,
            Transaction::Ta1 => "TA1",
        }
    }

    pub(crate) fn problem(&self, transaction: Option<&str>) -> Option<String> {
        let Some(answer) = transaction else {
            return Some("`answers` needs `transaction`: which sets answer".to_owned());
        };
        let request = self.requested();
        if links(answer, request).is_empty() {
            return Some(format!("a {answer} answers no {request}"));
        }
        self.every.and_then(|every| every.problem(answer, request))
    }

    /// True if a file is one of the requests, which answer nothing themselves.
    pub(crate) fn holds(&self, file: &FileEntry) -> bool {
        file.path.strip_prefix(self.folder.0.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    pub(crate) fn read(&self, folder: &Folder, file: &FileEntry, requests: &mut Requests) {
        let source = match folder.open(file) {
            Ok(source) => source,
            Err(why) => return requests.unreadable.push(obstacle(&file.locator, why).what),
        };
        let paths: Vec<(&str, Path)> = KEYS.iter().filter_map(|key| Some((*key, Path::parse(key).ok()?))).collect();
        let wanted = self.requested();
        let mut walk = Walk::from_read(source, x12_limits(folder.limits()));
        loop {
            match walk.next_item(&mut |head| head.st.text(1) == wanted) {
                Ok(Some(Item::Set(set))) => {
                    let view = set.view();
                    let values = |path: &Path| {
                        path.select(&view).into_iter().take(MOST_VALUES).map(|value| value.text.into_owned()).collect()
                    };
                    let number = view.segment("ST").map(|st| st.text(2).into_owned()).unwrap_or_default();
                    let (start, length) = (view.body.offset, view.body.bytes.len() as u64);
                    requests.found.push(Request {
                        label: format!("transaction set {wanted} {number} of {}", file.locator),
                        place: Location::bytes(file.locator.as_str(), start..start + length),
                        persons: person::of(&view.read(), false).into_iter().take(MOST_VALUES).collect(),
                        keys: paths.iter().map(|(key, path)| ((*key).to_owned(), values(path))).collect(),
                    });
                }
                Ok(Some(Item::Fault(error))) => requests.unreadable.push(format!("{}: {error}", file.locator)),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    requests.unreadable.push(format!("{}: {error}", file.locator));
                    break;
                }
            }
        }
    }

    /// Holds a set against the requests: the results of the one it answers best.
    ///
    /// `claim`: the claim that the answer is asked about, which has to have been sent.
    pub(crate) fn judge(
        &self,
        set: &ReadSet<'_>,
        requests: &Requests,
        claim: Option<&str>,
        place: &Location,
    ) -> Vec<FieldResult> {
        if let Some(why) = set.damage() {
            let result =
                FieldResult::constraint("answers", json!(format!("a {}", self.requested())), json!(why), false);
            return vec![result.because(FieldReason::Undecidable).at(place.clone())];
        }
        let request = self.requested();
        let said = said(set, links(&set.transaction(), request));
        let claim = claim.filter(|_| set.transaction() == "835");
        let persons = person::of(set.segments(), true);
        let best = requests
            .found
            .iter()
            .map(|request| {
                let mut results = held(&said, request, place);
                if !results.is_empty() {
                    results.extend(claim.and_then(|claim| not_sent(claim, request, place)));
                    results.extend(another_person(&persons, request, claim, place));
                }
                (request, results)
            })
            .reduce(|best, next| if agreement(&next.1) > agreement(&best.1) { next } else { best });
        let Some((found, results)) = best else {
            let wanted = json!(format!("a {request} in {}", self.within()));
            let result = FieldResult::constraint("answers", wanted, Value::Null, false).at(place.clone());
            return vec![match requests.unreadable.first() {
                Some(why) => FieldResult { actual: json!(why), ..result }.because(FieldReason::Undecidable),
                None => result,
            }];
        };
        if results.is_empty() {
            let actual = json!("it has no value that identifies a request");
            let result = FieldResult::constraint("answers", json!(found.label), actual, false);
            return vec![result.because(FieldReason::Undecidable).at(place.clone())];
        }
        // The answered request may lie behind the unreadable part.
        let failed = results.iter().any(|result| !result.passed);
        match requests.unreadable.first().filter(|_| failed) {
            Some(why) => {
                let result = FieldResult::constraint("answers", json!(format!("a {request}")), json!(why), false);
                vec![result.because(FieldReason::Undecidable).at(place.clone())]
            }
            None => results,
        }
    }
}

pub(crate) fn values(set: &ReadSet<'_>, path: &str) -> Vec<String> {
    let Ok(path) = Path::parse(path) else { return Vec::new() };
    let values = set.values(&path).unwrap_or_default();
    values.into_iter().map(|value| value.text.into_owned()).collect()
}

/// How well a request and an answer agree: by what they agree on, then by what they do not.
fn agreement(results: &[FieldResult]) -> (usize, std::cmp::Reverse<usize>) {
    let passed = results.iter().filter(|result| result.passed).count();
    (passed, std::cmp::Reverse(results.len() - passed))
}

fn not_sent(claim: &str, request: &Request, place: &Location) -> Option<FieldResult> {
    let sent = request.keys.get("CLM[*].1").map(Vec::as_slice).unwrap_or_default();
    let is_sent = sent.iter().any(|sent| sent == claim);
    let shown: Vec<&String> = sent.iter().take(20).collect();
    (!is_sent).then(|| FieldResult::constraint("answers.claim_id", json!(shown), json!(claim), false).at(place.clone()))
}

type ByNumber<'p> = HashMap<&'p str, Vec<&'p Person>>;

fn under<'p>(index: &ByNumber<'p>, numbers: &[String]) -> Vec<&'p Person> {
    numbers.iter().filter_map(|number| index.get(number.as_str())).flatten().copied().collect()
}

/// The results of those persons of an answer that the request does not ask about. A person is asked about under a trace
/// number or a claim; where the answer repeats none of them, any person of the request will do.
pub(crate) fn another_person(
    persons: &[Person],
    request: &Request,
    claim: Option<&str>,
    place: &Location,
) -> Vec<FieldResult> {
    let (mut by_trace, mut by_claim) = (ByNumber::new(), ByNumber::new());
    for asked in &request.persons {
        asked.traces.iter().for_each(|trace| by_trace.entry(trace).or_default().push(asked));
        asked.claims.iter().for_each(|claim| by_claim.entry(claim).or_default().push(asked));
    }
    let difference = |answered: &Person| {
        let mut asked = under(&by_trace, &answered.traces);
        if asked.is_empty() {
            asked = under(&by_claim, &answered.claims);
        }
        if asked.is_empty() {
            // A 277CA repeats the number of the claim as its trace number.
            asked = under(&by_claim, &answered.traces);
        }
        if asked.is_empty() && answered.claims.is_empty() && answered.traces.is_empty() {
            asked = request.persons.iter().collect();
        }
        let mut differences = asked.into_iter().map(|asked| asked.difference(answered));
        let first = differences.next()?;
        if differences.any(|other| other.is_none()) { None } else { first }
    };
    let meant = persons.iter().filter(|person| claim.is_none_or(|claim| person.claims.iter().any(|own| own == claim)));
    meant
        .filter_map(difference)
        .take(MOST_DIFFERENCES)
        .map(|(element, asked, answered)| {
            let path = format!("answers.{element}");
            FieldResult::constraint(path, json!(asked), json!(answered), false).at(place.clone())
        })
        .collect()
}

pub(crate) fn held(said: &[Said<'_>], request: &Request, place: &Location) -> Vec<FieldResult> {
    let named = said.iter().filter(|(.., values)| !values.is_empty());
    let result = |(own, asked, link, values): &Said<'_>| {
        let there = request.keys.get(*asked).map(Vec::as_slice).unwrap_or_default();
        let same = |value: &&String| there.iter().any(|there| alike(asked, there, value));
        let holds = match link {
            Link::All => values.iter().all(|value| same(&value)),
            Link::Any => values.iter().any(|value| same(&value)),
        };
        let shown = |values: &[String]| match values {
            [one] => json!(one),
            several => json!(several.iter().take(20).collect::<Vec<_>>()),
        };
        let other: Vec<String> = values.iter().filter(|value| !same(value)).cloned().collect();
        let actual = if holds { shown(values) } else { shown(&other) };
        let expected = if holds { actual.clone() } else { shown(there) };
        let path = format!("answers.{}", own.replace("[1=2]", "").replace("[*]", ""));
        FieldResult::constraint(path, expected, actual, holds).at(place.clone())
    };
    named.map(result).collect()
}

/// The control numbers of interchanges and groups are numbers, padded or not; everything else is text.
fn alike(path: &str, one: &str, other: &str) -> bool {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.trim_start_matches('0').to_owned())
    };
    let is_number = matches!(path, "ISA.13" | "GS.6");
    one == other || (is_number && number(one).zip(number(other)).is_some_and(|(one, other)| one == other))
}
