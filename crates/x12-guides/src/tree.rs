//! The loops and segments in each occurrence of a loop.

use crate::place::Occurrence;

#[derive(Debug)]
pub(crate) struct Tree {
    loops: Vec<Vec<usize>>,
    pub(crate) segments: Vec<Vec<usize>>,
}

impl Tree {
    pub(crate) fn of(occurrences: &[Occurrence], of_segment: &[u32]) -> Self {
        let empty = || vec![Vec::new(); occurrences.len()];
        let mut tree = Self { loops: empty(), segments: empty() };
        for (at, occurrence) in occurrences.iter().enumerate() {
            if let Some(loops) = occurrence.parent.and_then(|parent| tree.loops.get_mut(parent)) {
                loops.push(at);
            }
        }
        for (number, &occurrence) in of_segment.iter().enumerate() {
            if let Some(segments) = usize::try_from(occurrence).ok().and_then(|at| tree.segments.get_mut(at)) {
                segments.push(number);
            }
        }
        tree
    }

    pub(crate) fn subtree(&self, root: usize) -> Vec<usize> {
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&at) = found.get(next) {
            found.extend(self.loops.get(at).into_iter().flatten());
            next += 1;
        }
        found.sort_unstable();
        found
    }
}
