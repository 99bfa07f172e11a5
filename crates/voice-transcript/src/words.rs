//! Maps and sets over the words of our own tables: every word of a call is looked up in a score of them, and hardly ever there.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Deref;

/// A map of words. What cannot be in it by its first two and its last byte and its length is not looked up.
#[derive(Debug)]
pub(crate) struct WordMap<V> {
    filter: [u64; FILTER],
    map: HashMap<&'static str, V, BuildHasherDefault<WordHasher>>,
}

pub(crate) type WordSet = WordMap<()>;

/// The numbers of the filter: enough for the largest table to leave most of it empty.
const FILTER: usize = 256;

/// The word's place in the filter: which of its words, and which bit.
fn place(word: &str) -> (usize, u64) {
    let bytes = word.as_bytes();
    let byte = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or_default());
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let ends = byte(bytes.first()) | byte(bytes.get(1)) << 8 | byte(bytes.last()) << 16;
    let mixed = (ends ^ length.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1) >> 18;
    ((mixed >> 6) as usize, 1 << (mixed & 63))
}

impl<V> WordMap<V> {
    pub(crate) fn get(&self, word: &str) -> Option<&V> {
        let (index, bit) = place(word);
        let may_hold = self.filter.get(index).is_some_and(|bits| bits & bit != 0);
        if may_hold { self.map.get(word) } else { None }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.map.keys().copied()
    }

    pub(crate) fn contains(&self, word: &str) -> bool {
        self.get(word).is_some()
    }
}

/// Gives the methods that take no word: the length, the entries.
impl<V> Deref for WordMap<V> {
    type Target = HashMap<&'static str, V, BuildHasherDefault<WordHasher>>;

    fn deref(&self) -> &Self::Target {
        &self.map
    }
}

impl<V> FromIterator<(&'static str, V)> for WordMap<V> {
    fn from_iter<I: IntoIterator<Item = (&'static str, V)>>(entries: I) -> Self {
        let map: HashMap<_, _, _> = entries.into_iter().collect();
        let mut filter = [0; FILTER];
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

/// Eight bytes at a time: rotate, mix in, multiply. The keys come only from the tables, so they need no keyed hash.
#[derive(Default)]
pub(crate) struct WordHasher(u64);

impl WordHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            self.mix(u64::from_le_bytes(*eight));
        }
        self.mix(rest.iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.0 ^= u64::from(byte);
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
