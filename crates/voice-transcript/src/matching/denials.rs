//! What is denied behind: "they said they would waive it, but they did not", "approved? no", "approved, i do not think so".

use super::clauses::Clauses;
use super::negation::{Reach, Said};
use crate::marks::Marks;
use crate::normalize::{Normalized, Pause};
use crate::tables::NEGATIONS;

/// The longest sentence that a denial behind it denies as a whole; of a longer one it denies the clause before it, and the
/// rest cannot be told.
const WHOLE: usize = 14;

/// The most words before a denial that are looked at.
const FAR: usize = 256;

pub(super) fn deny(text: &Normalized, clauses: &Clauses, segments: &[&str], reaches: &mut [Reach]) {
    if !text.may_have(Marks::NEGATES) {
        return;
    }
    let reader = Reader { text, clauses, segments };
    let (mut sentence, mut before) = (0, None);
    for at in 0..text.len() {
        if at > 0 && clauses.pause(at) == Pause::Sentence {
            (before, sentence) = (Some(sentence), at);
        }
        let apart = at == sentence || clauses.pause(at) != Pause::None || reader.is_but(at);
        let Some((last, kind)) = apart.then(|| reader.denial(at)).flatten() else { continue };
        let until = u32::try_from(last).ok();
        let (from, to, said) = if at > sentence {
            match kind {
                Denial::Answer => match reader.item(sentence, at) {
                    Some((from, said)) => (from, at, said),
                    None => continue,
                },
                _ => (sentence, at, Said::Negated),
            }
        } else {
            let Some(from) = before else { continue };
            let asked = text.asked_behind(at - 1);
            let same_turn = text.word(at).map(|word| word.segment) == text.word(at - 1).map(|word| word.segment);
            let said = match kind {
                _ if !same_turn => continue,
                // the other party answers what it is asked
                _ if asked && reader.is_asked_of_you(from, at) => continue,
                _ if asked => Said::Negated,
                Denial::Answer => continue,
                Denial::But => Said::Negated,
                Denial::Plain => Said::Doubtful,
            };
            (from, at, said)
        };
        if kind != Denial::Answer && !reader.same_subject(from, to, at) {
            continue;
        }
        let from = from.max(to.saturating_sub(FAR));
        let clause = clauses.start(to - 1, true).max(from);
        for index in from..to {
            let sure = index >= clause || to - from <= WHOLE;
            if let Some(reach) = reaches.get_mut(index)
                && reach.said == Said::Plain
            {
                *reach = Reach { said: if sure { said } else { Said::Doubtful }, until, ..*reach };
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Denial {
    /// "but it was not".
    But,
    /// "it was not", "not really".
    Plain,
    /// "no", behind a question.
    Answer,
}

struct Reader<'a> {
    text: &'a Normalized,
    clauses: &'a Clauses,
    segments: &'a [&'a str],
}

impl Reader<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.text.word(at).map(|word| word.text)
    }

    fn is_but(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| matches!(word, "but" | "although" | "though" | "except" | "however"))
    }

    /// The item that the "no" at `at` answers, and what that makes of it: "latex allergy: no", "authorization required, no."
    fn item(&self, sentence: usize, at: usize) -> Option<(usize, Said)> {
        let (before, no) = (self.text.word(at.checked_sub(1)?)?, self.text.word(at)?);
        let between = self.segments.get(no.segment)?.get(before.span.end..no.span.start);
        let colon = before.segment == no.segment && between.is_some_and(|between| between.contains(':'));
        let last = at + 1 >= self.text.len() || self.clauses.pause(at + 1) >= Pause::Turn;
        let paused = |at: &usize| self.clauses.pause(*at) != Pause::None;
        let from = (sentence..at).rev().find(paused).unwrap_or(sentence);
        match (colon, last) {
            (true, _) if self.ends(at + 1) => Some((from, Said::Negated)),
            (false, true) => Some((from, Said::Doubtful)),
            _ => None,
        }
    }

    /// Whether nothing goes on at `at`.
    fn ends(&self, at: usize) -> bool {
        at >= self.text.len() || self.clauses.pause(at) != Pause::None
    }

    /// The denial that begins at `at`, and its last word.
    fn denial(&self, at: usize) -> Option<(usize, Denial)> {
        let word = |at: usize| self.word(at);
        let but = usize::from(self.is_but(at));
        let kind = if but > 0 { Denial::But } else { Denial::Plain };
        let from = at + but;
        if let Some(length) = NEGATIONS.denies.at(from, word)
            && self.ends(from + length)
            && !self.text.asked_behind(from + length - 1)
        {
            return Some((from + length - 1, kind));
        }
        // "it was not", "they never did"
        let subject = word(from).is_some_and(super::negation::is_subject);
        let auxiliary = |at: usize| self.text.marks_at(at).any(Marks::AUXILIARY) || word(at) == Some("did");
        let mut last = match (word(from + 1), word(from + 2)) {
            (Some(_), Some("not")) if subject && auxiliary(from + 1) => from + 2,
            (Some("never"), Some(_)) if subject && auxiliary(from + 2) => from + 2,
            _ => {
                let none = word(at) == Some("none") && self.ends(at + 1);
                let no = word(at).is_some_and(|word| matches!(word, "no" | "nope" | "nah"));
                let answers = (no || none)
                    && (self.ends(at + 1) || word(at + 1).is_some_and(|next| NEGATIONS.answer_before.contains(next)))
                    && NEGATIONS.harmless.at(at, word).is_none()
                    && !self.text.asked_behind(at);
                return answers.then_some((at, Denial::Answer));
            }
        };
        if !(from + 1..=last).all(|at| self.clauses.pause(at) == Pause::None) {
            return None;
        }
        while let Some(length) = NEGATIONS.goes_on.at(last + 1, word) {
            last += length;
        }
        let ends = self.ends(last + 1) || self.clauses.begins(last + 1) >= super::clauses::Begins::Clause;
        (ends && !self.text.asked_behind(last)).then_some((last, kind))
    }

    /// Whether a question is put to the other party: "do you have your card?"
    fn is_asked_of_you(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| {
            self.word(at).is_some_and(|word| matches!(word, "you" | "your" | "yours" | "may" | "can" | "could"))
        })
    }

    /// Whether the subject of a denial may be that of what stands before it: "she was enrolled, but he was not" denies nothing.
    fn same_subject(&self, from: usize, to: usize, at: usize) -> bool {
        let subject = self.word(at + usize::from(self.is_but(at)));
        let person = |word: &str| matches!(word, "i" | "you" | "he" | "she" | "we");
        match subject {
            Some(subject) if person(subject) && NEGATIONS.denies.at(at, |at| self.word(at)).is_none() => {
                (from..to).any(|index| self.word(index) == Some(subject))
            }
            _ => true,
        }
    }
}
