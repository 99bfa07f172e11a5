//! AAA, which rejects a request of a 271 or 278 in place of an answer.

use std::collections::HashMap;

use super::tree::Tree;

/// The loops with an AAA, by the level that each is of, with the rank of each.
pub(super) struct Rejections(HashMap<Option<usize>, Vec<(usize, usize)>>);

impl Rejections {
    /// `loops` by rank: an AAA of the first comes before one of the others.
    pub(super) fn of(tree: &Tree<'_>, levels: &[&str], loops: [&[&str]; 2]) -> Self {
        let mut by_level: HashMap<Option<usize>, Vec<(usize, usize)>> = HashMap::new();
        for (rank, ids) in loops.into_iter().enumerate() {
            for at in tree.all(ids).into_iter().filter(|&at| tree.first(at, "AAA").is_some()) {
                by_level.entry(tree.around(at, levels)).or_default().push((rank, at));
            }
        }
        Self(by_level)
    }

    /// The first AAA at the levels around an occurrence, or without one at any level, in words and with its segment.
    pub(super) fn around(
        &self,
        tree: &Tree<'_>,
        occurrence: Option<usize>,
        is_meant: impl Fn(usize) -> bool,
    ) -> Option<(String, usize)> {
        let up = std::iter::successors(occurrence, |&at| tree.parent(at));
        let held: Vec<&(usize, usize)> = match occurrence {
            Some(_) => up.filter_map(|level| self.0.get(&Some(level))).flatten().collect(),
            None => self.0.values().flatten().collect(),
        };
        let &(_, at) = held.into_iter().filter(|(_, at)| is_meant(*at)).min()?;
        let aaa = tree.first(at, "AAA")?;
        Some((rejected(tree, at, aaa), aaa))
    }
}

/// An AAA in words: `rejected in 2100C: AAA03 75, AAA04 C`.
pub(super) fn rejected(tree: &Tree<'_>, occurrence: usize, aaa: usize) -> String {
    let mut text = format!("rejected in {}: AAA03 {}", tree.id(occurrence), tree.text(aaa, 3));
    let follow_up = tree.text(aaa, 4);
    if !follow_up.is_empty() {
        text += &format!(", AAA04 {follow_up}");
    }
    text
}
