//! The rows of what makes a set unsafe, and the statements of remittances as facts for them.

use std::sync::LazyLock;

use candor_check::records::{Fact, FactRole, SafetyRow, SafetyTable};
use candor_json::json;

use crate::claims::RemittedClaim;

pub(crate) static TABLE: LazyLock<SafetyTable> =
    LazyLock::new(|| SafetyTable::read(include_str!("../../data/unsafe-elements.tsv")));

pub(crate) fn fact(row: &SafetyRow, claim: &RemittedClaim, role: FactRole, moment: Option<u64>) -> Fact {
    Fact {
        row: row.name(),
        role,
        moment,
        within: None,
        // The history has compared CLP01 and CLP07 already.
        numbers: vec![Some(claim.claim.clone())],
        path: row.element.to_owned(),
        value: json!(claim.status),
        place: claim.place.clone(),
        label: claim.label.clone(),
    }
}

/// The later facts about a claim, in order. `History::after` gives at most the last reversal and the last correction
/// that are known to be later, and one of each whose order is not known. A reversal that may be before or after a
/// correction has no moment.
pub(crate) fn facts(row: &SafetyRow, after: &[(&RemittedClaim, bool)]) -> Vec<Fact> {
    let one = |is_reversal: bool, is_known: bool| {
        let mut found = after.iter().filter(|(claim, known)| claim.is_reversal() == is_reversal && *known == is_known);
        found.next().map(|(claim, _)| *claim)
    };
    let (reversal, correction) = (one(true, true), one(false, true));
    let is_corrected = reversal.zip(correction).map(|(reversal, correction)| correction.is_after(reversal));
    let moment = match is_corrected {
        Some(None) => None,
        Some(Some(true)) => Some(1),
        Some(Some(false)) | None if one(false, false).is_some() => None,
        Some(Some(false)) | None => Some(3),
    };
    // Where the last word is known to be a reversal, another one changes nothing.
    let open = one(true, false).filter(|_| reversal.is_none() || moment != Some(3));
    let undoes = reversal.map(|reversal| fact(row, reversal, FactRole::Undoes, moment));
    let restores = correction.map(|correction| fact(row, correction, FactRole::Restores, Some(2)));
    let may_undo = open.map(|reversal| fact(row, reversal, FactRole::Undoes, None));
    [undoes, restores, may_undo].into_iter().flatten().collect()
}
