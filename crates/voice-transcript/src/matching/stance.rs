//! Which words are stated: not asked, not under a condition, not hedged, not somebody else's words.

use crate::normalize::{Normalized, Pause};
use crate::tables::{CLAUSES, STANCE};

/// For each word whether it stands in a plain statement. Each marker of `data/stance.txt` reaches to the end of its clause;
/// a question is one from the beginning of its clause.
pub(super) fn stated(text: &Normalized) -> Vec<bool> {
    let mut stated = vec![true; text.len()];
    let word = |at: usize| text.word(at).map(|word| word.text);
    let mut clause = 0;
    let mut kept = false;
    for (at, current) in text.words().enumerate() {
        let paused = matches!(current.pause, Pause::Short | Pause::Turn);
        let starts = CLAUSES.starts.contains(current.text);
        if current.pause == Pause::Sentence || (paused && starts) || CLAUSES.ends.at(at, word).is_some() {
            clause = at;
            kept = false;
        }
        if let Some(place) = stated.get_mut(at) {
            *place = !kept;
        }
        let marker =
            [&STANCE.conditional, &STANCE.hedge, &STANCE.reported].into_iter().find_map(|list| list.at(at, word));
        kept |= marker.is_some();
        if text.asked_behind(at) {
            for place in stated.iter_mut().take(at + 1).skip(clause) {
                *place = false;
            }
        }
    }
    stated
}
