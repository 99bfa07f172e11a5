//! The claims of an 835 that its own reversals leave.

use std::borrow::Cow;
use std::collections::HashMap;

use super::tree::Tree;
use crate::claims::REVERSAL;

pub(crate) struct Remitted {
    pub(crate) occurrence: usize,
    pub(crate) clp: usize,
}

/// The claims of one set that are not reversed. A reversal (CLP02 22) removes one before it, preferably the one with
/// the opposite payment.
pub(crate) fn standing<'c>(tree: &Tree<'_>, claims: &[&'c Remitted]) -> Vec<&'c Remitted> {
    let mut standing: Vec<Option<&Remitted>> = Vec::new();
    // By CLP01, with their places in `standing`.
    let mut by_id: HashMap<Cow<'_, str>, Vec<(usize, &Remitted)>> = HashMap::new();
    for &claim in claims {
        let with_id = by_id.entry(tree.text(claim.clp, 1)).or_default();
        if tree.text(claim.clp, 2) != REVERSAL {
            with_id.push((standing.len(), claim));
            standing.push(Some(claim));
            continue;
        }
        let is_same = |(_, earlier): &(usize, &Remitted)| {
            let (one, other) = (tree.text(earlier.clp, 7), tree.text(claim.clp, 7));
            one.is_empty() || other.is_empty() || one == other
        };
        let is_opposite = |earlier: &(usize, &Remitted)| {
            is_same(earlier) && tree.amount(earlier.1.clp, 4).map(|paid| -paid) == tree.amount(claim.clp, 4)
        };
        let reversed = with_id.iter().rposition(is_opposite).or_else(|| with_id.iter().rposition(is_same));
        let place = reversed.map(|at| with_id.remove(at).0);
        if let Some(gone) = place.and_then(|place| standing.get_mut(place)) {
            *gone = None;
        }
    }
    standing.into_iter().flatten().collect()
}
