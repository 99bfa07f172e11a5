//! Which resources say what: each fact once, and the ranks of the resources that state it.

use std::collections::HashMap;
use std::hash::Hash;

use crate::set::Set;

/// Collects facts while resources are visited in order of their ranks.
pub(super) struct Collector<F> {
    known: HashMap<F, u32>,
    stated: Vec<(u32, u32)>,
    rank: u32,
}

impl<F: Hash + Eq> Collector<F> {
    pub(super) fn new() -> Self {
        Self { known: HashMap::new(), stated: Vec::new(), rank: 0 }
    }

    pub(super) fn begin(&mut self, rank: usize) {
        self.rank = u32::try_from(rank).unwrap_or(u32::MAX);
    }

    pub(super) fn add(&mut self, fact: F) {
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let at = *self.known.entry(fact).or_insert(next);
        if self.stated.last() != Some(&(at, self.rank)) {
            self.stated.push((at, self.rank));
        }
    }

    pub(super) fn finish(mut self, len: usize) -> (Vec<F>, Postings) {
        let mut facts: Vec<(F, u32)> = self.known.into_iter().collect();
        facts.sort_unstable_by_key(|(_, at)| *at);
        // Ranks ascend already within a fact, and a stable sort keeps them so.
        self.stated.sort_by_key(|(at, _)| *at);
        let mut ends = vec![0_u32; facts.len()];
        for (at, _) in &self.stated {
            ends.get_mut(*at as usize).into_iter().for_each(|end| *end += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let ranks = self.stated.iter().map(|(_, rank)| *rank).collect();
        let mut postings = Postings { ends, ranks, len, dense: HashMap::new() };
        let dense = (0..facts.len()).filter(|fact| postings.of(*fact).len() > len / DENSE);
        postings.dense = dense.map(|fact| (fact, postings.listed(fact))).collect();
        (facts.into_iter().map(|(fact, _)| fact).collect(), postings)
    }
}

/// A fact that more than this part of the resources states is kept as a set too, which then takes no more room.
const DENSE: usize = 32;

#[derive(Debug)]
pub(super) struct Postings {
    ends: Vec<u32>,
    ranks: Vec<u32>,
    len: usize,
    dense: HashMap<usize, Set>,
}

impl Postings {
    /// How many resources there are, whatever they state.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn of(&self, fact: usize) -> &[u32] {
        let start = fact.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(fact).map_or(start, |end| *end as usize);
        self.ranks.get(start..end).unwrap_or_default()
    }

    pub(super) fn set(&self, facts: impl IntoIterator<Item = usize>) -> Set {
        let mut set = Set::none(self.len);
        for fact in facts {
            match self.dense.get(&fact) {
                Some(dense) => set.or(dense),
                None => self.of(fact).iter().for_each(|rank| set.insert(*rank as usize)),
            }
        }
        set
    }

    fn listed(&self, fact: usize) -> Set {
        let mut set = Set::none(self.len);
        self.of(fact).iter().for_each(|rank| set.insert(*rank as usize));
        set
    }
}
