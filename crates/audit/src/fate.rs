//! Conclusions about a criterion from the evidence of a mutant.

use candor_check::evidence::Entry;
use candor_check::field::Location;
use candor_check::operators::Change;
use candor_check::{Evidence, Status};

use crate::leaf::scalars;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Passes,
    /// It passes by another record than the one that was changed.
    HeldUp,
    Fails,
    Undecided,
}

impl Fate {
    pub(crate) fn of(evidence: &Evidence) -> Self {
        match evidence.status() {
            Status::Passed => Self::Passes,
            Status::Failed => Self::Fails,
            Status::Unverifiable => Self::Undecided,
        }
    }
}

/// True if a pass rests on the record that was changed: the evidence of the path, or the selected record, lies there.
pub(crate) fn rests_on(evidence: &Evidence, path: &str, change: &Change) -> bool {
    let Some(start) = change.edits.iter().map(|edit| edit.span.start as u64).min() else { return true };
    let of_path = evidence.results.iter().filter_map(|entry| match entry {
        Entry::Field(field) if field.path == path => field.source.clone(),
        Entry::Phrase(phrase) if phrase.phrase == path => phrase.source.clone(),
        _ => None,
    });
    let mut places: Vec<Location> = of_path.collect();
    if places.is_empty() {
        places = evidence.sources.iter().map(|source| source.place()).collect();
    }
    let lies_in = |place: &Location| {
        place.locator == change.locator && place.span.is_none_or(|(from, to)| from <= start && start <= to)
    };
    places.is_empty() || places.iter().any(lies_in)
}

/// True if the assertion read the new value and accepts it, as one that asks for any date accepts another date.
pub(crate) fn accepts(evidence: &Evidence, path: &str, value: &str) -> bool {
    evidence.results.iter().any(|entry| match entry {
        Entry::Field(field) => {
            field.path == path && field.passed && scalars(&field.actual).iter().any(|one| one == value)
        }
        Entry::Phrase(_) => false,
    })
}

/// True if it also asserts the absence of a phrase.
pub(crate) fn forbids(evidence: &Evidence) -> bool {
    evidence.results.iter().any(|entry| matches!(entry, Entry::Phrase(phrase) if phrase.forbidden))
}
