//! Words that sound the same: a phonetic key for English and for the names of drugs.

use std::sync::OnceLock;

use crate::tables::{DISTINCT, HOMOPHONES, OPPOSITES};

/// The shortest word that is compared by its key. In shorter ones the vowels tell too much ("left", "loft").
const SHORTEST: usize = 5;

/// A word and how it sounds, made once for any number of comparisons.
#[derive(Debug)]
pub(super) struct Sound {
    pub(super) text: String,
    homophone: Option<&'static str>,
    /// Made for the first word that may have the same: most words of a call meet none.
    keys: OnceLock<Box<Keys>>,
}

#[derive(Debug)]
struct Keys {
    key: String,
    skeleton: String,
}

impl Sound {
    pub(super) fn of(text: String) -> Self {
        Self { homophone: HOMOPHONES.get(&*text).copied(), keys: OnceLock::new(), text }
    }

    /// `None` for a word that is not compared by them.
    fn keys(&self) -> Option<&Keys> {
        let keys = || Box::new(Keys { key: key(&self.text), skeleton: skeleton(&self.text) });
        let long = self.text.len() >= SHORTEST && self.text.is_ascii();
        long.then(|| self.keys.get_or_init(keys).as_ref())
    }

    /// True if two different words are listed homophones, one is the plural of the other, or both have one key. False
    /// if they differ by a prefix that turns the meaning ("hyper", "hypo"; "un").
    pub(super) fn sounds_like(&self, other: &Self) -> bool {
        let homophones = self.homophone.is_some() && self.homophone == other.homophone;
        let plural = |one: &str, other: &str| one.strip_suffix('s') == Some(other) && other.len() > 2;
        let same = |one: &Keys, other: &Keys| one.key == other.key || one.skeleton == other.skeleton;
        let (one, other_text) = (self.text.as_str(), other.text.as_str());
        (homophones || self.is_near(other, 2, same) || plural(one, other_text) || plural(other_text, one))
            && !is_opposite(one, other_text)
    }

    /// True if one word is a misspelling of the other: the consonants are the same, in one order, and so is the first
    /// letter.
    pub(super) fn is_misspelt(&self, other: &Self) -> bool {
        self.is_near(other, 1, |one, other| one.skeleton == other.skeleton)
    }

    /// True if the lengths differ by `most` bytes at most, the words begin alike, their keys are the same, and no table
    /// tells them apart.
    fn is_near(&self, other: &Self, most: usize, same: impl Fn(&Keys, &Keys) -> bool) -> bool {
        let vowel = |word: &str| word.bytes().next().filter(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u'));
        let (one, other_text) = (self.text.as_str(), other.text.as_str());
        let distinct = |pair: &(&str, &str)| *pair == (one, other_text) || *pair == (other_text, one);
        one.len().abs_diff(other_text.len()) <= most
            && vowel(one) == vowel(other_text)
            && may_share_keys(one, other_text)
            && self.keys().zip(other.keys()).is_some_and(|(one, other)| same(one, other))
            && !DISTINCT.iter().any(distinct)
    }
}

/// If false, neither keys nor skeletons are the same: a skeleton begins with the first letter, a key with the first sound.
pub(super) fn may_share_keys(one: &str, other: &str) -> bool {
    one.as_bytes().first() == other.as_bytes().first() || sound_at(one, 0).0 == sound_at(other, 0).0
}

/// The word's first letter and its other consonants, each once, with one mark for every run of vowels: what misspellings of
/// it share ("recieved", "denyed", "aproved").
pub(super) fn skeleton(word: &str) -> String {
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

pub(super) fn key(word: &str) -> String {
    let mut key = String::new();
    let mut index = 0;
    while index < word.len() {
        let (sound, taken) = sound_at(word, index);
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

/// The sound at a byte of a word, and the number of bytes that make it.
fn sound_at(word: &str, index: usize) -> (&str, usize) {
    let at = |index: usize| word.as_bytes().get(index).copied().unwrap_or_default();
    let (byte, next) = (at(index), at(index + 1));
    let first = index == 0;
    let soft = matches!(next, b'e' | b'i' | b'y');
    match (byte, next) {
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
    }
}
