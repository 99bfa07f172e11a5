//! Sets of resources of one type, by their rank among them.

/// Which of the first `len` ranks are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    words: Vec<u64>,
    len: usize,
}

impl Set {
    pub(crate) fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    pub(crate) fn all(len: usize) -> Self {
        let mut set = Self { words: vec![u64::MAX; len.div_ceil(64)], len };
        set.trim();
        set
    }

    fn trim(&mut self) {
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.len % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn insert(&mut self, rank: usize) {
        if rank < self.len
            && let Some(word) = self.words.get_mut(rank / 64)
        {
            *word |= 1 << (rank % 64);
        }
    }

    pub(crate) fn contains(&self, rank: usize) -> bool {
        self.words.get(rank / 64).is_some_and(|word| word >> (rank % 64) & 1 == 1)
    }

    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(crate) fn and(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own &= other);
    }

    pub(crate) fn or(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(own, other)| *own |= other);
    }

    pub(crate) fn not(mut self) -> Self {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
        self
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(at * 64 + bit)
            })
        })
    }
}
