//! Normalized phrases in normalized text.

use std::ops::Range;

use crate::normalize::{Cut, Normalized, Sep};

/// Where a phrase's characters stand in a text, aligned to its words, in order. Bytes of the text's
/// characters; the cut says how sure both ends are.
pub(super) fn find<'a>(text: &'a Normalized, phrase: &'a Normalized) -> impl Iterator<Item = (Range<usize>, Cut)> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let needle = phrase.chars();
        let step = needle.chars().next()?.len_utf8();
        loop {
            let start = from + text.chars().get(from..)?.find(needle)?;
            from = start + step;
            let end = start + needle.len();
            if let Some(cut) = aligned(text, phrase, start, end) {
                return Some((start..end, cut));
            }
        }
    })
}

/// How sure the ends are, when the boundaries inside agree.
fn aligned(text: &Normalized, phrase: &Normalized, start: usize, end: usize) -> Option<Cut> {
    let cut = text.boundary(start)?.cut.min(text.boundary(end)?.cut);
    if cut == Cut::Never {
        return None;
    }
    let agree = (1..end - start).all(|at| match (text.boundary(start + at), phrase.boundary(at)) {
        (Some(boundary), None) | (None, Some(boundary)) => !boundary.required && boundary.sep == Sep::None,
        (Some(one), Some(other)) => one.sep == Sep::None || other.sep == Sep::None || one.sep == other.sep,
        (None, None) => true,
    });
    agree.then_some(cut)
}
