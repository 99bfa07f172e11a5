//! The sentences of `details`.

use candor_check::evidence::{PhraseResult, quoted};
use candor_json::json;

use super::look::{OUT_OF_ORDER, TOO_OFTEN, UNDECIDABLE};
use super::{Judgement, failure};
use crate::compare::MISMATCH;
use crate::constraint::{CONDITIONAL, CORRECTED, LISTED, NEGATED, NOT_STATED, OUT_OF_SCOPE};

/// The way in which a phrase occurs that does not count, by the reason.
const HOW: [(&str, &str); 6] = [
    (NOT_STATED, ", but not stated"),
    (CONDITIONAL, " only as a condition"),
    (LISTED, " only next to, or before, other possible answers"),
    (OUT_OF_SCOPE, ", but not where it must be"),
    (CORRECTED, " and taken back"),
    (NEGATED, " only under a negation"),
];

impl Judgement<'_> {
    pub(super) fn no_candidate(&self) -> String {
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

    pub(super) fn passed(&self) -> String {
        let (by, place) = (self.by_common(), self.where_());
        let turns = |n: usize| format!("in {n} turn{}", if n == 1 { "" } else { "s" });
        let said = match self.wanted.len() {
            0 => None,
            1 => Some("The phrase asked for was said".to_owned()),
            n if self.settings.ordered => Some(format!("All {n} phrases asked for were said in order")),
            n => Some(format!("All {n} phrases asked for were said")),
        };
        let said = said.map(|said| format!("{said}{by} {}", turns(self.turns_said())));
        let unsaid = match self.forbidden.len() {
            0 => None,
            1 => Some("the forbidden phrase was not said".to_owned()),
            n => Some(format!("none of {n} forbidden phrases was said")),
        };
        let unsaid = unsaid.map(|unsaid| format!("{unsaid}{by} {}", turns(self.turns_read())));
        match (said, unsaid) {
            (Some(said), Some(unsaid)) => format!("{said}, and {unsaid}, of {place}."),
            (said, unsaid) => format!("{} of {place}.", said.unwrap_or_else(|| capital(&unsaid.unwrap_or_default()))),
        }
    }

    fn turns_said(&self) -> usize {
        let mut turns = std::collections::HashSet::new();
        for (call, on) in self.calls.iter().enumerate() {
            for looked in self.wanted {
                turns.extend(looked.turns_on(on).into_iter().map(|turn| (call, turn)));
            }
        }
        turns.len()
    }

    /// The sentence for the result that gives the reason, and the number of other results that did not pass.
    pub(super) fn failed(&self, results: &[PhraseResult]) -> String {
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
        let most = || match looked.asserted.at_most.unwrap_or_default() {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        let sentence = match (result.forbidden, result.reason) {
            (_, Some(_)) if looked.unjudged.is_some() && !result.found => {
                let why = looked.unjudged.as_ref().map(|(_, why)| why.as_str()).unwrap_or_default();
                format!("Cannot decide if a turn{by} means {phrase}: {why}")
            }
            (false, Some(UNDECIDABLE)) if looked.wanted.is_some() => {
                format!("{phrase} may have been said{by} more than {}: in one place, {}", most(), looked.open)
            }
            (_, Some(UNDECIDABLE)) if looked.hidden => {
                format!("{phrase} may have been said{by}{under}: {turn} hides words, or they were not heard ({quote})")
            }
            (_, Some(UNDECIDABLE)) => {
                let verb = if looked.asserted.constraints.stated { "stated" } else { "said" };
                let why = looked.open;
                format!("{phrase} may have been {verb}{by}{under}: {turn} says {quote}, but {why}")
            }
            (true, _) => format!("The forbidden {phrase} was said{by}{under}: {turn} says {quote}"),
            (_, Some(OUT_OF_ORDER)) => {
                format!("{phrase} was said{by} ({turn}), but not in the order given on one call")
            }
            (_, Some(MISMATCH)) => format!("{phrase} was not said: {turn} says {quote}"),
            (_, Some(TOO_OFTEN)) => format!("Found {phrase}{by} more than {}", most()),
            (false, reason) => {
                let how = reason.and_then(|reason| HOW.iter().find(|(of, _)| *of == reason)).map(|(_, how)| *how);
                let plainly = looked.asserted.negated && looked.contrary.is_some();
                if let Some(how) = how.or(plainly.then_some(" without the negation asked for")) {
                    format!("{phrase} was said{by}{how}: {turn} says {quote}")
                } else {
                    let nearest = self.nearest_to(looked.asserted).map(|near| near.sentence()).unwrap_or_default();
                    format!("{phrase} was not said{by}{under} in {}{nearest}", self.where_())
                }
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

    pub(super) fn noted(&self, details: String) -> String {
        self.seen.notes.iter().fold(details, |details, note| format!("{details} {note}"))
    }
}

fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
