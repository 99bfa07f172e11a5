//! What a clause does with what it says: it states it, asks it, makes it a condition, puts it into the future, doubts it, or
//! reports it of somebody (`data/stance.txt`).

use super::clauses::{Begins, Clauses};
use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{CLAUSES, STANCE};

/// What keeps a word from being stated: a set of reasons, empty where it is stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stance(u8);

impl Stance {
    /// In a question.
    pub const ASKED: Self = Self(1);
    /// In a condition.
    pub const CONDITIONAL: Self = Self(2);
    /// It will be, it must be, or it is hoped for.
    pub const FUTURE: Self = Self(4);
    /// Somebody else is said to say so.
    pub const REPORTED: Self = Self(8);
    /// The speaker is not sure.
    pub const HEDGED: Self = Self(16);
    /// It depends on a condition beside it.
    pub const DEPENDS: Self = Self(32);
    /// Somebody says so who is not believed.
    pub const CLAIMED: Self = Self(64);
    /// Whether a condition still reaches it cannot be told.
    pub const PERHAPS_CONDITIONAL: Self = Self(128);

    const NAMES: [(Self, &'static str); 8] = [
        (Self::ASKED, "asked"),
        (Self::CONDITIONAL, "conditional"),
        (Self::FUTURE, "future or needed"),
        (Self::REPORTED, "reported"),
        (Self::HEDGED, "doubted"),
        (Self::DEPENDS, "depends on a condition"),
        (Self::CLAIMED, "claimed by somebody"),
        (Self::PERHAPS_CONDITIONAL, "perhaps conditional"),
    ];

    /// Whether any of these reasons is among them.
    pub const fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    /// Both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it is a statement.
    pub fn is_stated(self) -> bool {
        self == Self::default()
    }

    /// Whether it may be a statement: nothing but a condition beside it, or one that perhaps reaches it, keeps it from being one.
    pub fn may_be_stated(self) -> bool {
        self.without(Self::DEPENDS).without(Self::PERHAPS_CONDITIONAL).is_stated()
    }

    /// The reasons in words.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(one, _)| self.any(*one)).map(|(_, name)| name)
    }
}

/// The most words that a condition reaches for sure where nobody wrote punctuation.
const FAR: usize = 8;

/// The longest question without its mark, in words.
const LONGEST: usize = 64;

pub(super) fn stances(text: &Normalized, clauses: &Clauses) -> Vec<Stance> {
    let mut reader =
        Reader { text, clauses, found: vec![Stance::default(); text.len()], kept: Stance::default(), condition: None };
    reader.read();
    reader.found
}

struct Reader<'a> {
    text: &'a Normalized,
    clauses: &'a Clauses,
    found: Vec<Stance>,
    /// What reaches on from the words before.
    kept: Stance,
    /// Where the condition began whose words these are, and whether it has its verb.
    condition: Option<(usize, bool)>,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.text.word(at).map(|word| word.text)
    }

    fn read(&mut self) {
        let (mut before, mut clause, mut sentence, mut earlier) = (0, 0, 0, 0);
        let mut depends = false;
        for at in 0..self.text.len() {
            let begins = self.clauses.begins(at);
            if begins == Begins::Sentence && at > 0 {
                self.depend(sentence, at, depends);
                (earlier, sentence, depends) = (sentence, at, false);
            }
            if begins >= Begins::Clause {
                // a tag asks about the clause before its comma, but not about the sentence before
                before = if begins == Begins::Sentence { at } else { clause };
                clause = at;
            }
            self.end(at, begins);
            if let Some(place) = self.found.get_mut(at) {
                *place = place.and(self.kept);
                if let Some((from, _)) = self.condition
                    && at > from + FAR
                    && self.clauses.is_open(at)
                {
                    *place = place.without(Stance::CONDITIONAL).and(Stance::PERHAPS_CONDITIONAL);
                }
            }
            depends |= self.mark(at);
            if self.depends(at) {
                depends = true;
                // "Approved. That is subject to review.", but not "Confirmed. Depending on traffic, come early."
                let segment = |at: usize| self.text.word(at).map(|word| word.segment);
                let in_turn = sentence.checked_sub(1).is_some_and(|before| segment(before) == segment(at));
                let reaches = matches!(self.word(at), Some("subject" | "awaiting" | "pending"));
                self.depend(earlier, sentence, at <= sentence + 2 && in_turn && reaches);
            }
            if begins >= Begins::Bare && self.is_question(at) {
                self.ask(at, self.clause_end(at));
            }
            if self.text.asked_behind(at) {
                let from = if self.is_tag(clause, at) { before } else { clause };
                self.ask(from, at + 1);
            }
        }
        self.depend(sentence, self.text.len(), depends);
    }

    fn ask(&mut self, from: usize, to: usize) {
        for place in self.found.iter_mut().take(to).skip(from) {
            *place = place.and(Stance::ASKED);
        }
    }

    fn depend(&mut self, from: usize, to: usize, depends: bool) {
        for place in self.found.iter_mut().take(to).skip(from).filter(|_| depends) {
            if !place.any(Stance::CONDITIONAL.and(Stance::PERHAPS_CONDITIONAL)) {
                *place = place.and(Stance::DEPENDS);
            }
        }
    }

    /// "approved pending review", "approved subject to review": not "it is pending review".
    fn depends(&self, at: usize) -> bool {
        let itself = |word: &str| {
            CLAUSES.determiners.contains(word) || matches!(word, "a" | "an" | "still" | "currently" | "now")
        };
        self.text.marks_at(at).any(Marks::STANCE)
            && STANCE.depends.at(at, |at| self.word(at)).is_some()
            && (self.word(at) == Some("subject")
                || !at.checked_sub(1).filter(|_| self.clauses.pause(at) == Pause::None).is_some_and(|before| {
                    self.text.marks_at(before).any(Marks::AUXILIARY) || self.word(before).is_some_and(itself)
                }))
    }

    fn clause_end(&self, at: usize) -> usize {
        let end = (at + 1..self.text.len()).take(LONGEST).find(|at| self.clauses.begins(*at) >= Begins::Clause);
        end.unwrap_or((at + 1 + LONGEST).min(self.text.len()))
    }

    /// Ends what does not reach the word at `at`.
    fn end(&mut self, at: usize, begins: Begins) {
        let lasting = Stance::REPORTED.and(Stance::CLAIMED).and(Stance::HEDGED);
        match begins {
            Begins::Sentence | Begins::Clause => {
                self.kept = Stance::default();
                self.condition = None;
            }
            // what somebody says goes on: "he said | it was approved"
            Begins::Bare => self.kept = self.kept.without(Stance::FUTURE),
            Begins::Inside => {}
        }
        let Some((from, verb)) = self.condition else { return };
        let paused = matches!(self.clauses.pause(at), Pause::Short | Pause::Turn);
        let next = begins == Begins::Bare && at > from + 1;
        if verb && (paused || next) {
            self.condition = None;
            self.kept = self.kept.without(Stance::CONDITIONAL);
        }
        if self.kept.any(lasting) && paused && begins >= Begins::Clause {
            self.kept = self.kept.without(lasting);
        }
    }

    /// Notes what begins at `at`; whether it is a condition.
    fn mark(&mut self, at: usize) -> bool {
        if let Some((from, verb)) = &mut self.condition
            && at > *from
        {
            let subject = self
                .text
                .word(at - 1)
                .is_some_and(|word| CLAUSES.subjects.contains(word.text) || matches!(word.text, "you" | "it"));
            *verb |= subject
                || self.text.marks_at(at).any(Marks::AUXILIARY)
                || self.text.word(at).is_some_and(|word| CLAUSES.verbs.contains(word.text));
        }
        if !self.text.marks_at(at).any(Marks::STANCE) {
            return false;
        }
        let text = self.text;
        let word = |at: usize| text.word(at).map(|word| word.text);
        if STANCE.request.at(at, word).is_some() {
            self.kept = self.kept.and(Stance::FUTURE);
            return false;
        }
        if STANCE.conditional.at(at, word).is_some() || self.is_open_clause(at) {
            self.condition = Some((at, false));
            self.kept = self.kept.and(Stance::CONDITIONAL);
            return word(at) != Some("whether");
        }
        if STANCE.tells.at(at, word).is_some() {
            self.kept = self.kept.without(Stance::FUTURE);
        } else if STANCE.future.at(at, word).is_some() || STANCE.need.at(at, word).is_some() {
            self.kept = self.kept.and(Stance::FUTURE);
        }
        // the month is no doubt
        let month = word(at) == Some("may") && self.text.word(at + 1).is_some_and(|next| next.kind != Kind::Word);
        if !month && STANCE.hedge.at(at, word).is_some() {
            self.kept = self.kept.and(Stance::HEDGED);
        }
        let reported = match word(at) {
            Some("according") if word(at + 1) == Some("to") => !self.record_in(at + 2, at + 6),
            _ => STANCE.reported.at(at, word).is_some() && !self.is_own(at),
        };
        if reported {
            self.kept = self.kept.and(Stance::REPORTED);
            if STANCE.claimed.at(at, word).is_some() {
                self.kept = self.kept.and(Stance::CLAIMED);
            }
        }
        false
    }

    /// "once it is approved", "when it is approved": not "once a day", not "when it was approved".
    fn is_open_clause(&self, at: usize) -> bool {
        const FAR: usize = 6;
        let Some(word) = self.text.word(at).filter(|word| STANCE.conditional_clause.contains(word.text)) else {
            return false;
        };
        let subject = |word: &str| {
            CLAUSES.subjects.contains(word)
                || CLAUSES.verb_subjects.contains(word)
                || CLAUSES.determiners.contains(word)
        };
        if !self.word(at + 1).is_some_and(subject) || self.text.asked_behind(at) {
            return false;
        }
        let verb = (at + 2..at + FAR)
            .take_while(|at| self.clauses.pause(*at) == Pause::None)
            .filter_map(|at| self.text.word(at))
            .find(|word| word.marks.any(Marks::AUXILIARY) || STANCE.open.contains(word.text));
        match word.text {
            "once" | "until" | "till" => verb.is_some(),
            _ => verb.is_some_and(|verb| STANCE.open.contains(verb.text)),
        }
    }

    fn record_in(&self, from: usize, to: usize) -> bool {
        (from..to.min(self.text.len())).any(|at| self.word(at).is_some_and(|word| STANCE.records.contains(word)))
    }

    /// Whether a record, or the speaker, says what the verb at `at` says.
    fn is_own(&self, at: usize) -> bool {
        const FAR: usize = 6;
        let mut passive = false;
        for index in (at.saturating_sub(FAR)..at).rev() {
            if self.clauses.begins(index + 1) >= Begins::Clause {
                break;
            }
            let Some(word) = self.word(index) else { break };
            passive |= matches!(word, "was" | "were" | "been" | "being");
            match word {
                "i" | "we" => return !passive && self.is_saying(at),
                "it" => return !passive,
                _ if STANCE.records.contains(word) => return true,
                "he" | "she" | "they" | "you" | "who" | "someone" | "somebody" => return false,
                _ => {}
            }
        }
        // "says here that it was paid"
        self.word(at + 1) == Some("here")
    }

    /// Whether it is a verb of saying rather than thinking.
    fn is_saying(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| {
            matches!(word, "said" | "told" | "mentioned" | "stated" | "promised" | "assured" | "wrote")
        })
    }

    /// "was it approved", "when was it approved": a question without its mark.
    fn is_question(&self, at: usize) -> bool {
        let asks = |word: &str| matches!(word, "what" | "when" | "where" | "why" | "how" | "which" | "who");
        let first = if self.word(at).is_some_and(asks) { at + 1 } else { at };
        let subject =
            |word: &str| super::negation::is_subject(word) || (CLAUSES.determiners.contains(word) && word != "that");
        self.text.marks_at(first).any(Marks::AUXILIARY)
            && self.word(first) != Some("may")
            && self.clauses.pause(first + 1) == Pause::None
            && self.word(first + 1).is_some_and(subject)
            && !(first == at && matches!(self.word(first), Some("should" | "had" | "were")))
    }

    /// Whether the words are a question at the end of a statement: "was it not", "is it", "does it", "right".
    fn is_tag(&self, first: usize, last: usize) -> bool {
        let word = |at: usize| self.word(at).unwrap_or_default();
        let pronoun = |word: &str| matches!(word, "i" | "you" | "he" | "she" | "it" | "we" | "they" | "that" | "there");
        let auxiliary = self.text.marks_at(first).any(Marks::AUXILIARY);
        match last + 1 - first {
            1 => matches!(word(first), "right" | "correct" | "yes" | "ok" | "okay" | "no"),
            2 => auxiliary && pronoun(word(last)),
            3 => auxiliary && (pronoun(word(last)) || word(last) == "not"),
            _ => false,
        }
    }
}
