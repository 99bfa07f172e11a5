//! The turn that came closest to a phrase that was not said.

use candor_check::evidence::{Nearest, PhraseResult, quoted};
use candor_check::field::FieldResult;
use candor_json::json;

use super::Judgement;
use super::look::{cut, place};
use crate::seen::Call;
use crate::settings::Asserted;

impl Judgement<'_> {
    pub(super) fn nearest_to(&self, asserted: &Asserted) -> Option<Near<'_>> {
        let elsewhere = self.calls.iter().find_map(|on| {
            let at = asserted.any.iter().find_map(|phrase| on.heard.occurrences(phrase, None).next())?;
            Some(Near { call: on.call, turn: at.turn, words: None })
        });
        let by_words = || {
            let all = self.calls.iter().filter_map(|on| {
                let nearest = |phrase| on.heard.nearest(phrase, asserted.role.as_deref());
                let close = asserted.any.iter().find_map(nearest)?;
                Some(Near { call: on.call, turn: close.turn, words: Some((close.met, close.of)) })
            });
            all.reduce(|best, near| if near.words > best.words { near } else { best })
        };
        elsewhere.or_else(by_words)
    }

    /// The turn that came closest to the first phrase that is not as asserted.
    pub(super) fn nearest(&self, results: &[PhraseResult]) -> Option<Nearest> {
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
}

pub(super) struct Near<'a> {
    call: &'a Call,
    turn: usize,
    /// How many of the phrase's words it has; `None` when somebody else says the phrase there.
    words: Option<(usize, usize)>,
}

impl Near<'_> {
    pub(super) fn sentence(&self) -> String {
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
