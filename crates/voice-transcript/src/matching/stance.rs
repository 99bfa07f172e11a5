//! Which words are stated: not asked, not under a condition, not hedged, not somebody else's words.

use crate::marks::Marks;
use crate::normalize::{Normalized, Pause};
use crate::tables::{CLAUSES, STANCE};

/// For each word whether it stands in a plain statement. Each marker of `data/stance.txt` reaches to the end of its clause;
/// a question is one from the beginning of its clause.
pub(super) fn stated(text: &Normalized) -> Vec<bool> {
    let mut stated = vec![true; text.len()];
    if !text.may_have(Marks::STANCE) && !text.asks() {
        return stated;
    }
    let word = |at: usize| text.word(at).map(|word| word.text);
    let (mut before, mut clause) = (0, 0);
    let mut kept = false;
    for (at, current) in text.words().enumerate() {
        let paused = matches!(current.pause, Pause::Short | Pause::Turn);
        let ends = || current.marks.any(Marks::ENDS) && CLAUSES.ends.at(at, word).is_some();
        if current.pause == Pause::Sentence || (paused && current.marks.any(Marks::STARTS)) || ends() {
            // a tag asks about the clause before its comma, but not about the sentence before
            before = if current.pause == Pause::Sentence { at } else { clause };
            clause = at;
            kept = false;
        }
        if let Some(place) = stated.get_mut(at) {
            *place = !kept;
        }
        let lists = [&STANCE.conditional, &STANCE.hedge, &STANCE.reported];
        kept |= current.marks.any(Marks::STANCE) && lists.into_iter().any(|list| list.at(at, word).is_some());
        if text.asked_behind(at) {
            let from = if is_tag(text, clause, at) { before } else { clause };
            for place in stated.iter_mut().take(at + 1).skip(from) {
                *place = false;
            }
        }
    }
    stated
}

/// Whether the words are a question at the end of a statement: "was it not", "is it", "does it", "right".
fn is_tag(text: &Normalized, first: usize, last: usize) -> bool {
    let word = |at: usize| text.word(at).map(|word| word.text).unwrap_or_default();
    let pronoun = |word: &str| matches!(word, "i" | "you" | "he" | "she" | "it" | "we" | "they" | "that" | "there");
    let auxiliary = text.marks_at(first).any(Marks::AUXILIARY);
    match last + 1 - first {
        1 => matches!(word(first), "right" | "correct" | "yes" | "ok" | "okay" | "no"),
        2 => auxiliary && pronoun(word(last)),
        3 => auxiliary && (pronoun(word(last)) || word(last) == "not"),
        _ => false,
    }
}
