//! How far a negation reaches.
//!
//! A negation (`data/negations.txt`) reaches from the word behind it to the end of its clause
//! ([`super::clauses`]). Where a sentence is written without punctuation, it reaches eight words for sure. After a pause
//! without a clear start of a clause the negation reaches on when an "or" closes a list ("never your name, PIN or
//! password"); otherwise it cannot be told. What cannot be told is [`Said::Doubtful`]: it earns a required phrase nothing and excuses
//! no forbidden one.
//!
//! A negation that is asked about ("isn't it approved?", "you can not confirm it?") cannot be told either; "no nausea?" asks about its absence.

use serde::{Deserialize, Serialize};

use super::clauses::{Begins, Clauses};
use crate::marks::Marks;
use crate::normalize::{Kind, Normalized, Pause};
use crate::tables::{ASIDES, CLAUSES, NEGATIONS, NUMBERED, TAGS};

/// How a phrase was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Said as such.
    Plain,
    /// Said under a negation.
    Negated,
    /// It cannot be told whether a negation reaches it, or whether it is a part of a longer number.
    Doubtful,
    /// Said and taken back: another value was stated in its place.
    Corrected,
}

/// The reason why it is undecidable how a speaker meant something, as the end of a sentence.
pub(crate) mod doubt {
    pub(crate) const NEGATION: &str = "a negation may reach it";
    pub(crate) const TAKEN_BACK: &str = "it may have been taken back";
    pub(crate) const PART: &str = "it may be a part of a longer number";
    pub(crate) const HALF: &str = "it is not clear which half of the day is meant";
    pub(crate) const SPEAKER: &str = "who spoke it is not recorded";
    pub(crate) const LANGUAGE: &str = "its turn is in another language";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) said: Said,
    /// The word the negation begins at; the word itself when there is none.
    pub(super) since: u32,
    /// The last word of the negation where it stands behind.
    pub(super) until: Option<u32>,
}

impl Reach {
    fn plain(at: usize) -> Self {
        Self { said: Said::Plain, since: u32::try_from(at).unwrap_or(u32::MAX), until: None }
    }
}

/// The most words that a negation reaches for sure where nobody wrote punctuation.
const FAR: usize = 8;

pub(super) fn reaches(text: &Normalized, clauses: &Clauses) -> Vec<Reach> {
    if !text.may_have(Marks::NEGATES.and(Marks::NEXT_WORD).and(Marks::TAG).and(Marks::NO)) {
        return (0..text.len()).map(Reach::plain).collect();
    }
    let word = |at: usize| text.word(at).map(|word| word.text);
    let closed = closed_by_or(text);
    let mut found = Vec::with_capacity(text.len());
    let mut state: Option<Reach> = None;
    let mut aside = false;
    let mut skip = 0;
    // behind the words of the negation itself: "anything but" ends no clause
    let mut inside = 0;
    let mut clause = 0;
    let mut prefixed = false;
    let mut asked = false;
    // whether what negates is a verb of ending
    let mut ending = false;
    // the words behind a preposition that negates at the beginning of a clause
    let mut before_verb: Option<usize> = None;
    // where the sentence begins, and the one before it
    let (mut sentence, mut last_sentence) = (0, 0);
    for (at, current) in text.words().enumerate() {
        let marks = current.marks;
        let begins = clauses.begins(at);
        let pause = clauses.pause(at);
        let paused = matches!(pause, Pause::Short | Pause::Turn);
        let anew = ending
            && matches!(current.text, "and" | "then")
            && word(at + 1).is_some_and(|word| CLAUSES.anew.contains(word));
        let ends = begins >= Begins::Clause || anew || (begins == Begins::Bare && state.is_some());
        let short = matches!(current.pause, Pause::Short | Pause::Turn);
        if short && is_listed_aside(text, at) {
            aside = true;
        } else if ends && at >= inside {
            state = None;
            aside = false;
            clause = at;
            asked = false;
        } else if paused && (aside || current.text == "ever" || opens_aside(text, at, state)) {
            // "not, at this time, confirm", "never, ever ask": the clause goes on behind
            aside = !aside && current.text != "ever";
        } else if paused && let Some(reach) = &mut state {
            let closed = closed.get(at).copied().unwrap_or_default();
            let command = CLAUSES.perhaps_starts.contains(current.text);
            if command && !closed && is_command(text, clauses, at) {
                // "do not wait, call 911"
                (state, aside, clause, asked) = (None, false, at, false);
            } else if command || !closed {
                reach.said = Said::Doubtful;
            }
        }
        if pause == Pause::Sentence {
            (last_sentence, sentence) = (sentence, at);
        }
        if is_afterthought(text, sentence, at) {
            let from = if at == sentence { last_sentence } else { sentence };
            for reach in found.iter_mut().skip(from).filter(|reach: &&mut Reach| reach.said == Said::Plain) {
                reach.said = Said::Doubtful;
            }
        }
        let here = u32::try_from(at).unwrap_or(u32::MAX);
        let plain = match prefixed && pause == Pause::None && at > 0 {
            true => Reach { said: Said::Negated, since: here - 1, until: None },
            false => Reach::plain(at),
        };
        prefixed = marks.any(Marks::NEXT_WORD);
        let far = |reach: &Reach| at >= inside + FAR && reach.said == Said::Negated && clauses.is_open(at);
        if let Some(reach) = state.as_mut().filter(|reach| far(reach)) {
            reach.said = Said::Doubtful;
        }
        if state.is_none() || matches!(current.text, "that" | "which" | "who" | "whose") {
            before_verb = None;
        }
        if let Some(from) = before_verb.filter(|from| at > *from && is_finite(text, at)) {
            // "without authorization claims | are paid": it is not clear which of the nouns is its subject
            for reach in found.iter_mut().skip(from).filter(|reach: &&mut Reach| reach.said == Said::Negated) {
                reach.said = Said::Doubtful;
            }
            (state, before_verb) = (None, None);
        }
        found.push(state.unwrap_or(plain));
        if text.asked_behind(at) || is_inverted(text, clause, at) {
            // a negation that is asked about is none: "isn't it approved?"
            let verb = |reach: &&mut Reach| matches!(word(reach.since as usize), Some("not" | "never"));
            let negated = found.iter_mut().skip(clause).filter(|reach| reach.said == Said::Negated);
            for reach in negated.chain(state.as_mut()).filter(verb) {
                reach.said = Said::Doubtful;
            }
        }
        if at < skip {
            continue;
        }
        let harmless = || marks.any(Marks::HARMLESS).then(|| NEGATIONS.harmless.at(at, word)).flatten();
        let negates = || marks.any(Marks::NEGATES).then(|| NEGATIONS.negates.at(at, word)).flatten();
        let stops = || marks.any(Marks::NEGATES).then(|| NEGATIONS.ends.at(at, word)).flatten();
        if let Some(length) = harmless() {
            skip = at + length;
        } else if let Some((length, verb)) = negates()
            .filter(|_| !is_answer(text, at) && !is_number_sign(text, at))
            .map(|length| (length, false))
            .or_else(|| stops().map(|length| (length, true)))
        {
            inside = at + length;
            ending = verb;
            let asked = asked || is_inverted(text, clause, at + 1) || is_inverted(text, clause, at);
            // "never fail to pay", "nothing we will not pay": one takes the other back
            let twice = verb || NEGATIONS.again.contains(current.text);
            let joined = at.checked_sub(1).is_some_and(|at| text.marks_at(at).any(Marks::JOINS.and(Marks::OR)));
            let apart = |reach: Reach| current.text != "not" || (reach.since as usize) + 1 < at;
            let twice = twice && pause == Pause::None && !joined && state.is_some_and(apart);
            let said = if (asked && !verb) || twice { Said::Doubtful } else { Said::Negated };
            state = Some(Reach { said, since: here, until: None });
            before_verb = (at == clause && NEGATIONS.prepositions.contains(current.text)).then_some(inside);
        }
        if state.is_none() && is_unheard_verb(text, at) {
            state = Some(Reach { said: Said::Doubtful, since: here, until: None });
        }
        asked |= is_inverted(text, clause, at);
    }
    found
}

/// Checks if the word at an index is an auxiliary with a subject: not "to be", not "the need".
fn is_finite(text: &Normalized, at: usize) -> bool {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let infinitive = at.checked_sub(1).and_then(word) == Some("to");
    text.marks_at(at).any(Marks::AUXILIARY) && !infinitive && !matches!(word(at), Some("be" | "need"))
}

pub(super) fn is_subject(word: &str) -> bool {
    matches!(word, "i" | "you" | "he" | "she" | "it" | "we" | "they" | "that" | "this" | "there")
}

/// Whether the words up to the one at `at` open a negated question: "is not it …", "are you not …".
fn is_inverted(text: &Normalized, clause: usize, at: usize) -> bool {
    let word = |at: usize| text.word(at).map(|word| word.text).unwrap_or_default();
    let Some(first) = at.checked_sub(2).filter(|first| *first <= clause + 1 && *first >= clause) else { return false };
    let opens = || first == clause || CLAUSES.joins.contains(word(clause)) || matches!(word(clause), "well" | "but");
    text.marks_at(first).any(Marks::AUXILIARY)
        && opens()
        && ((word(first + 1) == "not" && is_subject(word(at))) || (is_subject(word(first + 1)) && word(at) == "not"))
}

/// Whether the word at `at` is a "not" that takes what was said before it back: "approved. Not.", "approved or not".
fn is_afterthought(text: &Normalized, sentence: usize, at: usize) -> bool {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let ends = text.word(at + 1).is_none_or(|next| next.pause != Pause::None);
    let alone = at == sentence && text.word(at + 1).is_none_or(|next| next.pause >= Pause::Turn);
    let or = at.checked_sub(1).and_then(word) == Some("or");
    word(at) == Some("not") && (alone || (or && ends))
}

/// Whether nobody understood what stands behind an auxiliary: it may have been a "not".
fn is_unheard_verb(text: &Normalized, at: usize) -> bool {
    if !text.marks_at(at).any(Marks::TAG) {
        return false;
    }
    let word = |at: usize| text.word(at).map(|word| word.text).unwrap_or_default();
    let unheard = word(at).strip_prefix('[').and_then(|tag| tag.strip_suffix(']')).and_then(|tag| TAGS.get(tag));
    unheard == Some(&true) && at.checked_sub(1).is_some_and(|before| NEGATIONS.auxiliaries.contains(word(before)))
}

/// Checks if the verb at `at` is a command: it has an object, and there is no other comma in its sentence.
fn is_command(text: &Normalized, clauses: &Clauses, at: usize) -> bool {
    /// The most words to read of its sentence, on either side.
    const FAR: usize = 40;
    let ends = |at: &usize| *at >= text.len() || clauses.pause(*at) >= Pause::Turn;
    let end = (at + 1..=at + FAR).find(ends);
    let start = (at.saturating_sub(FAR)..at).rev().find(|at| clauses.pause(*at) >= Pause::Turn).unwrap_or_default();
    let alone = |end: usize| (start + 1..end).all(|other| other == at || clauses.pause(other) == Pause::None);
    clauses.pause(at + 1) == Pause::None && at + 1 < text.len() && end.is_some_and(alone)
}

/// Whether a listed aside (", you know,", ", honestly,") stands at `at`, and a pause behind it.
fn is_listed_aside(text: &Normalized, at: usize) -> bool {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let length = ASIDES.at(at, word).or_else(|| CLAUSES.asides.at(at, word));
    let behind = length.and_then(|length| text.word(at + length));
    behind.is_some_and(|word| matches!(word.pause, Pause::Short | Pause::Turn))
}

/// Whether the pause before the word at `at` opens an aside: the negation stands right before it and
/// another pause closes it in the same sentence. A long search would find no aside.
fn opens_aside(text: &Normalized, at: usize, state: Option<Reach>) -> bool {
    const LONGEST_ASIDE: usize = 8;
    let right_behind = state.is_some_and(|reach| reach.said == Said::Negated && reach.since as usize + 1 == at);
    right_behind
        && (at + 1..=at + LONGEST_ASIDE)
            .map_while(|at| text.word(at))
            .map(|word| word.pause)
            .find(|pause| *pause != Pause::None)
            == Some(Pause::Short)
}

/// For each word whether an "or" or "nor" that starts no clause follows in its sentence.
fn closed_by_or(text: &Normalized) -> Vec<bool> {
    let mut closed = vec![false; text.len()];
    let mut ahead = false;
    if !text.may_have(Marks::OR) {
        return closed;
    }
    for at in (0..text.len()).rev() {
        let Some(word) = text.word(at) else { continue };
        ahead |= word.marks.any(Marks::OR) && !text.marks_at(at + 1).any(Marks::STARTS);
        if let Some(place) = closed.get_mut(at) {
            *place = ahead;
        }
        if word.pause == Pause::Sentence {
            ahead = false;
        }
    }
    closed
}

/// Checks if the word at `at` is the "no" of a number: "claim no 4471 will be paid", not "has no 2 copies".
fn is_number_sign(text: &Normalized, at: usize) -> bool {
    let numeric = |at: usize| text.word(at).is_some_and(|word| word.kind == Kind::Number);
    let joined = |at: usize| text.word(at).is_some_and(|word| word.pause == Pause::None);
    let Some(before) = at.checked_sub(1).and_then(|before| text.word(before)) else { return false };
    if text.word(at).is_none_or(|word| word.text != "no") || !joined(at) || !joined(at + 1) || !numeric(at + 1) {
        return false;
    }
    let behind = (at + 1..text.len()).find(|next| !numeric(*next) || !joined(*next));
    let word = behind.filter(|at| joined(*at)).and_then(|at| text.word(at));
    let alone = word.is_none_or(|word| {
        word.marks.any(Marks::AUXILIARY) || CLAUSES.verbs.contains(word.text) || CLAUSES.no_subject.contains(word.text)
    });
    let verb = before.marks.any(Marks::AUXILIARY)
        || [&CLAUSES.verbs, &CLAUSES.no_subject, &CLAUSES.takes].iter().any(|set| set.contains(before.text));
    before.kind == Kind::Word && (NUMBERED.contains(before.text) || (alone && !verb))
}

/// Whether the word at `at` is a "no" that answers, rather than negates what follows.
fn is_answer(text: &Normalized, at: usize) -> bool {
    let Some(word) = text.word(at).filter(|word| word.text == "no") else {
        return false;
    };
    let Some(next) = text.word(at + 1) else { return true };
    let clause_start = at == 0
        || word.pause != Pause::None
        || text.word(at - 1).is_some_and(|before| CLAUSES.openers.contains(before.text));
    next.pause != Pause::None || (clause_start && NEGATIONS.answer_before.contains(next.text))
}

/// The last word of what negates a phrase that ends with the word at `last` from behind: "it is | not", "approved | it is not".
pub(super) fn negated_behind(text: &Normalized, last: usize) -> Option<usize> {
    let auxiliary = text.marks_at(last).any(Marks::AUXILIARY);
    let next = last + 1;
    let joined = text.word(next).is_some_and(|next| next.pause == Pause::None);
    let word = |at: usize| text.word(at).map(|word| word.text);
    if joined && auxiliary && word(next) == Some("not") {
        return Some(next);
    }
    let inverted = word(next).is_some_and(is_subject)
        && text.marks_at(next + 1).any(Marks::AUXILIARY)
        && word(next + 2) == Some("not")
        && text.word(next + 3).is_none_or(|word| word.pause >= Pause::Turn)
        && (next..=next + 2).all(|at| text.word(at).is_some_and(|word| word.pause <= Pause::Short));
    match NEGATIONS.behind.at(next, word).filter(|_| joined) {
        Some(length) => Some(next + length - 1),
        None => inverted.then_some(next + 2),
    }
}
