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

#[cfg(test)]
mod tests {
    use candor_x12::{Delimiters, Excerpt, SetView};
    use candor_x12_guides::ReadSet;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_aaa_is_the_one_that_a_look_at_every_loop_finds(
            ids in prop::collection::vec(
                prop::sample::select(vec!["HL*1**20", "HL*2*1*21", "HL*3*2*22", "HL*4*3*23", "NM1*IL", "NM1*03", "EB*1", "AAA*N"]),
                0..40,
            ),
            is_meant in prop::collection::vec(any::<bool>(), 41),
        ) {
            let segments = std::iter::once("ST*271*1*005010X279A1").chain(ids);
            let text = segments.map(|segment| format!("{segment}~")).collect::<String>();
            let delimiters = Delimiters::new(b'*', Some(b':'), None, b"~").unwrap();
            let body = Excerpt { bytes: text.as_bytes(), offset: 0 };
            let set = ReadSet::new(SetView { delimiters, isa: Excerpt { bytes: &[], offset: 0 }, gs: None, body });
            let tree = Tree::of(set.loops().unwrap(), set.segments());
            let (levels, names, services) = (["2000A", "2000C", "2000D"], ["2000A", "2100C", "2100D"], ["2110C", "2110D"]);
            let rejections = Rejections::of(&tree, &levels, [&names, &services]);
            for occurrence in tree.all(&levels).into_iter().map(Some).chain([None]) {
                let around: Vec<usize> = std::iter::successors(occurrence, |&at| tree.parent(at)).collect();
                let level = |at: usize| tree.around(at, &levels);
                let concerns = |at: &usize| occurrence.is_none() || level(*at).is_some_and(|level| around.contains(&level));
                let every = tree.all(&names).into_iter().chain(tree.all(&services)).filter(concerns);
                let first = every.filter(|&at| is_meant[at % 41]).find_map(|at| tree.first(at, "AAA"));
                let found = rejections.around(&tree, occurrence, |at| is_meant[at % 41]);
                prop_assert_eq!(found.map(|(_, aaa)| aaa), first);
            }
        }
    }
}
