//! Phrases that a recognizer misheard: words aligned with a cost.
//!
//! The similarity is one less the cost per word of the phrase. A word costs nothing where it is the same, a tenth where it
//! sounds the same or is misspelled ([`super::sound`]), is written in two words or is its plural; a small word
//! (`data/common.txt`) that is missing or added costs one, a filler (`data/fillers.txt`) that was added a twentieth.
//! **A content word is never another one**, nor missing, nor added.
//! **Fifteen is never fifty**: numbers, single letters, negations and the words of `data/critical.txt` (units, routes, sides,
//! days, months) are the same on both sides and in the same order, or the phrase was not said. A word that the task adds is
//! itself, misspelled, or written in two. Words of one group of its homophones cost a tenth.

use std::ops::Deref;
use std::sync::OnceLock;

use super::sound::Sound;
use crate::normalize::{Cut, Kind, Normalized, Vocabulary, Word};
use crate::tables::{CRITICAL, FILLERS, NEGATIONS, SMALL, STANCE};

/// Costs are counted in hundredths.
const WHOLE: u32 = 100;
const CLOSE: u32 = 10;
const FILLER: u32 = 5;
const NEVER: u32 = u32::MAX / 4;

/// A text, and its words for fuzzy phrases: made when the first is compared, once for any number of texts or phrases.
#[derive(Debug)]
pub(super) struct Sounded {
    text: Normalized,
    items: OnceLock<Items>,
}

impl From<Normalized> for Sounded {
    fn from(text: Normalized) -> Self {
        Self { text, items: OnceLock::new() }
    }
}

impl Deref for Sounded {
    type Target = Normalized;

    fn deref(&self) -> &Normalized {
        &self.text
    }
}

/// The places of a phrase: their first and last words, from left to right, without overlaps. `threshold` is in hundredths.
pub(super) fn find(
    text: &Sounded,
    phrase: &Sounded,
    vocabulary: &Vocabulary,
    threshold: u32,
) -> Vec<(usize, usize, Cut)> {
    let [heard, phrase] = [text, phrase].map(|side| side.items.get_or_init(|| Items::of(side, vocabulary)));
    let (items, needle) = (&heard.words, &phrase.words);
    let length = u32::try_from(needle.len()).unwrap_or(u32::MAX);
    let most = length.saturating_mul(WHOLE.saturating_sub(threshold));
    let mut found = Vec::new();
    // A row per word of the text: the least cost of aligning the first words of the phrase with words that end there, and
    // where they begin.
    let blank = |at: usize| -> Vec<(u32, usize)> {
        let missing = needle.iter().scan(0_u32, |total, item| {
            *total = total.saturating_add(item.missing()).min(NEVER);
            Some((*total, at))
        });
        std::iter::once((0, at)).chain(missing).collect()
    };
    for window in windows(heard, phrase) {
        let mut free_from = window.start;
        let (mut before_last, mut last, mut row) = (blank(free_from), blank(free_from), blank(free_from));
        let mut pending: Option<(u32, usize, usize)> = None;
        for (at, item) in items.iter().enumerate().take(window.end).skip(window.start) {
            if let Some(first) = row.first_mut() {
                *first = (0, at + 1);
            }
            for (before, wanted) in needle.iter().enumerate() {
                let cell = |row: &[(u32, usize)], column: usize| row.get(column).copied().unwrap_or((NEVER, at));
                let plus = |(cost, start): (u32, usize), more: u32| (cost.saturating_add(more).min(NEVER), start);
                let mut best = plus(cell(&row, before), wanted.missing());
                if before > 0 {
                    best = best.min(plus(cell(&last, before + 1), item.added()));
                    best = best.min(plus(cell(&last, before - 1), phrase.joined(before, item)));
                }
                best = best.min(plus(cell(&last, before), wanted.cost(item)));
                best = best.min(plus(cell(&before_last, before), heard.joined(at, wanted)));
                if let Some(place) = row.get_mut(before + 1) {
                    *place = best;
                }
            }
            let (cost, start) = row.last().copied().unwrap_or((NEVER, at));
            if cost <= most
                && (free_from..=at).contains(&start)
                && pending.is_none_or(|(least, first, _)| cost < least && start < first + needle.len() * 2)
            {
                pending = Some((cost, start, at));
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
    }
    found
}

/// The parts of a text that may contain the phrase: those around its longest required word. The whole text without such a
/// word.
fn windows(heard: &Items, phrase: &Items) -> Vec<std::ops::Range<usize>> {
    let (items, needle) = (&heard.words, &phrase.words);
    let must = needle.iter().enumerate().filter(|(_, item)| item.missing() == NEVER);
    let Some((at, word)) = must.max_by_key(|(_, item)| item.heard.text.len()) else {
        return std::iter::once(0..items.len()).collect();
    };
    let reach = needle.len() * 3 + 2;
    let mut windows: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let here = word.cost(item) < NEVER
            || heard.joined(index, word) < NEVER
            || phrase.joined(at, item) < NEVER
            || phrase.joined(at + 1, item) < NEVER;
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

#[derive(Debug)]
struct Items {
    words: Vec<Item>,
    /// Each word together with the one before it as one, made for the first word that may be heard as both.
    pairs: Vec<OnceLock<Box<Sound>>>,
}

impl Items {
    fn of(text: &Normalized, vocabulary: &Vocabulary) -> Self {
        let words: Vec<Item> = text.words().map(|word| Item::of(&word, vocabulary)).collect();
        let pairs = words.iter().map(|_| OnceLock::new()).collect();
        Self { words, pairs }
    }

    /// The cost of a word that is heard as two, the second of them at an index.
    fn joined(&self, at: usize, word: &Item) -> u32 {
        let pair = || Some((self.words.get(at.checked_sub(1)?)?, self.words.get(at)?, self.pairs.get(at)?));
        let Some((first, second, pair)) = pair() else { return NEVER };
        let (one, other, text) = (&first.heard.text, &second.heard.text, &word.heard.text);
        let near = text.len() >= SHORTEST_JOINED && (one.len() + other.len()).abs_diff(text.len()) <= 2;
        if !near || first.critical || second.critical {
            return NEVER;
        }
        let same = text.strip_prefix(one.as_str()) == Some(other.as_str());
        // "a typical" is not "atypical"
        if same && matches!(one.as_str(), "a" | "in") && other.len() >= LONG {
            return NEVER;
        }
        let sound = || Box::new(Sound::of(format!("{one}{other}")));
        let alike =
            if word.critical { same && word.own } else { same || pair.get_or_init(sound).sounds_like(&word.heard) };
        if alike { CLOSE } else { NEVER }
    }
}

/// The words, when no number is cut in two at either end.
fn whole(text: &Normalized, first: usize, last: usize) -> Option<(usize, usize, Cut)> {
    let cut = text.cut_at(first).min(text.end_at(last));
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
/// The shortest word that a negating "a" or "in" is not joined to; shorter pairs are one word ("a mount").
const LONG: usize = 6;

#[derive(Debug)]
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
        if self.filler && !self.critical { FILLER } else { self.missing() }
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
}
