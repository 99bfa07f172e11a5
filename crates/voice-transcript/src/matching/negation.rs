//! How far a negation reaches.
//!
//! A negation (`data/negations.txt`) reaches from the word behind it to the end of its clause. A clause
//! ends at `. ! ? ;`, before the words listed in `data/clauses.txt`, and after a comma, dash, bracket or
//! change of turn where a new clause starts. After such a pause without a clear start the negation
//! reaches on when an "or" closes a list ("never your name, PIN or password"); otherwise it cannot be
//! told. What cannot be told is [`Said::Doubtful`]: it earns a required phrase nothing and excuses
//! no forbidden one.

use serde::{Deserialize, Serialize};

use crate::normalize::{Normalized, Pause};
use crate::tables::{CLAUSES, NEGATIONS};

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
}

/// What reaches one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) said: Said,
    /// The word the negation begins at; the word itself when there is none.
    pub(super) since: u32,
}

/// What reaches each word of a text.
pub(super) fn reaches(text: &Normalized) -> Vec<Reach> {
    let word = |at: usize| text.word(at).map(|word| word.text);
    let closed = closed_by_or(text);
    let mut found = Vec::with_capacity(text.len());
    let mut state: Option<Reach> = None;
    let mut aside = false;
    let mut skip = 0;
    for (at, current) in text.words().enumerate() {
        let next = word(at + 1);
        let starts = CLAUSES.starts.contains(current.text);
        let joined_start =
            CLAUSES.joins.contains(current.text) && next.is_some_and(|next| CLAUSES.starts.contains(next));
        let paused = matches!(current.pause, Pause::Short | Pause::Turn);
        let ends = current.pause == Pause::Sentence
            || joined_start
            || (paused && starts)
            || CLAUSES.ends.at(at, word).is_some();
        if ends {
            state = None;
            aside = false;
        } else if paused && (aside || current.text == "ever" || opens_aside(text, at, state)) {
            // "not, at this time, confirm", "never, ever ask": the clause goes on behind
            aside = !aside && current.text != "ever";
        } else if paused && let Some(reach) = &mut state {
            let list = closed.get(at).copied().unwrap_or_default() && !CLAUSES.perhaps_starts.contains(current.text);
            if !list {
                reach.said = Said::Doubtful;
            }
        }
        let here = u32::try_from(at).unwrap_or(u32::MAX);
        found.push(state.unwrap_or(Reach { said: Said::Plain, since: here }));
        if at < skip {
            continue;
        }
        if let Some(length) = NEGATIONS.harmless.at(at, word) {
            skip = at + length;
        } else if NEGATIONS.negates.at(at, word).is_some() && !is_answer(text, at) {
            state = Some(Reach { said: Said::Negated, since: here });
        }
    }
    found
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
    for at in (0..text.len()).rev() {
        let Some(word) = text.word(at) else { continue };
        let next_starts = text.word(at + 1).is_some_and(|next| CLAUSES.starts.contains(next.text));
        ahead |= matches!(word.text, "or" | "nor") && !next_starts;
        if let Some(place) = closed.get_mut(at) {
            *place = ahead;
        }
        if word.pause == Pause::Sentence {
            ahead = false;
        }
    }
    closed
}

/// Whether the word at `at` is a "no" that answers, rather than negates what follows.
fn is_answer(text: &Normalized, at: usize) -> bool {
    let Some(word) = text.word(at).filter(|word| word.text == "no") else {
        return false;
    };
    let Some(next) = text.word(at + 1) else { return true };
    let clause_start = at == 0 || word.pause != Pause::None;
    next.pause != Pause::None || (clause_start && NEGATIONS.answer_before.contains(next.text))
}

/// Whether a phrase that ends with the word at `last` is negated from behind: "it is | not".
pub(super) fn negated_behind(text: &Normalized, last: usize) -> bool {
    let auxiliary = text.word(last).is_some_and(|word| NEGATIONS.auxiliaries.contains(word.text));
    auxiliary && text.word(last + 1).is_some_and(|next| next.text == "not" && next.pause == Pause::None)
}
