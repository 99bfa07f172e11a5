//! Where clauses begin: the one cut that negations, statements, corrections and lists go by (`data/clauses.txt`).

use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{CLAUSES, HESITATIONS};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Begins {
    /// It does not.
    Inside,
    /// A subject and its verb, without a pause.
    Bare,
    Clause,
    Sentence,
}

pub(super) struct Clauses {
    begins: Vec<Begins>,
    pauses: Vec<Pause>,
    /// For each word whether its sentence has neither a comma nor an end that is written.
    open: Vec<bool>,
}

impl Clauses {
    pub(super) fn of(text: &Normalized, segments: &[&str]) -> Self {
        let pauses = pauses(text);
        let open = open(text, &pauses, segments);
        let reader = Reader { text, pauses: &pauses };
        let begins = (0..text.len()).map(|at| reader.begins(at)).collect();
        Self { begins, pauses, open }
    }

    /// How the word at an index begins a clause.
    pub(super) fn begins(&self, at: usize) -> Begins {
        self.begins.get(at).copied().unwrap_or(Begins::Sentence)
    }

    /// What stands before the word at an index: sounds (", uh,") part nothing.
    pub(super) fn pause(&self, at: usize) -> Pause {
        self.pauses.get(at).copied().unwrap_or(Pause::Sentence)
    }

    /// Whether the sentence of the word at an index is written without punctuation.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.open.get(at).copied().unwrap_or_default()
    }

    /// The first word of the clause that the word at an index stands in; a subject without a pause begins one where `bare`.
    pub(super) fn start(&self, at: usize, bare: bool) -> usize {
        const FAR: usize = 256;
        let begins = if bare { Begins::Bare } else { Begins::Clause };
        let least = at.saturating_sub(FAR);
        (least..=at).rev().find(|at| self.begins(*at) >= begins).unwrap_or(least)
    }
}

/// The pauses before words, without those around sounds.
fn pauses(text: &Normalized) -> Vec<Pause> {
    let mut pauses: Vec<Pause> = text.words().map(|word| word.pause).collect();
    if !text.may_have(Marks::HESITATION) {
        return pauses;
    }
    let sound = |at: usize| text.word(at).is_some_and(|word| HESITATIONS.contains(word.text));
    for at in 0..pauses.len() {
        let after = at.checked_sub(1).is_some_and(sound);
        let short = |at: usize| text.word(at).is_some_and(|word| word.pause == Pause::Short);
        // a pause before a sound alone is one; with another behind it, both are the sound's
        let around = (sound(at) && short(at + 1)) || (after && short(at.saturating_sub(1)));
        if let Some(pause) = pauses.get_mut(at)
            && *pause == Pause::Short
            && around
        {
            *pause = Pause::None;
        }
    }
    pauses
}

/// For each word whether its sentence is written without punctuation.
fn open(text: &Normalized, pauses: &[Pause], segments: &[&str]) -> Vec<bool> {
    let mut open = vec![false; text.len()];
    let mut start = 0;
    while start < text.len() {
        let end = (start + 1..text.len())
            .find(|at| pauses.get(*at).is_some_and(|pause| *pause == Pause::Sentence))
            .unwrap_or(text.len());
        let inside = pauses.get(start + 1..end).unwrap_or_default().contains(&Pause::Short);
        // the end of the text is written where a mark stands behind its last word
        let ended = end < text.len()
            || text
                .word(end - 1)
                .and_then(|last| segments.get(last.segment)?.get(last.span.end..))
                .is_some_and(|rest| rest.contains(['.', '!', '?', ';', '\u{3002}', '\u{ff01}', '\u{ff1f}']));
        if !inside && !ended {
            open.iter_mut().take(end).skip(start).for_each(|open| *open = true);
        }
        start = end;
    }
    open
}

struct Reader<'a> {
    text: &'a Normalized,
    pauses: &'a [Pause],
}

impl Reader<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.text.word(at).map(|word| word.text)
    }

    fn is(&self, at: usize, marks: Marks) -> bool {
        self.text.marks_at(at).any(marks)
    }

    fn pause(&self, at: usize) -> Pause {
        self.pauses.get(at).copied().unwrap_or(Pause::Sentence)
    }

    /// Whether the word at `at` follows the one before it without a pause.
    fn joined(&self, at: usize) -> bool {
        at < self.text.len() && self.pause(at) == Pause::None
    }

    fn begins(&self, at: usize) -> Begins {
        let pause = self.pause(at);
        if pause == Pause::Sentence || at == 0 {
            return Begins::Sentence;
        }
        let paused = matches!(pause, Pause::Short | Pause::Turn);
        let joins =
            self.is(at, Marks::JOINS) && (self.is_start(at + 1) || (self.joined(at + 1) && self.noun_and_verb(at + 1)));
        // "it is not true that: the claim was paid"
        let before = at.checked_sub(1).and_then(|before| self.word(before));
        let held = before.is_some_and(|word| matches!(word, "that" | "whether" | "if"));
        let starts = paused && !held && (self.is_start(at) || self.noun_and_verb(at));
        let ends = || self.is(at, Marks::ENDS) && CLAUSES.ends.at(at, |at| self.word(at)).is_some();
        if joins || starts || ends() {
            return Begins::Clause;
        }
        let bare = pause == Pause::None && (self.subject(at) || self.noun_and_verb(at) || self.question(at));
        if bare && !self.is_part(at) { Begins::Bare } else { Begins::Inside }
    }

    /// Whether a word behind a pause or a joining word starts a clause. "That" before a noun goes on with the one before:
    /// "not anything, honestly, that the lab reported".
    fn is_start(&self, at: usize) -> bool {
        self.is(at, Marks::STARTS)
            && (self.word(at) != Some("that") || self.is(at + 1, Marks::AUXILIARY) || self.subject(at + 1))
    }

    fn verb(&self, at: usize) -> bool {
        let at = if self.word(at).is_some_and(|word| CLAUSES.between_verb.contains(word)) { at + 1 } else { at };
        self.joined(at)
            && (self.is(at, Marks::AUXILIARY) || self.word(at).is_some_and(|word| CLAUSES.verbs.contains(word)))
    }

    /// Whether the word at `at` is a subject: "we", or "it" before a verb; none in a question ("can you", "is not it").
    fn subject(&self, at: usize) -> bool {
        let Some(word) = self.text.word(at) else { return false };
        let before = |back: usize| at.checked_sub(back).filter(|_| self.joined(at));
        let inverted = before(1).is_some_and(|one| self.is(one, Marks::AUXILIARY))
            || (before(1).and_then(|one| self.word(one)) == Some("not")
                && before(2).is_some_and(|two| self.is(two, Marks::AUXILIARY)));
        if inverted || !self.joined(at + 1) {
            return false;
        }
        if word.text == "i" {
            let letter = |at: usize| self.text.word(at).is_some_and(|word| word.kind != Kind::Word);
            return !letter(at + 1) && !at.checked_sub(1).is_some_and(|at| self.joined(at + 1) && letter(at));
        }
        CLAUSES.subjects.contains(word.text)
            || (CLAUSES.verb_subjects.contains(word.text) && self.verb(at + 1) && !self.is_object(at))
    }

    /// Whether the word at `at` is the object of a preposition: "none of those are".
    fn is_object(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.word(before));
        before.is_some_and(|word| CLAUSES.no_subject.contains(word))
            && self.joined(at)
            && !self.is(at.saturating_sub(1), Marks::JOINS)
    }

    /// "your fee was": a noun of up to three words, and a verb.
    fn noun_and_verb(&self, at: usize) -> bool {
        const LONGEST: usize = 4;
        if !self.word(at).is_some_and(|word| CLAUSES.determiners.contains(word)) {
            return false;
        }
        if self.is_object(at) {
            return false;
        }
        for next in at + 1..=at + LONGEST {
            let Some(word) = self.word(next).filter(|_| self.joined(next)) else { return false };
            if next > at + 1 && self.verb(next) {
                return true;
            }
            if CLAUSES.no_subject.contains(word) || self.is(next, Marks::AUXILIARY) {
                return false;
            }
        }
        false
    }

    /// "can i", "did you": the beginning of a question.
    fn question(&self, at: usize) -> bool {
        let subject = |word: &str| matches!(word, "i" | "you" | "we" | "they" | "he" | "she");
        let before = at.checked_sub(1).and_then(|at| self.text.word(at));
        let free = before.is_some_and(|word| {
            !CLAUSES.subjects.contains(word.text) && !CLAUSES.verb_subjects.contains(word.text) && word.text != "not"
        });
        self.is(at, Marks::AUXILIARY) && free && self.joined(at + 1) && self.word(at + 1).is_some_and(subject)
    }

    /// Whether the clause that begins at `at` is a part of the one before it: what is thought or said, or a relative clause.
    fn is_part(&self, at: usize) -> bool {
        const FAR: usize = 3;
        let mut before = at;
        for _ in 0..FAR {
            let Some(index) = before.checked_sub(1).filter(|_| self.joined(before)) else { return false };
            let Some(word) = self.word(index) else { return false };
            if CLAUSES.subordinates.contains(word) {
                return true;
            }
            if CLAUSES.takes.contains(word) {
                // "what i see" holds what is seen
                let what = index.checked_sub(2).and_then(|at| self.word(at));
                return !what.is_some_and(|word| matches!(word, "what" | "which"));
            }
            if !CLAUSES.between_part.contains(word) {
                return false;
            }
            before = index;
        }
        false
    }
}
