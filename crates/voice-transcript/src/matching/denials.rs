//! Denials behind the words that they deny: "they said they would waive it, but they did not", "approved? no", "approved, i
//! do not think so".

use super::clauses::{Begins, Spoken};
use super::negation::{BACK, Reach, Said};
use crate::marks::Marks;
use crate::normalize::Pause;
use crate::tables::{CLAUSES, NEGATIONS};

/// The longest sentence that a denial behind it denies as a whole. Of a longer one it denies the last clause, and the rest
/// is undecidable.
const WHOLE: usize = 14;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Denial {
    /// "but it was not".
    But,
    /// "it was not", "not really".
    Plain,
    /// "no", behind a question.
    Answer,
}

impl Spoken<'_> {
    /// Denies the words before a denial that begins at `at`.
    pub(super) fn deny(self, at: usize, reaches: &mut [Reach]) {
        let sentence = self.sentence_start(at);
        let apart = at == sentence || !self.joined(at) || self.is_in(at, &NEGATIONS.but);
        let Some((last, kind)) = apart.then(|| self.denial(at)).flatten() else { return };
        let Some((from, said)) = self.denied_before(sentence, at, kind) else { return };
        let from = from.max(at.saturating_sub(BACK));
        if kind != Denial::Answer && !self.same_subject(from, at) {
            return;
        }
        let until = u32::try_from(last).ok();
        let clause = self.clause_start(at - 1).max(from);
        for (index, reach) in reaches.iter_mut().enumerate().take(at).skip(from) {
            let sure = index >= clause || at - from <= WHOLE;
            if reach.said == Said::Plain {
                *reach = Reach { said: if sure { said } else { Said::Doubtful }, until, ..*reach };
            }
        }
    }

    /// The first word that the denial at `at` denies, and the label that it gives.
    fn denied_before(self, sentence: usize, at: usize, kind: Denial) -> Option<(usize, Said)> {
        if at > sentence {
            return if kind == Denial::Answer { self.item(sentence, at) } else { Some((sentence, Said::Negated)) };
        }
        let last = at.checked_sub(1).filter(|last| self.segment(*last) == self.segment(at))?;
        let from = self.sentence_start(last);
        let of_you = |at: usize| matches!(self.word(at), "you" | "your" | "yours" | "may" | "can" | "could");
        match (self.asked_behind(last), kind) {
            // "do you have your card?": the other party answers
            (true, _) if (from..at).any(of_you) => None,
            (true, _) | (_, Denial::But) => Some((from, Said::Negated)),
            (_, Denial::Answer) => None,
            (_, Denial::Plain) => Some((from, Said::Doubtful)),
        }
    }

    /// The item that the "no" at `at` answers, and the label of the item: "latex allergy: no", "authorization required, no."
    fn item(self, sentence: usize, at: usize) -> Option<(usize, Said)> {
        let (before, no) = (self.text.word(at.checked_sub(1)?)?, self.text.word(at)?);
        let between = self.segments.get(no.segment)?.get(before.span.end..no.span.start);
        let colon = before.segment == no.segment && between.is_some_and(|between| between.contains(':'));
        let from = (sentence..at).rev().find(|at| !self.joined(*at)).unwrap_or(sentence);
        let (least, said) = if colon { (Pause::Short, Said::Negated) } else { (Pause::Turn, Said::Doubtful) };
        (self.pause(at + 1) >= least).then_some((from, said))
    }

    /// An answer that denies begins at `at`: "it is not". "I do not" denies something else.
    pub(super) fn denies(self, at: usize) -> bool {
        !matches!(self.word(at), "i" | "you" | "we") && matches!(self.denial(at), Some((_, Denial::Plain)))
    }

    /// The denial that begins at `at`, and its last word.
    fn denial(self, at: usize) -> Option<(usize, Denial)> {
        let ends = |at: usize| !self.joined(at);
        let (from, kind) = if self.is_in(at, &NEGATIONS.but) { (at + 1, Denial::But) } else { (at, Denial::Plain) };
        // "approved? absolutely not"
        let answers = !matches!(self.word(from), "i" | "we" | "not");
        if let Some(length) = self.length(from, &NEGATIONS.denies)
            && (!answers || at == self.sentence_start(at))
            && ends(from + length)
            && !self.asked_behind(from + length - 1)
        {
            return Some((from + length - 1, if answers { Denial::Answer } else { kind }));
        }
        // "it was not", "they never did"
        let subject = self.is_in(from, &CLAUSES.pronouns);
        let mut last = match (self.word(from + 1), self.word(from + 2)) {
            (_, "not") if subject && self.is(from + 1, Marks::AUXILIARY) => from + 2,
            ("never", _) if subject && self.is(from + 2, Marks::AUXILIARY) => from + 2,
            _ => {
                let answers = match self.word(at) {
                    "no" | "nope" | "nah" => ends(at + 1) || self.is_in(at + 1, &NEGATIONS.answer_before),
                    "none" => ends(at + 1),
                    _ => false,
                };
                let answers = answers && !self.begins_with(at, &NEGATIONS.harmless) && !self.asked_behind(at);
                return answers.then_some((at, Denial::Answer));
            }
        };
        if (from + 1..=last).any(ends) {
            return None;
        }
        while let Some(length) = self.length(last + 1, &NEGATIONS.goes_on) {
            last += length;
        }
        let least = if self.is_open(last) { Begins::Bare } else { Begins::Clause };
        let ends = ends(last + 1) || self.begins(last + 1) >= least;
        (ends && !self.asked_behind(last)).then_some((last, kind))
    }

    /// The subject of a denial may be that of the words before it: "she was enrolled, but he was not" denies nothing.
    fn same_subject(self, from: usize, at: usize) -> bool {
        let subject = self.word(at + usize::from(self.is_in(at, &NEGATIONS.but)));
        !matches!(subject, "i" | "you" | "he" | "she" | "we")
            || self.begins_with(at, &NEGATIONS.denies)
            || (from..at).any(|index| self.word(index) == subject)
    }
}
