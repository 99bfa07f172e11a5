//! Phrases that a recognizer misheard: words aligned with a cost.
//!
//! The similarity is one less the cost per word of the phrase. A word costs nothing where it is the same, a tenth where it
//! sounds the same or is misspelled ([`super::sound`]), is written in two words or is its plural; a small word
//! (`data/common.txt`) that is missing or added costs one, a filler (`data/fillers.txt`) that was added a twentieth.
//! **A content word is never another one**, nor missing, nor added.
//! **Fifteen is never fifty**: numbers, single letters, negations and the words of `data/critical.txt` (units, routes, sides,
//! days, months) are the same on both sides and in the same order, or the phrase was not said. A word that the task adds is
//! itself, misspelled, or written in two. Words of one group of its homophones cost a tenth.

use super::sound::Sound;
use crate::normalize::{Cut, Kind, Normalized, Vocabulary, Word};
use crate::tables::{CRITICAL, FILLERS, NEGATIONS, SMALL, STANCE};

/// Costs are counted in hundredths.
const WHOLE: u32 = 100;
const CLOSE: u32 = 10;
const FILLER: u32 = 5;
const NEVER: u32 = u32::MAX / 4;

/// The places of a phrase: their first and last words, from left to right, without overlaps. `threshold` is in hundredths.
pub(super) fn find(text: &Normalized, items: &Items, phrase: &Items, threshold: u32) -> Vec<(usize, usize, Cut)> {
    let Items { words: items, pairs } = items;
    let Items { words: needle, pairs: needle_pairs } = phrase;
    let windows = windows(items, pairs, needle, needle_pairs);
    let length = u32::try_from(needle.len()).unwrap_or(u32::MAX);
    let most = length.saturating_mul(WHOLE.saturating_sub(threshold));
    let mut found = Vec::new();
    // A row per word of the text: the least cost of aligning the first words of the phrase with words that end there, and
    // where they begin.
    let columns = needle.len() + 1;
    let blank = |at: usize| -> Vec<(u32, usize)> {
        let mut total = 0_u32;
        let mut row = vec![(0, at)];
        for item in needle {
            total = total.saturating_add(item.missing()).min(NEVER);
            row.push((total, at));
        }
        row
    };
    let (mut before_last, mut last, mut row) = (blank(0), blank(0), blank(0));
    let mut free_from = 0;
    let mut pending: Option<(u32, usize, usize)> = None;
    let places = windows.into_iter().flat_map(|window| {
        let from = window.start;
        window.filter_map(move |at| Some((at, at == from, items.get(at)?)))
    });
    for (at, begins, item) in places {
        if begins && at > 0 {
            found.extend(pending.take().and_then(|(_, first, end)| whole(text, first, end)));
            (before_last, last, row) = (blank(at), blank(at), blank(at));
            free_from = at;
        }
        if let Some(first) = row.first_mut() {
            *first = (0, at + 1);
        }
        for column in 1..columns {
            let Some(wanted) = needle.get(column - 1) else { break };
            let cell = |row: &[(u32, usize)], column: usize| row.get(column).copied().unwrap_or((NEVER, at));
            let plus = |(cost, start): (u32, usize), more: u32| (cost.saturating_add(more).min(NEVER), start);
            let mut best = plus(cell(&row, column - 1), wanted.missing());
            if column > 1 {
                best = best.min(plus(cell(&last, column), item.added()));
            }
            best = best.min(plus(cell(&last, column - 1), wanted.cost(item)));
            if let Some(Some(pair)) = pairs.get(at) {
                best = best.min(plus(cell(&before_last, column - 1), wanted.joined(pair)));
            }
            if let Some(Some(pair)) = needle_pairs.get(column - 1) {
                best = best.min(plus(cell(&last, column - 2), item.joined(pair)));
            }
            if let Some(place) = row.get_mut(column) {
                *place = best;
            }
        }
        let (cost, start) = row.last().copied().unwrap_or((NEVER, at));
        if cost <= most && start >= free_from && start <= at {
            let better = pending.is_none_or(|(least, first, _)| cost < least && start < first + needle.len() * 2);
            if better {
                pending = Some((cost, start, at));
            }
        }
        if let Some((_, first, end)) = pending
            && at >= end + needle.len()
        {
            found.extend(whole(text, first, end));
            free_from = end + 1;
            pending = None;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    found.extend(pending.and_then(|(_, first, end)| whole(text, first, end)));
    found
}

/// The parts of a text that may contain the phrase: those around its longest required word. The whole text without such a
/// word.
fn windows(
    items: &[Item],
    pairs: &[Option<Sound>],
    needle: &[Item],
    needle_pairs: &[Option<Sound>],
) -> Vec<std::ops::Range<usize>> {
    let must = needle.iter().enumerate().filter(|(_, item)| item.missing() == NEVER);
    let Some((at, word)) = must.max_by_key(|(_, item)| item.heard.text.len()) else {
        return std::iter::once(0..items.len()).collect();
    };
    let reach = needle.len() * 3 + 2;
    let joined = |at: usize, item: &Item| {
        needle_pairs.get(at).and_then(Option::as_ref).is_some_and(|pair| item.joined(pair) < NEVER)
    };
    let mut windows: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let here = word.cost(item) < NEVER
            || pairs.get(index).and_then(Option::as_ref).is_some_and(|pair| word.joined(pair) < NEVER)
            || joined(at, item)
            || joined(at + 1, item);
        if !here {
            continue;
        }
        let window = index.saturating_sub(reach)..(index + reach).min(items.len());
        match windows.last_mut() {
            Some(last) if last.end >= window.start => last.end = window.end,
            _ => windows.push(window),
        }
    }
    windows
}

/// The words of a text, ready to be compared: made once for any number of phrases.
pub(super) struct Items {
    words: Vec<Item>,
    /// Each word together with the one before it as one, where either may be heard otherwise.
    pairs: Vec<Option<Sound>>,
}

impl Items {
    pub(super) fn of(text: &Normalized, vocabulary: &Vocabulary) -> Self {
        let words: Vec<Item> = text.words().map(|word| Item::of(&word, vocabulary)).collect();
        let pair = |(one, other): (&Item, &Item)| {
            let open = !one.critical && !other.critical;
            open.then(|| Sound::of(format!("{}{}", one.heard.text, other.heard.text)))
        };
        let before = words.iter().zip(words.iter().skip(1));
        let pairs = std::iter::once(None).chain(before.map(pair)).collect();
        Self { words, pairs }
    }
}

/// The words, when no number is cut in two at either end.
fn whole(text: &Normalized, first: usize, last: usize) -> Option<(usize, usize, Cut)> {
    let cut = text.cut_at(first).min(text.cut_at(last + 1));
    (cut != Cut::Never).then_some((first, last, cut))
}

fn negates(word: &str) -> bool {
    NEGATIONS.negates.at(0, |at| (at == 0).then_some(word)).is_some()
}

/// True if a fuzzy match never takes another word for this one: a negation, a day, a word of `data/critical.txt`.
pub(crate) fn is_never_exchanged(word: &str) -> bool {
    negates(word)
        || CRITICAL.contains(word)
        || NEGATIONS.next_word.contains(word)
        || STANCE.days.contains(word)
        || STANCE.months.contains(word)
}

/// The shortest word that may be heard as two.
const SHORTEST_JOINED: usize = 4;

struct Item {
    heard: Sound,
    critical: bool,
    /// A word of `data/critical.txt`, or of the task.
    named: bool,
    /// A word of the task.
    own: bool,
    /// The group of the task's homophones that holds it.
    group: Option<usize>,
    filler: bool,
    /// It carries no meaning of its own.
    small: bool,
}

impl Item {
    fn of(word: &Word<'_>, vocabulary: &Vocabulary) -> Self {
        let plain = word.kind == Kind::Word || matches!(word.text, "a" | "i");
        let own = vocabulary.words.contains(word.text);
        Self {
            heard: Sound::of(word.text.to_owned()),
            critical: !plain || own || is_never_exchanged(word.text),
            named: (own || CRITICAL.contains(word.text)) && !negates(word.text),
            own,
            group: vocabulary.homophones.get(word.text).copied(),
            filler: FILLERS.contains(word.text),
            small: SMALL.contains(word.text) || FILLERS.contains(word.text),
        }
    }

    fn missing(&self) -> u32 {
        if self.critical || !self.small { NEVER } else { WHOLE }
    }

    fn added(&self) -> u32 {
        match (self.critical, self.filler) {
            (true, _) => NEVER,
            (_, true) => FILLER,
            _ if self.small => WHOLE,
            _ => NEVER,
        }
    }

    fn cost(&self, other: &Self) -> u32 {
        if self.heard.text == other.heard.text {
            0
        } else if self.group.is_some() && self.group == other.group {
            CLOSE
        } else if self.critical || other.critical {
            // a misspelling of the word itself, and of no number
            let named = (self.named || other.named) && !(self.own && other.own);
            if named && self.heard.is_misspelt(&other.heard) { CLOSE } else { NEVER }
        } else if self.heard.sounds_like(&other.heard) || (self.is_article() && other.is_article()) {
            CLOSE
        } else {
            NEVER
        }
    }

    fn is_article(&self) -> bool {
        matches!(self.heard.text.as_str(), "a" | "an" | "the")
    }

    fn joined(&self, pair: &Sound) -> u32 {
        let length = self.heard.text.len();
        let critical = self.critical && !(self.own && pair.text == self.heard.text);
        if critical || length < SHORTEST_JOINED || pair.text.len().abs_diff(length) > 2 {
            return NEVER;
        }
        if pair.text == self.heard.text || pair.sounds_like(&self.heard) { CLOSE } else { NEVER }
    }
}
