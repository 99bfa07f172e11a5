//! Words that sound the same: a phonetic key for English and for the names of drugs.

use crate::tables::{DISTINCT, HOMOPHONES, OPPOSITES};

/// The shortest word that is compared by its key. In shorter ones the vowels tell too much ("left", "loft").
const SHORTEST: usize = 5;

/// A word and how it sounds, made once for any number of comparisons.
pub(super) struct Sound {
    pub(super) text: String,
    homophone: Option<&'static str>,
    key: Option<String>,
    skeleton: Option<String>,
}

impl Sound {
    pub(super) fn of(text: String) -> Self {
        let long = text.len() >= SHORTEST && text.is_ascii();
        Self {
            homophone: HOMOPHONES.get(&text).copied(),
            key: long.then(|| key(&text)),
            skeleton: long.then(|| skeleton(&text)),
            text,
        }
    }

    /// True if two different words are listed homophones, one is the plural of the other, or both have one key. False
    /// if they differ by a prefix that turns the meaning ("hyper", "hypo"; "un").
    pub(super) fn sounds_like(&self, other: &Self) -> bool {
        let homophones = self.homophone.is_some() && self.homophone == other.homophone;
        let plural = |one: &str, other: &str| one.strip_suffix('s') == Some(other) && other.len() > 2;
        let same = (self.key.is_some() && self.key == other.key) || self.has_skeleton_of(other);
        let (one, other_text) = (self.text.as_str(), other.text.as_str());
        (homophones || (same && self.is_near(other, 2)) || plural(one, other_text) || plural(other_text, one))
            && !is_opposite(one, other_text)
    }

    /// True if one word is a misspelling of the other: the consonants are the same, in one order, and so is the first
    /// letter.
    pub(super) fn is_misspelt(&self, other: &Self) -> bool {
        self.has_skeleton_of(other) && self.is_near(other, 1)
    }

    fn has_skeleton_of(&self, other: &Self) -> bool {
        self.skeleton.is_some() && self.skeleton == other.skeleton
    }

    /// True if the lengths differ by `most` bytes at most, the words begin alike, and no table tells them apart.
    fn is_near(&self, other: &Self, most: usize) -> bool {
        let vowel = |word: &str| word.bytes().next().filter(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u'));
        let (one, other) = (self.text.as_str(), other.text.as_str());
        let distinct = |pair: &(&str, &str)| *pair == (one, other) || *pair == (other, one);
        one.len().abs_diff(other.len()) <= most && vowel(one) == vowel(other) && !DISTINCT.iter().any(distinct)
    }
}

/// The word's first letter and its other consonants, each once, with one mark for every run of vowels: what misspellings of
/// it share ("recieved", "denyed", "aproved").
fn skeleton(word: &str) -> String {
    let mut skeleton = String::new();
    let mut last = ' ';
    for (index, letter) in word.chars().enumerate() {
        let vowel = index > 0 && matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
        let mark = if vowel { '*' } else { letter };
        if mark != last {
            skeleton.push(mark);
        }
        last = mark;
    }
    skeleton
}

/// True if the words differ by a pair of prefixes only.
pub(crate) fn is_opposite(one: &str, other: &str) -> bool {
    let differ = |one: &str, other: &str| {
        OPPOSITES.iter().any(|(first, second)| {
            let rest = one.strip_prefix(first);
            rest.is_some() && rest == other.strip_prefix(second)
        })
    };
    differ(one, other) || differ(other, one)
}

fn key(word: &str) -> String {
    let bytes = word.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let mut key = String::new();
    let mut index = 0;
    while index < bytes.len() {
        let (byte, next) = (at(index), at(index + 1));
        let first = index == 0;
        let soft = matches!(next, b'e' | b'i' | b'y');
        let (sound, taken) = match (byte, next) {
            (b'k', b'n') | (b'g', b'n') if first => ("n", 2),
            (b'p', b's') if first => ("s", 2),
            (b'w', b'r') if first => ("r", 2),
            (b'p', b'h') => ("f", 2),
            (b's', b'h') => ("x", 2),
            (b's', b'c') if matches!(at(index + 2), b'e' | b'i' | b'y') => ("s", 2),
            (b'c', b'h') => ("c", 2),
            (b't', b'h') => ("0", 2),
            (b't', b'i') if matches!(at(index + 2), b'o' | b'a') => ("x", 2),
            (b'c', b'k') => ("k", 2),
            (b'g', b'h') if !first => ("", 2),
            (b'c', _) if soft => ("s", 1),
            (b'c' | b'k' | b'q', _) => ("k", 1),
            (b'x', _) if first => ("s", 1),
            (b'x', _) => ("ks", 1),
            (b'z' | b's', _) => ("s", 1),
            (b'g', _) if soft => ("j", 1),
            (b'a' | b'e' | b'i' | b'o' | b'u' | b'y', _) => ("a", 1),
            (b'w' | b'h', _) if !first => ("", 1),
            _ => (word.get(index..index + 1).unwrap_or_default(), 1),
        };
        if !key.ends_with(sound) || sound.is_empty() {
            key.push_str(sound);
        }
        index += taken;
    }
    // a silent e at the end
    if word.ends_with('e') && key.ends_with('a') && key.len() > 1 {
        key.pop();
    }
    key
}
