//! Approximate sets of the groups of three bytes in a text: enough to see at once that a text does not contain a
//! phrase.

/// A set of groups of three bytes, in which some that are not there seem to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grams([u64; 8]);

impl Grams {
    pub(super) fn of(text: &str) -> Self {
        let mut words = [0_u64; 8];
        let mut gram = 0_u32;
        for (at, byte) in text.bytes().enumerate() {
            // the last three bytes
            gram = gram << 8 & 0x00ff_ff00 | u32::from(byte);
            if at < 2 {
                continue;
            }
            let bit = gram.wrapping_mul(0x9e37_79b1) >> 23;
            if let Some(word) = words.get_mut((bit >> 6) as usize) {
                *word |= 1 << (bit & 63);
            }
        }
        Self(words)
    }

    pub(super) fn may_hold(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own & other == *other)
    }
}
