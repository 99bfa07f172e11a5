//! Values that the other party denies: "The copay is forty dollars." "No, fifty." Their speaker repeats them, or reads the
//! other one.

use crate::compare::may_be;
use crate::normalize::{As, Kind, Normalized, Pause, Read, Typed};
use crate::tables::{CLAUSES, CORRECTIONS, NEGATIONS, SMALL};

/// The most values to read of a turn.
const MOST: usize = 64;

/// A value that is denied: its first and its last word.
pub(super) struct Denied {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Its speaker reads the other one, or only asked.
    pub(super) is_replaced: bool,
}

/// The value that a turn opens with.
struct Reply {
    kind: As,
    /// The first word of the value.
    first: usize,
    reads: Vec<Read>,
    /// A denial opens it: "No, fifty."
    denies: bool,
    /// Nothing else is before the value.
    bare: bool,
    /// The noun that it counts: "visit" of "two visits".
    counted: Option<String>,
}

/// The values of a turn that the answer to it denies, with what their speaker says later.
pub(super) fn denied(said: &Normalized, answer: &Normalized, later: &[&Normalized]) -> Vec<Denied> {
    let Some(reply) = reply(answer).map(|reply| reply.to(said, answer)) else { return Vec::new() };
    let later: Vec<(bool, Vec<Read>)> = later
        .iter()
        .flat_map(|words| {
            let values = words.values(reply.kind, 0).take(MOST);
            values.map(|typed| (words.asked_behind(typed.last), typed.reads))
        })
        .collect();
    let mut found = Vec::new();
    let mut values = said.values(reply.kind, 0).peekable();
    let mut at = 0;
    while let Some(old) = values.next() {
        // the rest of a value is not another one
        if old.first < at {
            continue;
        }
        at = old.last + 1;
        let is_last = values.peek().is_none_or(|next| next.first <= old.last);
        if let Some(is_replaced) = reply.replaces(said, &old, is_last, &later) {
            found.push(Denied { first: old.first, last: old.last, is_replaced });
        }
    }
    found
}

fn reply(words: &Normalized) -> Option<Reply> {
    /// The most words before the value.
    const FAR: usize = 8;
    let word = |at: usize| words.word(at);
    let text = |at: usize| word(at).map(|word| word.text);
    let opens = |at: &usize| {
        text(*at).is_some_and(|word| CLAUSES.openers.contains(word) || matches!(word, "actually" | "nope" | "nah"))
    };
    let small = |at: usize| text(at).is_some_and(|word| SMALL.contains(word) && word != "not");
    let fits = |typed: &Typed, kind: As| match kind {
        As::Amount => matches!(typed.reads.first(), Some(Read::Amount { currency: Some(_), .. })),
        As::Digits => {
            typed.last > typed.first || text(typed.first).is_some_and(|text| text.contains(char::is_alphabetic))
        }
        // "one more question"
        As::Number if text(typed.first) == Some("1") => {
            typed.first <= 1 && word(typed.last + 1).is_none_or(|word| word.pause > Pause::None)
        }
        _ => true,
    };
    let typed = |at: usize| {
        As::ALL.into_iter().find_map(|kind| {
            let typed = words.value(kind, at).filter(|typed| fits(typed, kind))?;
            Some((typed, kind))
        })
    };
    // "B as in boy"
    let letter =
        |at: &usize| word(*at).is_some_and(|word| word.kind == Kind::Letter && !matches!(word.text, "a" | "i"));
    let spelled = || {
        let at = (0..FAR).find(letter)?;
        Some((Typed { first: at, last: at, reads: vec![Read::Text(text(at)?.to_owned())] }, As::Digits))
    };
    let (Typed { first, last, reads }, kind) = (0..=FAR).find_map(typed).or_else(spelled)?;
    // not "no visits until June 4th"
    let paused = |at: usize| word(at).is_some_and(|word| word.pause > Pause::None);
    let answers = |at: usize| at == first || small(at) || paused(at);
    let no = |at: usize| matches!(text(at), Some("no" | "nope" | "nah" | "actually")) && answers(at + 1);
    let no = (0..first).take_while(opens).any(no);
    // "no problem"
    let denies = (no && NEGATIONS.harmless.at(0, text).is_none()) || CORRECTIONS.retracts.at(0, text).is_some();
    let bare = (0..first).all(|at| opens(&at) || small(at));
    // "No, the copay is fifty dollars."
    let one_sentence = || (2..=first).all(|at| word(at).is_some_and(|word| word.pause < Pause::Sentence));
    let counted = counted(words, last);
    (bare || (denies && one_sentence())).then_some(Reply { kind, first, reads, denies, bare, counted })
}

impl Reply {
    /// The same as a number, if what it answers has no value of its kind: "The dose is forty." "No, fifty milligrams."
    fn to(self, said: &Normalized, answer: &Normalized) -> Self {
        if said.values(self.kind, 0).next().is_some() {
            return self;
        }
        match answer.value(As::Number, self.first) {
            Some(Typed { last, reads, .. }) => Self { kind: As::Number, reads, counted: counted(answer, last), ..self },
            None => self,
        }
    }

    /// Decides if it takes an old value back, or perhaps; `None` if it denies another one, or its speaker repeats it.
    fn replaces(&self, said: &Normalized, old: &Typed, is_last: bool, later: &[(bool, Vec<Read>)]) -> Option<bool> {
        let length = |reads: &[Read]| match reads.last() {
            Some(Read::Text(text)) => text.len(),
            _ => 0,
        };
        let digits = self.kind == As::Digits;
        let alike = |reads: &[Read]| !digits || length(reads) == length(&old.reads);
        let other = self.holds(&old.reads, &self.reads) || (!self.bare && !alike(&self.reads));
        if other || self.counts_another(said, old) || asks_of_another(said, old.last) {
            return None;
        }
        // characters are read again with the rest: "B as in boy" of "P006"
        let is_new = |reads: &[Read]| {
            (self.denies && may_be(reads, &self.reads)) || (digits && alike(reads) && self.holds(reads, &self.reads))
        };
        let sure = self.denies && self.bare && is_last;
        match later.iter().find(|(_, reads)| may_be(reads, &old.reads) || is_new(reads)) {
            Some((_, reads)) if may_be(reads, &old.reads) => None,
            Some((false, reads)) if sure && alike(reads) => Some(true),
            None if sure && said.asked_behind(old.last) => Some(true),
            None if !self.denies => None,
            _ => Some(false),
        }
    }

    /// "No, I have a son who is nine" after "your first two babies", "No, fifty dollars" after "12 visits".
    fn counts_another(&self, said: &Normalized, old: &Typed) -> bool {
        let plain =
            self.kind == As::Number || old.reads.iter().any(|read| matches!(read, Read::Amount { currency: None, .. }));
        match (counted(said, old.last).filter(|_| plain), &self.counted) {
            (Some(one), Some(other)) => one != *other,
            (Some(_), None) => !self.bare || self.kind != As::Number,
            (None, _) => false,
        }
    }

    /// True if a value may be another one, or an identifier has its characters.
    fn holds(&self, one: &[Read], part: &[Read]) -> bool {
        match (one.last(), part.last()) {
            (Some(Read::Text(one)), Some(Read::Text(part))) if self.kind == As::Digits => one.contains(part.as_str()),
            _ => may_be(one, part),
        }
    }
}

/// The word behind a number, without the "s" of several.
fn counted(words: &Normalized, last: usize) -> Option<String> {
    let next = words.word(last + 1).filter(|next| next.kind == Kind::Word && next.pause == Pause::None)?;
    (!SMALL.contains(next.text)).then(|| next.text.trim_end_matches('s').to_owned())
}

/// "The copay is forty dollars. Can you come at nine?"
fn asks_of_another(said: &Normalized, end: usize) -> bool {
    /// The most words of the question.
    const FAR: usize = 16;
    let word = |at: usize| said.word(at);
    let last = said.len().saturating_sub(1);
    let begins = |at: &usize| word(*at).is_some_and(|word| word.pause >= Pause::Sentence);
    let asked = (end + 1..=last).rev().take(FAR).find(begins).filter(|_| said.asked_behind(last));
    let of_it =
        |at: usize| word(at).is_some_and(|word| matches!(word.text, "it" | "that" | "this" | "right" | "correct"));
    // "is there anything else"
    let closes = (end + 1..=last).rev().take(FAR).any(|at| word(at).is_some_and(|word| word.text == "else"));
    closes || asked.is_some_and(|from| !(from..=last).any(of_it))
}
