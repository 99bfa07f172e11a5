//! The words of one speaker, cut into clauses: the cut that negations, statements, corrections and lists share
//! (`data/clauses.txt`).

use std::ops::Range;

use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause, Word};
use crate::tables::{CLAUSES, Expressions};
use crate::words::WordSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Begins {
    Inside,
    /// A subject and its verb, without a pause.
    Bare,
    Clause,
    Sentence,
}

pub(super) struct Clauses {
    begins: Vec<Begins>,
    /// The pause before each word, without those around sounds (", uh,").
    pauses: Vec<Pause>,
    /// For each word the first word of its sentence.
    sentences: Vec<usize>,
    /// The first word of the last sentence if that has neither a comma nor a written end, else the number of words.
    open: usize,
}

impl Clauses {
    pub(super) fn of(text: &Normalized, segments: &[&str]) -> Self {
        let pauses = pauses(text);
        let mut sentences: Vec<usize> = Vec::with_capacity(pauses.len());
        for (at, pause) in pauses.iter().enumerate() {
            let before = sentences.last().copied().unwrap_or_default();
            sentences.push(if *pause == Pause::Sentence { at } else { before });
        }
        let open = sentences.last().copied().filter(|start| has_no_marks(text, pauses.get(start + 1..), segments));
        let mut clauses = Self { begins: Vec::new(), pauses, sentences, open: open.unwrap_or(text.len()) };
        let spoken = Spoken { text, clauses: &clauses, segments };
        let begins = (0..text.len()).map(|at| spoken.cut(at)).collect();
        clauses.begins = begins;
        clauses
    }
}

/// The last sentence, with these pauses in it, is written without punctuation.
fn has_no_marks(text: &Normalized, inside: Option<&[Pause]>, segments: &[&str]) -> bool {
    let last = text.len().checked_sub(1).and_then(|last| text.word(last));
    // the end of the text is written if a mark follows its last word
    let rest = last.and_then(|last| segments.get(last.segment)?.get(last.span.end..)).unwrap_or_default();
    !inside.unwrap_or_default().contains(&Pause::Short)
        && !rest.contains(['.', '!', '?', ';', '\u{3002}', '\u{ff01}', '\u{ff1f}'])
}

/// The pauses before words, without those around sounds.
fn pauses(text: &Normalized) -> Vec<Pause> {
    let sound = |at: usize| text.marks_at(at).any(Marks::HESITATION);
    let short = |at: usize| text.word(at).is_some_and(|word| word.pause == Pause::Short);
    let behind = |at: usize| at.checked_sub(1).is_some_and(|before| sound(before) && short(before));
    // a pause before a sound alone is one; with another behind it, both are the sound's
    let around = |at: usize| (sound(at) && short(at + 1)) || behind(at);
    let pause = |(at, word): (usize, Word<'_>)| if short(at) && around(at) { Pause::None } else { word.pause };
    text.words().enumerate().map(pause).collect()
}

/// A text with its clauses. Past its end there are empty words, each a sentence of its own.
#[derive(Clone, Copy)]
pub(super) struct Spoken<'a> {
    pub(super) text: &'a Normalized,
    pub(super) clauses: &'a Clauses,
    pub(super) segments: &'a [&'a str],
}

impl<'a> Spoken<'a> {
    pub(super) fn len(self) -> usize {
        self.text.len()
    }

    pub(super) fn word(self, at: usize) -> &'a str {
        self.text.word(at).map(|word| word.text).unwrap_or_default()
    }

    pub(super) fn word_before(self, at: usize) -> &'a str {
        at.checked_sub(1).map(|before| self.word(before)).unwrap_or_default()
    }

    pub(super) fn is(self, at: usize, marks: Marks) -> bool {
        self.text.marks_at(at).any(marks)
    }

    pub(super) fn is_in(self, at: usize, words: &WordSet) -> bool {
        self.text.word(at).is_some_and(|word| words.contains(word.text))
    }

    pub(super) fn kind(self, at: usize) -> Option<Kind> {
        self.text.word(at).map(|word| word.kind)
    }

    /// The number of words of the longest expression that begins at a word.
    pub(super) fn length(self, at: usize, of: &Expressions) -> Option<usize> {
        of.at(at, |at| self.text.word(at).map(|word| word.text))
    }

    pub(super) fn begins_with(self, at: usize, any: &Expressions) -> bool {
        self.length(at, any).is_some()
    }

    pub(super) fn begins(self, at: usize) -> Begins {
        self.clauses.begins.get(at).copied().unwrap_or(Begins::Sentence)
    }

    /// The pause before a word. Sounds (", uh,") part nothing.
    pub(super) fn pause(self, at: usize) -> Pause {
        self.clauses.pauses.get(at).copied().unwrap_or(Pause::Sentence)
    }

    /// The pause before a word, also around sounds.
    pub(super) fn written_pause(self, at: usize) -> Pause {
        self.text.word(at).map_or(Pause::Sentence, |word| word.pause)
    }

    /// A word follows the one before it without a pause.
    pub(super) fn joined(self, at: usize) -> bool {
        self.pause(at) == Pause::None
    }

    /// The sentence of a word is written without punctuation.
    pub(super) fn is_open(self, at: usize) -> bool {
        at >= self.clauses.open
    }

    pub(super) fn asked_behind(self, at: usize) -> bool {
        self.text.asked_behind(at)
    }

    pub(super) fn segment(self, at: usize) -> usize {
        self.text.word(at).map_or(0, |word| word.segment)
    }

    pub(super) fn is_capital(self, at: usize) -> bool {
        self.text.is_capital(at, self.segments)
    }

    pub(super) fn sentence_start(self, at: usize) -> usize {
        self.clauses.sentences.get(at).copied().unwrap_or(at)
    }

    /// The first word of the sentence before a word's own.
    pub(super) fn sentence_before(self, at: usize) -> usize {
        self.sentence_start(at).checked_sub(1).map_or(0, |last| self.sentence_start(last))
    }

    pub(super) fn sentences(self) -> impl Iterator<Item = Range<usize>> + 'a {
        let same = self.clauses.sentences.chunk_by(|one, other| one == other);
        same.filter_map(|same| same.first().map(|start| *start..start + same.len()))
    }

    /// The first word of a word's clause, also of one that a subject begins without a pause.
    pub(super) fn clause_start(self, at: usize) -> usize {
        const FAR: usize = 256;
        let least = at.saturating_sub(FAR);
        (least..=at).rev().find(|at| self.begins(*at) > Begins::Inside).unwrap_or(least)
    }

    fn cut(self, at: usize) -> Begins {
        let pause = self.pause(at);
        if pause == Pause::Sentence || at == 0 {
            return Begins::Sentence;
        }
        let paused = matches!(pause, Pause::Short | Pause::Turn);
        let joins =
            self.is(at, Marks::JOINS) && (self.is_start(at + 1) || (self.joined(at + 1) && self.noun_and_verb(at + 1)));
        // "they don't ship then | so Friday the 20th"
        let dated =
            |at: usize| self.is(at, Marks::CALENDAR) || matches!(self.kind(at), Some(Kind::Number | Kind::Ordinal));
        let joins = joins || (self.word(at) == "so" && self.joined(at) && dated(at + 1));
        // "it is not true that: the claim was paid"
        let held = matches!(self.word_before(at), "that" | "whether" | "if");
        let starts = paused && !held && (self.is_start(at) || self.noun_and_verb(at));
        if joins || starts || (self.is(at, Marks::ENDS) && self.begins_with(at, &CLAUSES.ends)) {
            return Begins::Clause;
        }
        let bare = pause == Pause::None && (self.subject(at) || self.noun_and_verb(at) || self.question(at));
        if bare && (self.is_led(at) || !self.is_part(at)) { Begins::Bare } else { Begins::Inside }
    }

    /// A word behind a pause or a joining word starts a clause. "That" before a noun continues the clause before it:
    /// "not anything, honestly, that the lab reported".
    fn is_start(self, at: usize) -> bool {
        self.is(at, Marks::STARTS)
            && (self.word(at) != "that" || self.is(at + 1, Marks::AUXILIARY) || self.subject(at + 1))
    }

    pub(super) fn is_verb(self, at: usize) -> bool {
        self.is(at, Marks::AUXILIARY) || self.is_in(at, &CLAUSES.verbs)
    }

    fn verb(self, at: usize) -> bool {
        let at = at + usize::from(self.is_in(at, &CLAUSES.between_verb));
        self.joined(at) && self.is_verb(at)
    }

    /// The word is a subject: "we", or "it" before a verb; not in a question ("can you", "is not it").
    pub(super) fn subject(self, at: usize) -> bool {
        let Some(word) = self.text.word(at) else { return false };
        let before = |back: usize| at.checked_sub(back).filter(|_| self.joined(at));
        let auxiliary = |back: usize| before(back).is_some_and(|at| self.is(at, Marks::AUXILIARY));
        // "it has not | it is still open" asks nothing
        let finite =
            matches!(self.word(at + 1), "is" | "are" | "was" | "were" | "has" | "had" | "does" | "did" | "will");
        let inverted = auxiliary(1) || (self.word_before(at) == "not" && auxiliary(2) && !finite);
        if inverted || !self.joined(at + 1) {
            return false;
        }
        if word.text == "i" {
            let letter = |at: usize| self.kind(at).is_some_and(|kind| kind != Kind::Word);
            return self.text.is_pronoun(at)
                || !letter(at + 1) && !at.checked_sub(1).is_some_and(|at| self.joined(at + 1) && letter(at));
        }
        CLAUSES.subjects.contains(word.text)
            || (CLAUSES.verb_subjects.contains(word.text) && self.verb(at + 1) && !self.is_object(at))
    }

    /// The word is the object of a preposition: "none of those are".
    pub(super) fn is_object(self, at: usize) -> bool {
        let before = at.saturating_sub(1);
        // "no | that is mine", "hold on | that is mine", "it has not | there is one left"
        let opens = match self.word_before(at) {
            "no" => true,
            "on" => matches!(self.word_before(before), "hold" | "hang"),
            "not" => self.is(before.saturating_sub(1), Marks::AUXILIARY) && self.word(at) == "there",
            _ => false,
        };
        CLAUSES.no_subject.contains(self.word_before(at)) && self.joined(at) && !self.is(before, Marks::JOINS) && !opens
    }

    /// "your fee was": a noun of up to three words, and a verb.
    pub(super) fn noun_and_verb(self, at: usize) -> bool {
        const LONGEST: usize = 4;
        if !self.is_in(at, &CLAUSES.determiners) || self.is_object(at) {
            return false;
        }
        for next in at + 1..=at + LONGEST {
            if !self.joined(next) {
                return false;
            }
            if next > at + 1 && self.verb(next) {
                return true;
            }
            if self.is_in(next, &CLAUSES.no_subject) || self.is(next, Marks::AUXILIARY) {
                return false;
            }
        }
        false
    }

    /// "can i", "did you": the beginning of a question.
    fn question(self, at: usize) -> bool {
        let free = |word: Word<'_>| {
            !CLAUSES.subjects.contains(word.text) && !CLAUSES.verb_subjects.contains(word.text) && word.text != "not"
        };
        let led = self.is(at, Marks::AUXILIARY) && self.is_led(at);
        let named = [&CLAUSES.pronouns, &CLAUSES.determiners].into_iter().any(|set| self.is_in(at + 1, set));
        // not "the system has you listed"
        let verb = self.is(at, Marks::AUXILIARY) && (self.word(at), self.word(at + 1)) != ("has", "you");
        verb && (led || at.checked_sub(1).and_then(|at| self.text.word(at)).is_some_and(free))
            && self.joined(at + 1)
            && ((led && named && self.word(at) != "have")
                || matches!(self.word(at + 1), "i" | "you" | "we" | "they" | "he" | "she")
                || (self.is_opened(at) && (self.word(at + 1) == "there" || self.is_in(at + 1, &CLAUSES.determiners))))
    }

    /// A word that says nothing is before a word: "um | has the patient tried it", "great and | is there a copay".
    fn is_opened(self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map(|at| self.word(at)).unwrap_or_default();
        let joins = usize::from(matches!(before(1), "and" | "so"));
        matches!(before(1 + joins), "um" | "uh" | "oh" | "well" | "okay" | "ok" | "great" | "alright" | "perfect")
    }

    /// Behind what only receives an answer, at the beginning of a sentence: "okay thank you | does she".
    fn is_led(self, at: usize) -> bool {
        const OPENERS: usize = 2;
        let before = |back: usize| at.checked_sub(back).map(|at| self.word(at)).unwrap_or_default();
        let words = match (before(2), before(1)) {
            ("thank", "you") | ("got", "it") | ("i", "see" | "understand") => 2,
            (_, "thanks") => 1,
            _ => return false,
        };
        at <= self.sentence_start(at) + words + OPENERS
    }

    /// The clause is a part of the one before it: a thought, reported words or a relative clause.
    fn is_part(self, at: usize) -> bool {
        const FAR: usize = 3;
        let mut before = at;
        for _ in 0..FAR {
            let Some(index) = before.checked_sub(1).filter(|_| self.joined(before)) else { return false };
            // the answer "none at all | it is paid"
            let answers = self.word(index) == "none" && matches!(self.word(at), "it" | "there");
            let at_all = self.word(index) == "all" && self.word_before(index) == "at";
            if !at_all && self.is_in(index, &CLAUSES.subordinates) {
                return !answers;
            }
            if self.is_in(index, &CLAUSES.takes) {
                // "what i see" holds what is seen
                let two_before = index.checked_sub(2).map(|at| self.word(at));
                return !matches!(two_before, Some("what" | "which"));
            }
            if !self.is_in(index, &CLAUSES.between_part) {
                return false;
            }
            before = index;
        }
        false
    }
}
