//! Makes evidence of the turns of calls. Pure.

mod look;
mod nearest;
mod wording;

use candor_check::evidence::{Candidates, Entry, PhraseResult, quoted, share};
use candor_check::records::Fault;
use candor_check::work::cancelled;
use candor_check::{Evidence, Failure, Obstacle};
use candor_json::json;

use crate::matching::Heard;
use crate::normalize::MAX_BYTES;
use crate::seen::{Call, Seen, UnreadCall};
use crate::settings::Settings;
use look::{Listened, Looked, OUT_OF_ORDER, TOO_OFTEN, look, order};

pub(crate) fn judge(settings: &Settings, seen: &Seen) -> Evidence {
    let too_long = |call: &&Call| call.turns.iter().map(|turn| turn.text.len()).sum::<usize>() > MAX_BYTES;
    if let Some(call) = seen.calls.iter().find(too_long) {
        let details = format!("the call {} is longer than {MAX_BYTES} bytes of text", quoted(&json!(call.id)));
        return Evidence::unverifiable(Obstacle::LimitExceeded, Vec::new(), details);
    }
    let answers = &seen.answers;
    // What a cancelled job concludes is thrown away.
    let listened = seen.calls.iter().take_while(|_| !cancelled());
    let calls: Vec<Listened<'_>> =
        listened.map(|call| Listened { call, heard: Heard::new(&call.turns, &settings.speakers) }).collect();
    let wanted: Vec<Looked<'_>> = settings.contains.iter().map(|phrase| look(phrase, false, &calls, answers)).collect();
    let forbidden: Vec<Looked<'_>> =
        settings.not_contains.iter().map(|phrase| look(phrase, true, &calls, answers)).collect();
    let in_order = if settings.ordered { order(&wanted, &calls, answers) } else { vec![true; wanted.len()] };

    let required = wanted.iter().zip(&in_order).map(|(looked, in_order)| looked.required(*in_order));
    let unsaid = forbidden.iter().map(|looked| looked.forbidden(&calls, wanted.is_empty()));
    let results: Vec<PhraseResult> = required.chain(unsaid).collect();
    let judgement = Judgement { settings, seen, calls: &calls, wanted: &wanted, forbidden: &forbidden, results };
    judgement.conclude()
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
        } else if results.iter().any(|result| !result.passed) {
            // a judge that is not there, or did not answer, before what no rule can tell
            let looked = self.wanted.iter().chain(self.forbidden).zip(&results);
            let unjudged =
                looked.filter(|(_, result)| !result.passed).filter_map(|(looked, _)| looked.unjudged.as_ref());
            let obstacle = unjudged.map(|(obstacle, _)| *obstacle).find(|obstacle| *obstacle != Obstacle::Undecidable);
            let obstacle = obstacle.unwrap_or(Obstacle::Undecidable);
            Evidence::unverifiable(obstacle, entries, self.noted(self.failed(&results)))
        } else {
            Evidence::passed(entries, self.noted(self.passed()))
        };
        let matched = self.turns_read() as u64;
        evidence.over(Candidates { considered: self.seen.considered, matched, nearest }, sources)
    }

    /// The first call that could not be read, if it could change the outcome: it may hold a phrase that was not found,
    /// a forbidden one, or one that may occur so often at most. A forbidden phrase that was found stays found.
    fn hidden(&self, results: &[PhraseResult]) -> Option<(Obstacle, String)> {
        let settled = results.iter().any(|result| failure(result) == Some(Failure::ForbiddenFound));
        let counted = self.wanted.iter().any(|looked| looked.asserted.at_most.is_some());
        let matters = !settled && (counted || results.iter().any(|result| result.forbidden || !result.passed));
        let unread = &self.seen.unread;
        let of = |call: &UnreadCall| match call.unreadable.fault {
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

    fn turns_read(&self) -> usize {
        let turns = |role: Option<&str>| -> usize {
            let unattributed = |on: &Listened<'_>| if role.is_some() { on.heard.turns_unattributed() } else { 0 };
            self.calls.iter().map(|on| on.heard.turns_read(role) + unattributed(on)).sum()
        };
        let phrases = self.settings.contains.iter().chain(&self.settings.not_contains);
        phrases.map(|phrase| turns(phrase.role.as_deref())).max().unwrap_or_default()
    }

    /// True if no turn can be judged: there is no call, or, if all phrases are forbidden, no turn of the roles that
    /// must not say them.
    fn nothing_read(&self) -> bool {
        self.calls.is_empty() || (self.settings.contains.is_empty() && self.turns_read() == 0)
    }

    /// The files that are quoted; with forbidden phrases, the first of those that were read.
    fn sources(&self, results: &[PhraseResult]) -> Vec<candor_check::evidence::SourceRef> {
        const MOST: usize = 20;
        let quoted = |call: &Call| {
            results
                .iter()
                .any(|result| result.source.as_ref().is_some_and(|place| place.locator == *call.source.locator))
        };
        let read = self.calls.iter().map(|on| on.call);
        let kept = read.filter(|call| !self.forbidden.is_empty() || quoted(call));
        kept.take(MOST).map(|call| call.source.clone()).collect()
    }
}

/// The failure of a phrase result; `None` for one that passed or is undecided.
fn failure(result: &PhraseResult) -> Option<Failure> {
    let open = |reason| Obstacle::ALL.iter().any(|obstacle| obstacle.name() == reason);
    match (result.passed, result.reason) {
        (true, _) => None,
        (false, Some(reason)) if open(reason) => None,
        (false, Some(TOO_OFTEN)) => Some(Failure::CountMismatch),
        (false, Some(OUT_OF_ORDER)) => Some(Failure::OrderViolation),
        (false, _) if result.forbidden => Some(Failure::ForbiddenFound),
        (false, _) => Some(Failure::PhraseMissing),
    }
}
