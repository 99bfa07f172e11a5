//! From what was said to evidence. Pure.

use candor_check::{
    Candidates, Entry, Evidence, Failure, Fault, FieldResult, Nearest, Obstacle, PhraseResult, Place, quoted, share,
    shown,
};
use serde_json::{Value, json};

use crate::check::Seen;
use crate::constraint::{Counts, LISTED, NOT_STATED, OUT_OF_SCOPE, Scope};
use crate::matching::{Heard, Occurrence, Said};
use crate::normalize::MAX_BYTES;
use crate::settings::{Asserted, Settings};
use crate::source::Call;
use crate::value::MISMATCH;

/// The reasons of phrase results.
const NEGATED: &str = "negated";
const UNDECIDABLE: &str = "undecidable";
const CORRECTED: &str = "corrected";
const TOO_OFTEN: &str = "too_often";
const NO_JUDGE: &str = "no_judge";
const OUT_OF_ORDER: &str = "out_of_order";

/// A call and what was heard on it.
struct Listened<'a> {
    call: &'a Call,
    heard: Heard<'a>,
}

/// An occurrence with the call it was heard on.
#[derive(Clone)]
struct Hit<'a> {
    on: &'a Listened<'a>,
    at: Occurrence,
}

/// What came of looking for one phrase.
struct Looked<'a> {
    asserted: &'a Asserted,
    /// Said as it is meant.
    wanted: Option<Hit<'a>>,
    /// Said, but whether as it is meant cannot be told.
    doubtful: Option<Hit<'a>>,
    /// Said the other way: under a negation, or without the one that is meant.
    contrary: Option<Hit<'a>>,
    /// Why it does not count there.
    why: Option<&'static str>,
    /// More often than it may be: surely, or perhaps.
    too_often: Option<bool>,
}

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let too_long = |call: &&Call| call.turns.iter().map(|turn| turn.text.len()).sum::<usize>() > MAX_BYTES;
    if let Some(call) = seen.calls.iter().find(too_long) {
        let details = format!("the call {} is longer than {MAX_BYTES} bytes of text", quoted(&json!(call.id)));
        return Evidence::unverifiable(Obstacle::LimitExceeded, Vec::new(), details);
    }
    let calls: Vec<Listened<'_>> =
        seen.calls.iter().map(|call| Listened { call, heard: Heard::new(&call.turns, &settings.speakers) }).collect();
    let wanted: Vec<Looked<'_>> = settings.contains.iter().map(|phrase| look(phrase, false, &calls)).collect();
    let forbidden: Vec<Looked<'_>> = settings.not_contains.iter().map(|phrase| look(phrase, true, &calls)).collect();
    let in_order = if settings.ordered { order(&wanted, &calls) } else { vec![true; wanted.len()] };

    let mut results: Vec<PhraseResult> = Vec::new();
    for (looked, in_order) in wanted.iter().zip(&in_order) {
        results.push(looked.required(*in_order));
    }
    for looked in &forbidden {
        results.push(looked.forbidden(&calls, wanted.is_empty()));
    }
    let judgement = Judgement { settings, seen, calls: &calls, wanted: &wanted, forbidden: &forbidden, results };
    judgement.conclude()
}

/// Looks for a phrase on every call.
fn look<'a>(asserted: &'a Asserted, forbidden: bool, calls: &'a [Listened<'a>]) -> Looked<'a> {
    let mut looked = Looked { asserted, wanted: None, doubtful: None, contrary: None, why: None, too_often: None };
    if asserted.semantic {
        return looked;
    }
    if let Some(value) = &asserted.value {
        for on in calls {
            let Some((at, counts)) = value.said(&on.heard) else { continue };
            let place = match counts {
                Counts::Yes => &mut looked.wanted,
                Counts::Unsure => &mut looked.doubtful,
                Counts::No(why) => {
                    looked.why.get_or_insert(why);
                    &mut looked.contrary
                }
            };
            place.get_or_insert_with(|| Hit { on, at });
        }
        return looked;
    }
    let role = asserted.role.as_deref();
    for on in calls {
        let scope = Scope::new(&asserted.constraints, &on.heard, role);
        let (mut times, mut perhaps) = (0_usize, 0_usize);
        for at in said(asserted, &on.heard) {
            let place = match counts(asserted, &scope, &at) {
                Counts::Yes => {
                    times += 1;
                    &mut looked.wanted
                }
                Counts::Unsure => {
                    perhaps += 1;
                    &mut looked.doubtful
                }
                Counts::No(CORRECTED) if forbidden => &mut looked.doubtful,
                Counts::No(why) => {
                    looked.why.get_or_insert(why);
                    &mut looked.contrary
                }
            };
            place.get_or_insert_with(|| Hit { on, at });
            if looked.wanted.is_some() && asserted.at_most.is_none() {
                return looked;
            }
        }
        match asserted.at_most {
            Some(most) if times > most => looked.too_often = Some(true),
            Some(most) if times + perhaps > most => looked.too_often = looked.too_often.or(Some(false)),
            _ => {}
        }
        // who spoke a turn without a label cannot be told
        if role.is_some() && looked.doubtful.is_none() {
            let contrary = if asserted.negated { Said::Plain } else { Said::Negated };
            let places = asserted.any.iter().flat_map(|phrase| on.heard.unattributed(phrase));
            let mut open = places.filter(|at| at.said != contrary && !matches!(scope.counts(at), Counts::No(_)));
            looked.doubtful = open.next().map(|at| Hit { on, at });
        }
    }
    looked
}

/// Where any of the texts of a phrase was said by who is asked for, in order.
fn said<'a>(asserted: &'a Asserted, heard: &'a Heard<'a>) -> Box<dyn Iterator<Item = Occurrence> + 'a> {
    let role = asserted.role.as_deref();
    match asserted.any.as_slice() {
        [one] => Box::new(heard.occurrences(one, role)),
        all => {
            let mut places: Vec<Occurrence> = all.iter().flat_map(|phrase| heard.occurrences(phrase, role)).collect();
            places.sort_by_key(|at| at.at);
            Box::new(places.into_iter())
        }
    }
}

/// Whether an occurrence is what is asserted.
fn counts(asserted: &Asserted, scope: &Scope<'_>, at: &Occurrence) -> Counts {
    let meant = if asserted.negated { Said::Negated } else { Said::Plain };
    match at.said {
        said if said == meant => scope.counts(at),
        Said::Doubtful => match scope.counts(at) {
            Counts::No(why) => Counts::No(why),
            _ => Counts::Unsure,
        },
        Said::Corrected => Counts::No(CORRECTED),
        _ => Counts::No(NEGATED),
    }
}

/// Which of the phrases stand in the order given, on the one call on which most of them do.
fn order(wanted: &[Looked<'_>], calls: &[Listened<'_>]) -> Vec<bool> {
    let mut best = vec![false; wanted.len()];
    for on in calls {
        let mut behind = (0, 0);
        let met: Vec<bool> = wanted
            .iter()
            .map(|looked| {
                let phrase = looked.asserted;
                if let Some(value) = &phrase.value {
                    let right = value.said(&on.heard).filter(|(at, counts)| at.at >= behind && *counts == Counts::Yes);
                    return right.is_some_and(|(at, _)| {
                        behind = at.until;
                        true
                    });
                }
                let scope = Scope::new(&phrase.constraints, &on.heard, phrase.role.as_deref());
                let right = |at: &Occurrence| at.at >= behind && counts(phrase, &scope, at) == Counts::Yes;
                let next = said(phrase, &on.heard).find(right);
                next.is_some_and(|at| {
                    behind = at.until;
                    true
                })
            })
            .collect();
        let count = |met: &[bool]| met.iter().filter(|met| **met).count();
        if count(&met) > count(&best) {
            best = met;
        }
    }
    best
}

impl Hit<'_> {
    fn quote(&self) -> String {
        cut(&self.on.heard.quote(&self.at))
    }

    fn place(&self) -> Place {
        let start = self.at.turn.min(self.at.negation.0);
        place(self.on.call, start, self.at.last_turn)
    }
}

/// A text as evidence quotes it: cut at the length all evidence is cut at, the cut marked.
fn cut(text: &str) -> String {
    match shown(&json!(text)) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Where turns stand in their file.
fn place(call: &Call, first: usize, last: usize) -> Place {
    let span = |turn: usize| call.turns.get(turn).map(|turn| turn.span.clone());
    match (span(first), span(last)) {
        (Some(first), Some(last)) => Place::bytes(&call.source.locator, first.start as u64..last.end as u64),
        _ => Place::whole(&call.source.locator),
    }
}

impl Looked<'_> {
    fn result(&self, hit: Option<&Hit<'_>>, forbidden: bool) -> PhraseResult {
        PhraseResult {
            phrase: self.asserted.text.clone(),
            found: self.wanted.is_some(),
            turn: self.wanted.as_ref().map(|hit| hit.at.turn),
            passed: self.wanted.is_some() != forbidden,
            forbidden,
            quote: hit.map(Hit::quote),
            reason: None,
            source: hit.map(Hit::place),
        }
    }

    /// The occurrence that says most: as it is meant, perhaps so, or the other way.
    fn telling(&self) -> Option<&Hit<'_>> {
        self.wanted.as_ref().or(self.doubtful.as_ref()).or(self.contrary.as_ref())
    }

    fn required(&self, in_order: bool) -> PhraseResult {
        let mut result = self.result(self.telling(), false);
        if result.found && !in_order {
            result.passed = false;
            result.reason = Some(OUT_OF_ORDER);
        } else if !result.found {
            result.reason = self.why_not();
        } else if let Some(surely) = self.too_often {
            result.passed = false;
            result.reason = Some(if surely { TOO_OFTEN } else { UNDECIDABLE });
        }
        result
    }

    fn why_not(&self) -> Option<&'static str> {
        if self.asserted.semantic {
            Some(NO_JUDGE)
        } else if self.doubtful.is_some() {
            Some(UNDECIDABLE)
        } else if self.contrary.is_some() && !self.asserted.negated {
            Some(self.why.unwrap_or(NEGATED))
        } else {
            None
        }
    }

    /// `alone`: nothing else can quote what was seen, so the first turn that was read stands for it.
    fn forbidden(&self, calls: &[Listened<'_>], alone: bool) -> PhraseResult {
        let mut result = self.result(self.telling(), true);
        if !result.found {
            result.reason = self.why_not();
            result.passed = self.doubtful.is_none() && !self.asserted.semantic;
        }
        if result.quote.is_none() && alone {
            let role = self.asserted.role.as_deref();
            let first = calls.iter().find_map(|on| {
                let turn = on.heard.first_turn(role).or_else(|| on.heard.first_turn(None))?;
                Some((on.call, turn))
            });
            if let Some((call, turn)) = first {
                result.quote = call.turns.get(turn).map(|turn| cut(&turn.text));
                result.source = Some(place(call, turn, turn));
            }
        }
        result
    }
}

struct Judgement<'a> {
    settings: &'a Settings,
    seen: &'a Seen,
    calls: &'a [Listened<'a>],
    wanted: &'a [Looked<'a>],
    forbidden: &'a [Looked<'a>],
    results: Vec<PhraseResult>,
}

impl Judgement<'_> {
    fn conclude(mut self) -> Evidence {
        let results = std::mem::take(&mut self.results);
        let failures: Vec<Failure> = results.iter().filter_map(failure).collect();
        let nearest = self.nearest(&results);
        let sources = self.sources(&results);
        let entries: Vec<Entry> = results.iter().cloned().map(Entry::Phrase).collect();
        let evidence = if let Some((obstacle, details)) = self.hidden(&results) {
            Evidence::unverifiable(obstacle, entries, self.noted(details))
        } else if self.nothing_read() {
            let details = self.noted(self.no_candidate());
            let entries: Vec<Entry> =
                results.into_iter().map(|result| Entry::Phrase(PhraseResult { passed: false, ..result })).collect();
            Evidence::failed(Failure::NoCandidate, share(&entries), entries, details)
        } else if let Some(failure) = failures.iter().min() {
            let details = self.noted(self.failed(&results));
            Evidence::failed(*failure, share(&entries), entries, details)
        } else if let Some(result) = results.iter().find(|result| result.reason == Some(NO_JUDGE)) {
            let phrase = quoted(&json!(result.phrase));
            let details = format!("Whether {phrase} was said in its meaning takes a judge, and none is configured.");
            Evidence::unverifiable(Obstacle::NoJudge, entries, self.noted(details))
        } else if results.iter().any(|result| !result.passed) {
            Evidence::unverifiable(Obstacle::Undecidable, entries, self.noted(self.failed(&results)))
        } else {
            Evidence::passed(entries, self.noted(self.passed()))
        };
        let matched = self.turns_read() as u64;
        evidence.over(Candidates { considered: self.seen.considered, matched, nearest }, sources)
    }

    /// What could not be read, when what it hides could change the outcome: a phrase that was not found may be said there,
    /// and so may a forbidden one. A forbidden phrase that was found stays found.
    fn hidden(&self, results: &[PhraseResult]) -> Option<(Obstacle, String)> {
        let settled = results.iter().any(|result| failure(result) == Some(Failure::ForbiddenFound));
        let matters = !settled && results.iter().any(|result| result.forbidden || !result.passed);
        let unread = &self.seen.unread;
        let of = |call: &crate::source::UnreadCall| match call.unreadable.fault {
            Fault::Obstacle(obstacle) => Some(obstacle),
            _ => None,
        };
        let first = unread.iter().find(|call| of(call).is_some()).or_else(|| unread.first()).filter(|_| matters)?;
        let locator = &first.unreadable.place.locator;
        let more = if unread.len() > 1 { format!(" (and {} more)", unread.len() - 1) } else { String::new() };
        let details = match of(first) {
            Some(_) => format!("{}{more}.", first.unreadable.what),
            None => format!("{locator} cannot be read: {}{more}.", first.unreadable.what),
        };
        Some((of(first).unwrap_or(Obstacle::SourceMalformed), details))
    }

    /// Turns that any phrase is looked for in.
    fn turns_read(&self) -> usize {
        let turns = |role: Option<&str>| -> usize {
            let unattributed = |on: &Listened<'_>| if role.is_some() { on.heard.turns_unattributed() } else { 0 };
            self.calls.iter().map(|on| on.heard.turns_read(role) + unattributed(on)).sum()
        };
        let phrases = self.settings.contains.iter().chain(&self.settings.not_contains);
        phrases.map(|phrase| turns(phrase.role.as_deref())).max().unwrap_or_default()
    }

    /// Whether there is nothing to look at: no call, or, where phrases are only forbidden, no turn of who must not say them.
    fn nothing_read(&self) -> bool {
        self.calls.is_empty() || (self.settings.contains.is_empty() && self.turns_read() == 0)
    }

    fn no_candidate(&self) -> String {
        let place = &self.seen.place;
        match &self.settings.call {
            Some(call) if self.calls.is_empty() => {
                let others = match self.seen.others.as_slice() {
                    [] => "no call".to_owned(),
                    ids => ids.iter().map(|id| quoted(&json!(id))).collect::<Vec<_>>().join(", "),
                };
                format!("No call {} in {place}; there is {others}.", quoted(&json!(call)))
            }
            _ if self.calls.is_empty() => format!("No call in {place}."),
            _ => format!("No turn{} was read in {}.", self.by_common(), self.where_()),
        }
    }

    /// ` by agent`, when all phrases are asked of the same speaker.
    fn by_common(&self) -> String {
        let mut roles = self.settings.contains.iter().chain(&self.settings.not_contains).map(|phrase| &phrase.role);
        match roles.next() {
            Some(Some(first)) if roles.all(|role| role.as_ref() == Some(first)) => format!(" by {first}"),
            _ => String::new(),
        }
    }

    fn where_(&self) -> String {
        match self.calls {
            [one] => format!("the call {} ({})", quoted(&json!(one.call.id)), one.call.source.locator),
            calls => format!("the {} calls of {}", calls.len(), self.seen.place),
        }
    }

    fn passed(&self) -> String {
        let said = match self.wanted.len() {
            0 => None,
            1 => Some("The phrase asked for was said".to_owned()),
            n if self.settings.ordered => Some(format!("All {n} phrases asked for were said in order")),
            n => Some(format!("All {n} phrases asked for were said")),
        };
        let unsaid = match self.forbidden.len() {
            0 => None,
            1 => Some("the forbidden phrase was not said".to_owned()),
            n => Some(format!("none of {n} forbidden phrases was said")),
        };
        let sentence = match (said, unsaid) {
            (Some(said), Some(unsaid)) => format!("{said} and {unsaid}"),
            (Some(said), None) => said,
            (None, unsaid) => capital(&unsaid.unwrap_or_default()),
        };
        format!("{sentence}{} in {} turns of {}.", self.by_common(), self.turns_read(), self.where_())
    }

    /// What is wrong with the result that gives the reason, and how many others are.
    fn failed(&self, results: &[PhraseResult]) -> String {
        let looked = self.wanted.iter().chain(self.forbidden);
        let wrong = looked.zip(results).filter(|(_, result)| !result.passed);
        let rank = |result: &PhraseResult| failure(result).map_or((1, None), |failure| (0, Some(failure)));
        let Some((looked, result)) = wrong.clone().min_by_key(|(_, result)| rank(result)) else {
            return String::new();
        };
        let phrase = quoted(&json!(result.phrase));
        let by = looked.asserted.role.as_ref().map(|role| format!(" by {role}")).unwrap_or_default();
        let quote = quoted(&json!(result.quote));
        let turn = looked
            .telling()
            .map(|hit| format!("turn {} of {}", hit.at.turn, hit.on.call.source.locator))
            .unwrap_or_default();
        let under = if looked.asserted.negated { " under a negation" } else { "" };
        let sentence = match (result.forbidden, result.reason) {
            (_, Some(UNDECIDABLE)) if looked.doubtful.as_ref().is_some_and(|hit| hit.at.said == Said::Doubtful) => {
                format!(
                    "Whether {phrase} was said{by}{under} cannot be told: {turn} says {quote}, which may be negated, part of a longer number, out of its place or misheard"
                )
            }
            (_, Some(UNDECIDABLE)) => {
                format!(
                    "Whether {phrase} was said{by}{under} cannot be told: {turn} says {quote}, and who spoke it is not recorded"
                )
            }
            (true, _) => format!("The forbidden {phrase} was said{by}{under}: {turn} says {quote}"),
            (false, Some(OUT_OF_ORDER)) => {
                format!("{phrase} was said{by} ({turn}), but not in the order given on one call")
            }
            (false, Some(MISMATCH)) => {
                format!("{phrase} was not said: {turn} says {quote}")
            }
            (false, Some(TOO_OFTEN)) => {
                format!("{phrase} was said{by} more than {} times", looked.asserted.at_most.unwrap_or_default())
            }
            (false, Some(NOT_STATED)) => {
                format!("{phrase} was said{by}, but not stated: {turn} says {quote}")
            }
            (false, Some(LISTED)) => {
                format!(
                    "{phrase} was said{by} beside, or before, another of the answers that exclude it: {turn} says {quote}"
                )
            }
            (false, Some(OUT_OF_SCOPE)) => {
                format!("{phrase} was said{by}, but not where it must be: {turn} says {quote}")
            }
            (false, Some(CORRECTED)) => {
                format!("{phrase} was said{by} and taken back: {turn} says {quote}")
            }
            (false, Some(NEGATED)) => {
                format!("{phrase} was said{by} only under a negation: {turn} says {quote}")
            }
            (false, _) if looked.asserted.negated && looked.contrary.is_some() => {
                format!("{phrase} was said{by} without the negation asked for: {turn} says {quote}")
            }
            (false, _) => {
                let nearest = self.nearest_to(looked.asserted).map(|near| near.sentence()).unwrap_or_default();
                format!("{phrase} was not said{by}{under} in {}{nearest}", self.where_())
            }
        };
        let others = wrong.count() - 1;
        let others = match others {
            0 => String::new(),
            1 => "; 1 other phrase is not as asserted either".to_owned(),
            n => format!("; {n} other phrases are not as asserted either"),
        };
        format!("{sentence}{others}.")
    }

    fn noted(&self, details: String) -> String {
        self.seen.notes.iter().fold(details, |details, note| format!("{details} {note}"))
    }

    /// The turn that came closest to a phrase that was not said.
    fn nearest_to(&self, asserted: &Asserted) -> Option<Near<'_>> {
        let elsewhere = self.calls.iter().find_map(|on| {
            let at = asserted.any.iter().find_map(|phrase| on.heard.occurrences(phrase, None).next())?;
            Some(Near { call: on.call, turn: at.turn, words: None })
        });
        let by_words = || {
            let all = self.calls.iter().filter_map(|on| {
                let nearest = |phrase| on.heard.nearest(phrase, asserted.role.as_deref());
                let (turn, met, of) = asserted.any.iter().find_map(nearest)?;
                Some(Near { call: on.call, turn, words: Some((met, of)) })
            });
            all.reduce(|best, near| if near.words > best.words { near } else { best })
        };
        elsewhere.or_else(by_words)
    }

    /// The turn that came closest to the first phrase that is not as asserted.
    fn nearest(&self, results: &[PhraseResult]) -> Option<Nearest> {
        let looked = self.wanted.iter().chain(self.forbidden);
        let (looked, result) = looked.zip(results).find(|(_, result)| !result.passed)?;
        let passed = results.iter().filter(|result| result.passed).count();
        let (call, turn) = match looked.telling() {
            Some(hit) => (hit.on.call, hit.at.turn),
            None => self.nearest_to(looked.asserted).map(|near| (near.call, near.turn))?,
        };
        let text = call.turns.get(turn).map(|turn| cut(&turn.text));
        let mismatch = FieldResult::constraint("$phrase", json!(result.phrase), json!(text), false);
        Some(Nearest {
            place: place(call, turn, turn),
            label: format!("turn {turn} of {}", call.source.locator),
            first_mismatch: Some(mismatch.at(place(call, turn, turn))),
            matched: (passed, results.len()),
        })
    }

    /// The files that are quoted; with forbidden phrases, the first of those that were read.
    fn sources(&self, results: &[PhraseResult]) -> Vec<candor_check::EvidenceSource> {
        const MOST: usize = 20;
        let quoted = |call: &Call| {
            results
                .iter()
                .any(|result| result.source.as_ref().is_some_and(|place| place.locator == call.source.locator))
        };
        let read = self.calls.iter().map(|on| on.call);
        let kept = read.filter(|call| !self.forbidden.is_empty() || quoted(call));
        kept.take(MOST).map(|call| call.source.clone()).collect()
    }
}

/// A turn that came close to a phrase.
struct Near<'a> {
    call: &'a Call,
    turn: usize,
    /// How many of the phrase's words it has; `None` when somebody else says the phrase there.
    words: Option<(usize, usize)>,
}

impl Near<'_> {
    fn sentence(&self) -> String {
        let turn = self.call.turns.get(self.turn);
        let who = turn.and_then(|turn| turn.speaker.as_ref().or(turn.role.as_ref()));
        let label = who.map(|who| format!(" ({})", quoted(&json!(who)))).unwrap_or_default();
        let text = quoted(&json!(turn.map(|turn| turn.text.as_str())));
        let at = format!("turn {} of {}{label}", self.turn, self.call.source.locator);
        match self.words {
            None => format!("; somebody else says it: {at} says {text}"),
            Some((met, of)) => format!("; nearest is {at} with {met} of its {of} words: {text}"),
        }
    }
}

/// The failure that a phrase result is; `None` for one that passed or is undecidable.
fn failure(result: &PhraseResult) -> Option<Failure> {
    match (result.passed, result.reason) {
        (true, _) | (false, Some(UNDECIDABLE | NO_JUDGE)) => None,
        (false, Some(TOO_OFTEN)) => Some(Failure::CountMismatch),
        (false, Some(OUT_OF_ORDER)) => Some(Failure::OrderViolation),
        (false, _) if result.forbidden => Some(Failure::ForbiddenFound),
        (false, _) => Some(Failure::PhraseMissing),
    }
}

fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
