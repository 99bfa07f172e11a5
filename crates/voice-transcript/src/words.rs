//! Maps and sets over the words of our own tables: every word of a call is looked up in a score of them, and hardly ever there.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Deref;

/// A map of words. What cannot be in it by its first and last letter and its length is not looked up.
#[derive(Debug)]
pub(crate) struct WordMap<V> {
    filter: [u64; 64],
    map: HashMap<&'static str, V, BuildHasherDefault<WordHasher>>,
}

/// A set of words.
pub(crate) type WordSet = WordMap<()>;

/// The word's place in the filter: which of its words, and which bit.
fn place(word: &str) -> (usize, u64) {
    let bytes = word.as_bytes();
    let byte = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or_default());
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mixed = (byte(bytes.first()) | byte(bytes.last()) << 8 | length << 16).wrapping_mul(0x9e37_79b1) >> 20;
    ((mixed >> 6) as usize, 1 << (mixed & 63))
}

impl<V> WordMap<V> {
    fn may_hold(&self, word: &str) -> bool {
        let (index, bit) = place(word);
        self.filter.get(index).is_some_and(|bits| bits & bit != 0)
    }

    pub(crate) fn get(&self, word: &str) -> Option<&V> {
        if self.may_hold(word) { self.map.get(word) } else { None }
    }

    pub(crate) fn get_key_value(&self, word: &str) -> Option<(&'static str, &V)> {
        if self.may_hold(word) { self.map.get_key_value(word).map(|(key, value)| (*key, value)) } else { None }
    }

    pub(crate) fn contains_key(&self, word: &str) -> bool {
        self.get(word).is_some()
    }

    /// Whether a set holds the word.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.contains_key(word)
    }
}

/// What needs no word: its length, its entries.
impl<V> Deref for WordMap<V> {
    type Target = HashMap<&'static str, V, BuildHasherDefault<WordHasher>>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl<V> FromIterator<(&'static str, V)> for WordMap<V> {
    fn from_iter<I: IntoIterator<Item = (&'static str, V)>>(entries: I) -> Self {
        let map: HashMap<_, _, _> = entries.into_iter().collect();
        let mut filter = [0; 64];
        for word in map.keys() {
            let (index, bit) = place(word);
            if let Some(bits) = filter.get_mut(index) {
                *bits |= bit;
            }
        }
        Self { filter, map }
    }
}

impl FromIterator<&'static str> for WordSet {
    fn from_iter<I: IntoIterator<Item = &'static str>>(words: I) -> Self {
        words.into_iter().map(|word| (word, ())).collect()
    }
}

/// Eight bytes at a time: rotate, mix in, multiply. Nobody else chooses the keys, so they need no keyed hash.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0_u8; 8];
            for (place, byte) in word.iter_mut().zip(chunk) {
                *place = *byte;
            }
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        // the low bits choose the bucket, and a product's are its weakest
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_it_is_found() {
        let set: WordSet = ["a", "", "fifteen", "é"].into_iter().collect();
        assert!(["a", "", "fifteen", "é"].into_iter().all(|word| set.contains(word)));
        assert!(!set.contains("fifty") && !set.contains("b"));
        let map: WordMap<u32> = [("one", 1), ("two", 2)].into_iter().collect();
        assert_eq!((map.get("two"), map.get("owt"), map.len()), (Some(&2), None, 2));
    }
}
