//! Maps and sets over the words of our own tables: every word of a call is looked up in a score of them, and hardly ever there.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type WordMap<V> = HashMap<&'static str, V, BuildHasherDefault<WordHasher>>;

pub(crate) type WordSet = HashSet<&'static str, BuildHasherDefault<WordHasher>>;

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
