//! The patients of the claims of a 277.

use std::collections::HashMap;

use super::tree::Tree;

/// The first name with a number, NM109, of each level of patients.
pub(crate) fn named_patients(tree: &Tree<'_>) -> HashMap<usize, usize> {
    let mut by_level = HashMap::new();
    for (level, id) in [("2000D", "2100D"), ("2000E", "2100E")] {
        for occurrence in tree.all(&[id]) {
            let around = tree.around(occurrence, &["2000D", "2000E"]).filter(|&around| tree.id(around) == level);
            let name = tree.first(occurrence, "NM1").filter(|&name| !tree.text(name, 9).is_empty());
            if let Some((around, name)) = around.zip(name) {
                by_level.entry(around).or_insert(name);
            }
        }
    }
    by_level
}

/// The number of the patient of a claim: of a dependent without one, that of the subscriber.
pub(crate) fn member(tree: &Tree<'_>, patients: &HashMap<usize, usize>, claim: usize) -> Option<(usize, String)> {
    let of = |level| patients.get(&tree.around(claim, &[level])?).copied();
    let name = of("2000E").or_else(|| of("2000D"))?;
    Some((name, tree.text(name, 9).into_owned()))
}
