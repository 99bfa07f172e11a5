//! Which ids were seen, in bounded memory.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};

/// A set of ids, kept as 64-bit hashes.
///
/// Two of a million different ids agree in their hash once in 30 million times; an id is then
/// wrongly said to come twice, and nothing is wrongly scored.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    hashes: HashSet<u64, BuildHasherDefault<AsIs>>,
    overflowed: bool,
}

impl Ids {
    /// The most ids kept: what fills a table of 2^21 places of nine bytes, 18 MiB.
    pub(crate) const LIMIT: usize = (1 << 21) / 8 * 7;

    pub(crate) fn insert(&mut self, id: &impl Hash) -> bool {
        let hash = hash(id);
        if self.hashes.len() < Self::LIMIT {
            return self.hashes.insert(hash);
        }
        self.overflowed = true;
        !self.hashes.contains(&hash)
    }

    pub(crate) fn contains(&self, id: &impl Hash) -> bool {
        self.hashes.contains(&hash(id))
    }

    /// True if an id was ever not kept.
    pub(crate) fn overflowed(&self) -> bool {
        self.overflowed
    }

    pub(crate) fn clear(&mut self) {
        // Clearing costs as much as the table is large, and a small task run after a large one
        // should not pay for it.
        if self.hashes.capacity() > 1024 {
            self.hashes = HashSet::default();
        } else {
            self.hashes.clear();
        }
    }
}

fn hash(id: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Hashes a number that is a hash already.
#[derive(Debug, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
