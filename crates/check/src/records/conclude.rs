//! From judged candidates to evidence: `match`, `count`, reasons, the nearest, the sentence.

mod by_time;
mod counting;
mod results;
mod summary;

use std::ops::Range;

use candor_json::json;

use super::{Candidate, Fault, Match, Observation, RecordRules, Unreadable, UnsafeMatch, Wording};
use crate::compare::Operator;
use crate::evidence::{Candidates, Entry, Evidence, Nearest, SourceRef, Weights, quoted, share, share_with};
use crate::field::{FieldReason, FieldResult};
use crate::outcome::{Failure, Obstacle, Share, Status};
use crate::settings::Cardinality;
use crate::work::cancelled;

use by_time::Ends;
pub use by_time::conclude_by_time;
use results::{LeftOut, Results};

/// The most sources that evidence names.
const MOST_SOURCES: usize = 100;

/// A check's judgement of one candidate.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Its field assertions.
    pub fields: Vec<FieldResult>,
    /// Constraints next to fields, each with the reason it gives when it does not pass.
    pub constraints: Vec<(Failure, FieldResult)>,
    /// The reason why it is unsafe, whether it satisfies every field or not. It then does not count as existing, except
    /// if the assertion is that nothing of the kind was made.
    pub unsafe_match: Option<UnsafeMatch>,
    /// True if it was retracted and the assertion ignores that: it then counts nowhere.
    pub is_ignored: bool,
    /// Which items came closest to what item groups assert, a sentence each: for `details`.
    pub explained: Vec<String>,
    /// True if the check adds members to the evidence that depend on these results: all of them are held.
    pub keeps_results: bool,
}

/// How candidates are concluded from.
#[derive(Debug)]
pub struct Judging<'a> {
    /// `match` and `count`.
    pub rules: RecordRules,
    /// True if anything is asserted of a candidate except its existence.
    pub asserts_content: bool,
    /// Constraints on all candidates together (none twice, an order), each with the reason it gives when it does not
    /// pass. They hold or not whichever candidate `match` picks.
    pub whole: Vec<(Failure, FieldResult)>,
    /// True if the assertion depends on more than the candidates, so that a place that could not be read always
    /// matters.
    pub hangs_on_all: bool,
    /// The words of `details`.
    pub wording: &'a Wording,
}

struct Comparison<'a, C> {
    candidate: &'a Candidate<C>,
    /// Its own among the entries of all candidates.
    entries: Range<usize>,
    /// Nothing for most candidates that passed.
    findings: Option<Box<Findings>>,
    is_ignored: bool,
}

/// A candidate without its name, weights and texts: the first of its failures, its unsafe match (`Some(true)` if
/// undecidable), and whether it is ignored, is open, has results that are undecidable or vague, and is explained.
type Class = (Option<Failure>, Option<bool>, [bool; 5]);

struct Findings {
    /// The failures: an item for each entry that did not pass.
    failures: Vec<Failure>,
    /// True if no entry failed for certain.
    is_open: bool,
    unsafe_match: Option<UnsafeMatch>,
    explained: Vec<String>,
    keeps_results: bool,
}

impl<C> Comparison<'_, C> {
    fn class(&self, own: &[Entry]) -> Class {
        let is_open = self.findings.as_ref().is_some_and(|findings| findings.is_open);
        let (open, vague) = (own.iter().any(is_undecidable), own.iter().any(is_vague));
        let is_explained = !self.explained().is_empty();
        let unsafe_match = self.unsafe_match().map(UnsafeMatch::is_undecidable);
        let failure = self.failures().iter().min().copied();
        (failure, unsafe_match, [self.is_ignored, is_open, open, vague, is_explained])
    }

    fn failures(&self) -> &[Failure] {
        self.findings.as_ref().map(|findings| findings.failures.as_slice()).unwrap_or_default()
    }

    fn unsafe_match(&self) -> Option<&UnsafeMatch> {
        self.findings.as_ref()?.unsafe_match.as_ref()
    }

    fn explained(&self) -> &[String] {
        self.findings.as_ref().map(|findings| findings.explained.as_slice()).unwrap_or_default()
    }

    fn keeps_results(&self) -> bool {
        self.findings.as_ref().is_some_and(|findings| findings.keeps_results)
    }

    fn holds(&self) -> bool {
        self.failures().is_empty()
    }

    fn satisfied(&self) -> bool {
        self.holds() && self.unsafe_match().is_none()
    }

    fn undecided(&self) -> bool {
        let may_be_safe = self.unsafe_match().is_none_or(UnsafeMatch::is_undecidable);
        let is_open = self.findings.as_ref().is_some_and(|findings| findings.is_open);
        !self.satisfied() && may_be_safe && is_open
    }
}

fn is_vague(entry: &Entry) -> bool {
    matches!(entry, Entry::Field(field) if field.is_vague())
}

fn is_undecidable(entry: &Entry) -> bool {
    matches!(entry, Entry::Field(field) if field.is_undecidable())
}

/// Judges every candidate and concludes. `first` and `last` are those of the observation.
///
/// Of `match: all`, results that passed are held up to 8 MiB as JSON from the first on and from the last on, and so are
/// those that did not pass. The evidence counts those between them that it leaves out.
pub fn conclude<C>(
    judging: &Judging<'_>,
    seen: &Observation<C>,
    judge: impl Fn(&Candidate<C>) -> Judgement,
) -> Evidence {
    concluded(judging, seen, judge, |matching, judged| {
        let end = if matching == Match::First { 0 } else { judged.len().saturating_sub(1) };
        (Some(end), vec![end])
    })
}

fn concluded<C>(
    judging: &Judging<'_>,
    seen: &Observation<C>,
    judge: impl Fn(&Candidate<C>) -> Judgement,
    ends: impl Fn(Match, &[Comparison<'_, C>]) -> Ends,
) -> Evidence {
    // What a cancelled job concludes is thrown away.
    let wanted = seen.candidates.iter().take_while(|_| !cancelled());
    let leaves_out = judging.rules.matching == Match::All && judging.asserts_content;
    let mut results = Results::new(seen.candidates.len(), leaves_out);
    for candidate in wanted {
        let (judged, own) = judged(candidate, judge(candidate));
        results.add(judged, own);
    }
    let (judged, entries, left_out) = results.finish();
    let ends = match judging.rules.matching {
        end @ (Match::First | Match::Last) => ends(end, &judged),
        Match::Any | Match::All | Match::ExactlyOne => Ends::default(),
    };
    let mut conclusion = Conclusion { judging, seen, judged, entries, left_out, more: (0, 0), ends: &ends };
    let nearest = conclusion.nearest();
    let evidence = conclusion.evidence();
    let nearest = nearest.filter(|_| evidence.status() != Status::Passed);
    let sources = quoted_sources(&evidence, seen);
    evidence.over(Candidates { considered: seen.considered, matched: seen.candidates.len() as u64, nearest }, sources)
}

/// The comparison of a candidate, and its entries.
fn judged<C>(candidate: &Candidate<C>, judgement: Judgement) -> (Comparison<'_, C>, Vec<Entry>) {
    let failed = |(failure, result): &(Failure, FieldResult)| (!result.passed).then_some(*failure);
    let mut failures: Vec<Failure> = judgement.constraints.iter().filter_map(failed).collect();
    failures.extend(judgement.fields.iter().filter(|field| !field.passed).map(|field| match field.reason {
        Some(FieldReason::CountMismatch) => Failure::CountMismatch,
        Some(FieldReason::AmbiguousMatch) => Failure::AmbiguousMatch,
        _ => Failure::FieldMismatch,
    }));
    let Judgement { fields, constraints, unsafe_match, is_ignored, explained, keeps_results } = judgement;
    let unsafe_match = unsafe_match.or_else(|| contradicted(&fields));
    let constraints = constraints.into_iter().map(|(_, result)| result);
    let own: Vec<Entry> = fields.into_iter().chain(constraints).map(Entry::Field).collect();
    let is_open = own.iter().all(|entry| entry.passed() || is_undecidable(entry));
    let is_plain = failures.is_empty() && unsafe_match.is_none() && explained.is_empty() && !keeps_results;
    let findings =
        (!is_plain).then(|| Box::new(Findings { failures, is_open, unsafe_match, explained, keeps_results }));
    (Comparison { candidate, entries: 0..own.len(), findings, is_ignored }, own)
}

/// The first field that means what is asserted in one form and something else in another.
fn contradicted(fields: &[FieldResult]) -> Option<UnsafeMatch> {
    let (field, what) = fields.iter().find_map(|field| Some((field, field.contradiction.as_deref()?)))?;
    let result = FieldResult::constraint(field.path.as_str(), field.expected.clone(), json!(what), false);
    let result = match &field.source {
        Some(source) => result.at(source.clone()),
        None => result,
    };
    Some(UnsafeMatch { result, why: format!("`{}` contradicts itself: {what}", field.path) })
}

struct Conclusion<'a, C> {
    judging: &'a Judging<'a>,
    seen: &'a Observation<C>,
    /// Of `match: all`, without those that are left out.
    judged: Vec<Comparison<'a, C>>,
    /// The entries that are held of all candidates, in their order, until `all` moves them to the evidence.
    entries: Vec<Entry>,
    left_out: LeftOut,
    /// How many results belong to those that are concluded from and are not held: passed, and not passed.
    more: (usize, usize),
    ends: &'a Ends,
}

impl<C> Conclusion<'_, C> {
    fn entries(&self, judged: &Comparison<'_, C>) -> &[Entry] {
        self.entries.get(judged.entries.clone()).unwrap_or_default()
    }

    /// The candidate with the highest share, the first of equals.
    fn closest(&self) -> Option<&Comparison<'_, C>> {
        let shares = self.judged.iter().map(|judged| (share(self.entries(judged)), judged));
        shares.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, judged)| judged)
    }

    fn evidence(&mut self) -> Evidence {
        let number = self.judged.len() as u64;
        if let Some(evidence) = self.hidden() {
            return evidence;
        }
        let rules = &self.judging.rules;
        if number == 0 && !rules.count.is_some_and(|count| count.allows(0)) {
            return self.no_candidate();
        }
        let only_counted = rules.count.is_none() && !self.judging.asserts_content;
        let asked = if only_counted { Some(Cardinality::SOME) } else { rules.count };
        let count = asked.map(|asked| self.count_of(asked));
        if let Some(evidence) = self.unsafe_count(asked, count.clone()) {
            return evidence;
        }
        let none = asked.is_some_and(|asked| asked.is_none() && self.number(asked) == 0);
        match rules.matching {
            _ if none || number == 0 => self.counted(count),
            // Of several each may be the one, whether anything more is asserted of it or not.
            Match::ExactlyOne if number > 1 || self.judging.asserts_content => self.exactly_one(count),
            _ if !self.judging.asserts_content => self.counted(count),
            Match::Any | Match::ExactlyOne => self.best(count),
            Match::First => self.end("first", count),
            Match::Last => self.end("last", count),
            Match::All => self.all(count),
        }
    }

    /// True if more candidates could not help any more: there are too many, one is there twice, or something forbidden is
    /// there.
    fn fails_for_certain(&self) -> bool {
        let number = self.judged.len() as u64;
        let exceeds = |count: Cardinality, number| !count.allows(number) && count.reached_by(number);
        let too_many = self.judging.rules.count.is_some_and(|count| exceeds(count, self.number(count)));
        // Where no candidate was read, what keeps them from being read comes first.
        let some = number > 0 || self.judging.rules.count.is_some_and(|count| count.allows(0));
        let certain = |(failure, result): &(Failure, FieldResult)| {
            let tells = *failure == Failure::CountMismatch || *failure == Failure::ForbiddenFound && some;
            tells && !result.passed && !result.is_undecidable()
        };
        too_many || self.judging.whole.iter().any(certain)
    }

    /// The evidence of places that could not be read, when what they hide could change the outcome.
    fn hidden(&self) -> Option<Evidence> {
        if self.fails_for_certain() {
            return None;
        }
        let rules = &self.judging.rules;
        // One more than there are changes nothing where there may be any number of them.
        let counted = rules.count.is_some_and(|count| !count.allows(self.number(count)) || !count.allows(u64::MAX));
        // What is unsafe does not exist where existence is all that is asserted.
        let nothing = self.judged.is_empty() || !self.judging.asserts_content && self.number(Cardinality::SOME) == 0;
        let matters = nothing
            || counted
            || rules.matching != Match::Any
            || self.judging.hangs_on_all
            // That nothing forbidden is there does not depend on the candidates.
            || self.judging.whole.iter().any(|(failure, _)| *failure != Failure::ForbiddenFound);
        // Content that cannot be parsed does not change a failure. But an outage, a limit or an open question may hide
        // the record that is as asserted.
        let open = !self.judged.iter().any(Comparison::satisfied);
        let concerns = |unreadable: &&Unreadable| matters || open && matches!(unreadable.fault, Fault::Obstacle(_));
        let unreadable: Vec<&Unreadable> = self.seen.unreadable.iter().filter(concerns).collect();
        // An obstacle comes first: behind it may be what the malformed place was taken for.
        let obstacle = unreadable.iter().find_map(|u| match u.fault {
            Fault::Obstacle(obstacle) => Some((u, obstacle)),
            Fault::Recording => Some((u, Obstacle::SourceMalformed)),
            Fault::System => None,
        });
        let place = |unreadable: &Unreadable| {
            FieldResult::constraint("$readable", json!(true), json!(unreadable.what), false)
                .at(unreadable.place.clone())
        };
        let results: Vec<Entry> = unreadable.iter().take(20).map(|u| Entry::Field(place(u))).collect();
        let more = match unreadable.len() {
            0 | 1 => String::new(),
            2 => " (one more place could not be read)".to_owned(),
            n => format!(" ({} more places could not be read)", n - 1),
        };
        if let Some((unreadable, obstacle)) = obstacle {
            let details = format!("{}{more}.", located(unreadable));
            return Some(Evidence::unverifiable(obstacle, results, self.noted(details)));
        }
        let first = unreadable.first()?;
        let wanted = format!("{}{}", self.judging.wording.one, self.judging.wording.selected());
        let place = located(first);
        let details = format!("{place}{more}; looked for a {wanted}.");
        Some(Evidence::failed(Failure::Malformed, Share::zero(), results, self.noted(details)))
    }

    fn no_candidate(&self) -> Evidence {
        let words = self.judging.wording;
        let looked = match (self.seen.considered, &self.seen.server) {
            (0, Some(_)) => "the server found none".to_owned(),
            (0, None) => format!("there are no {} at all", words.several),
            (n, None) => format!("among {n} {}", words.noun(n)),
            (n, Some(_)) => format!("the server found none, {n} {} there were looked at", words.noun(n)),
        };
        let near = self.seen.near.as_ref().map(|near| {
            let (actual, expected) = (quoted(&near.actual), quoted(&near.expected));
            format!("; the nearest, {}, has {} {actual}, not {expected}", near.label, near.path)
        });
        let details =
            format!("No {}{} in {}: {looked}{}.", words.one, words.selected(), words.place, near.unwrap_or_default());
        let count = count_result(self.judging.rules.count.unwrap_or(Cardinality::SOME), 0);
        let results = std::iter::once(count.into()).chain(self.whole()).collect();
        Evidence::failed(Failure::NoCandidate, Share::zero(), results, self.noted(details))
    }

    /// Only the number of candidates is asserted.
    fn counted(&self, count: Option<FieldResult>) -> Evidence {
        let safe = self.judged.iter().find(|j| j.unsafe_match().is_none()).or(self.judged.first());
        let count = match (count, safe) {
            (Some(count), Some(judged)) => Some(count.at(judged.candidate.source.place())),
            (count, _) => count,
        };
        self.finish(Vec::new(), count, Vec::new(), &[])
    }

    fn one(&self, judged: Option<&Comparison<'_, C>>, count: Option<FieldResult>) -> Evidence {
        let Some(judged) = judged else { return self.no_candidate() };
        if judged.holds() && judged.unsafe_match().is_some() {
            return self.unsafe_match(judged, count);
        }
        self.finish(self.entries(judged).to_vec(), count, judged.failures().to_vec(), &[judged])
    }

    fn best(&self, count: Option<FieldResult>) -> Evidence {
        let satisfied = self.judged.iter().find(|j| j.satisfied());
        // One that may satisfy everything keeps "none does" from being known. One that is vague may count as failed.
        let undecided = || self.judged.iter().filter(|j| j.undecided());
        let undecided = undecided().find(|j| !self.entries(j).iter().any(is_vague)).or_else(|| undecided().next());
        self.one(satisfied.or(undecided).or_else(|| self.closest()), count)
    }

    fn exactly_one(&self, count: Option<FieldResult>) -> Evidence {
        let satisfied: Vec<&Comparison<'_, C>> = self.judged.iter().filter(|j| j.satisfied()).collect();
        match satisfied.as_slice() {
            [] => self.best(count),
            [one] => match self.judged.iter().find(|j| j.undecided()) {
                Some(undecided) => self.one(Some(undecided), count),
                None => self.one(Some(one), count),
            },
            [first, second, ..] => {
                let satisfy = match self.judging.asserts_content {
                    true => format!("{} satisfy every {}", satisfied.len(), self.judging.wording.field),
                    false => format!("found {}", satisfied.len()),
                };
                let details = format!(
                    "{}; {satisfy}, expected exactly one: {} and {}{}.",
                    self.found(),
                    first.candidate.label,
                    second.candidate.label,
                    if satisfied.len() > 2 { ", among others" } else { "" },
                );
                let matches = FieldResult::constraint("$matches", json!(1), json!(satisfied.len()), false);
                let entries = satisfied.iter().take(2).flat_map(|j| self.entries(j).to_vec());
                let mut results: Vec<Entry> = vec![matches.into()];
                let failure = self.first_failure(Failure::AmbiguousMatch, count.as_ref());
                results.extend(count.map(Entry::Field));
                results.extend(self.whole());
                results.extend(entries);
                Evidence::failed(failure, Share::zero(), results, self.noted(details))
            }
        }
    }

    fn all(&mut self, count: Option<FieldResult>) -> Evidence {
        let unsafe_ones = || self.judged.iter().filter(|j| j.unsafe_match().is_some());
        if let Some(unsafe_one) = unsafe_ones().find(|j| !j.undecided()).or_else(|| unsafe_ones().next())
            && self.judged.iter().all(Comparison::holds)
        {
            return self.unsafe_match(unsafe_one, count);
        }
        let number = Share::one().times_number(self.number_of_all());
        let beside: Vec<Entry> = count.clone().map(Entry::Field).into_iter().chain(self.whole()).collect();
        let held = self.judged.iter();
        let held = held.map(|j| share_with(self.entries(j).iter().chain(&beside), &Weights::default()));
        let left_out = self.left_out.candidates.iter();
        let left_out = left_out.map(|(weights, times)| share_with(beside.iter(), weights).times_number(*times));
        let mean = held.chain(left_out).sum::<Share>().out_of(&number);
        let entries = std::mem::take(&mut self.entries);
        self.more = (self.left_out.results(true), self.left_out.results(false));
        let failures: Vec<Failure> = self.judged.iter().flat_map(|j| j.failures().iter().copied()).collect();
        let shown: Vec<&Comparison<'_, C>> = self.judged.iter().filter(|j| !j.holds()).collect();
        let evidence = self.finish(entries, count, failures, &shown).with_share(mean);
        evidence.leaving_out(self.more, self.left_out.weights())
    }

    fn number_of_all(&self) -> u64 {
        self.judged.len() as u64 + self.left_out.number(|_, _| true)
    }

    fn whole(&self) -> impl Iterator<Item = Entry> {
        self.judging.whole.iter().map(|(_, result)| Entry::Field(result.clone()))
    }

    fn broken(&self) -> impl Iterator<Item = Failure> {
        let broken = |(failure, result): &(Failure, FieldResult)| (!result.passed).then_some(*failure);
        self.judging.whole.iter().filter_map(broken)
    }

    /// The reason that is named first when this one, a wrong count and constraints on all candidates apply.
    fn first_failure(&self, failure: Failure, count: Option<&FieldResult>) -> Failure {
        let wrong_count = count.is_some_and(|count| !count.passed).then_some(Failure::CountMismatch);
        self.broken().chain(wrong_count).fold(failure, Failure::min)
    }

    fn unsafe_match(&self, judged: &Comparison<'_, C>, count: Option<FieldResult>) -> Evidence {
        let found = judged.unsafe_match();
        let is = if self.judging.asserts_content { "is as asserted" } else { "is there" };
        let why = found.map(|found| format!("{} {is}, but {}", judged.candidate.label, found.why)).unwrap_or_default();
        let details = self.noted(format!("{}; {why}.", self.found()));
        // A count that is wrong because of what is unsafe is not a reason of its own.
        let all = self.number_of_all();
        let is_wrong = |asked: Cardinality| asked.is_none() || !asked.allows(all);
        let wrong_count = count.as_ref().filter(|_| self.judging.rules.count.is_some_and(is_wrong));
        let failure = self.first_failure(Failure::UnsafeMatch, wrong_count);
        let results = self.entries(judged).iter().cloned();
        let results = results.chain(count.map(Entry::Field)).chain(self.whole());
        let results: Vec<Entry> = results.chain(found.map(|found| Entry::Field(found.result.clone()))).collect();
        if results.iter().filter(|entry| !entry.passed()).all(is_undecidable) {
            return Evidence::unverifiable(Obstacle::Undecidable, results, details);
        }
        Evidence::failed(failure, Share::zero(), results, details)
    }

    /// Concludes from the results that count. `shown` are the candidates whose entries begin the results, in their order;
    /// those of which nothing failed may be left out.
    fn finish(
        &self,
        mut results: Vec<Entry>,
        count: Option<FieldResult>,
        mut failures: Vec<Failure>,
        shown: &[&Comparison<'_, C>],
    ) -> Evidence {
        let wrong_count = count.as_ref().is_some_and(|count| !count.passed);
        results.extend(count.map(Entry::Field));
        results.extend(self.whole());
        if results.iter().all(Entry::passed) && !results.is_empty() {
            let details = self.summary(&results, shown);
            return Evidence::passed(results, self.noted(details));
        }
        if wrong_count {
            failures.push(Failure::CountMismatch);
        }
        failures.extend(self.broken());
        let explained = shown.iter().flat_map(|judged| judged.explained()).take(2);
        let summary = explained.fold(self.summary(&results, shown), |details, why| format!("{details} {why}"));
        let details = self.noted(summary);
        if results.iter().filter(|e| !e.passed()).all(is_undecidable) {
            return Evidence::unverifiable(Obstacle::Undecidable, results, details);
        }
        let failure = failures.into_iter().min().unwrap_or(Failure::FieldMismatch);
        Evidence::failed(failure, share(&results), results, details)
    }

    /// The candidate that came closest, or the nearest of what the selection left out.
    fn nearest(&self) -> Option<Nearest> {
        if let Some(best) = self.closest() {
            let entries = self.entries(best);
            let first_mismatch = entries
                .iter()
                .find_map(|entry| match entry {
                    Entry::Field(field) if !field.passed => Some(field.clone()),
                    _ => None,
                })
                .or_else(|| best.unsafe_match().map(|found| found.result.clone()));
            return Some(Nearest {
                place: best.candidate.source.place(),
                label: best.candidate.label.to_string(),
                first_mismatch,
                matched: (entries.iter().filter(|e| e.passed()).count(), entries.len()),
            });
        }
        self.seen.near.as_ref().map(|near| Nearest {
            place: near.place.clone(),
            label: near.label.clone(),
            first_mismatch: Some(
                FieldResult::constraint(near.path.clone(), near.expected.clone(), near.actual.clone(), false)
                    .at(near.place.clone()),
            ),
            matched: near.matched,
        })
    }

    fn noted(&self, details: String) -> String {
        self.seen.notes.iter().take(3).fold(details, |details, note| format!("{details} {note}"))
    }
}

/// The place and what is wrong there; the place once, where the sentence begins with it.
fn located(unreadable: &Unreadable) -> String {
    let (place, what) = (&unreadable.place.locator, &unreadable.what);
    if what.starts_with(place.as_str()) { what.clone() } else { format!("{place}: {what}") }
}

fn count_result(count: Cardinality, number: u64) -> FieldResult {
    FieldResult::constraint("$count", count.to_value(), json!(number), count.allows(number))
        .with_operator(Operator::Count)
}

/// The sources of the candidates that results quote, in the candidates' order; the first ones when none is quoted.
fn quoted_sources<C>(evidence: &Evidence, seen: &Observation<C>) -> Vec<SourceRef> {
    let places = evidence.results.iter().filter_map(|entry| match entry {
        Entry::Field(FieldResult { source: Some(place), .. }) => Some((place.locator.as_str(), place.span)),
        _ => None,
    });
    let mut quoted: Vec<(&str, Option<(u64, u64)>)> = places.collect();
    quoted.sort_unstable();
    // The least end of the spans from here on.
    let mut least = ("", u64::MAX);
    for (locator, span) in quoted.iter_mut().rev() {
        least = if least.0 == *locator { least } else { (*locator, u64::MAX) };
        if let Some((_, end)) = span {
            least.1 = least.1.min(*end);
            *end = least.1;
        }
    }
    let holds = |source: &&SourceRef| {
        let next = |span: Option<(u64, u64)>| {
            let wanted = (source.locator.as_str(), span);
            quoted.get(quoted.partition_point(|place| *place < wanted)).filter(|place| place.0 == wanted.0)
        };
        let Some((_, first)) = next(None) else { return false };
        let (Some((start, end)), Some(_)) = (source.span, first) else { return true };
        next(Some((start, 0))).is_some_and(|(_, span)| span.is_some_and(|(_, to)| to <= end))
    };
    let all = seen.candidates.iter().map(|c| &c.source);
    let chosen: Vec<SourceRef> = all.clone().filter(holds).take(MOST_SOURCES).cloned().collect();
    if chosen.is_empty() { all.take(MOST_SOURCES).cloned().collect() } else { chosen }
}
