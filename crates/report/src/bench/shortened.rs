//! Long reasons in a table.

use std::borrow::Cow;

/// The most characters of a reason in a table.
pub(super) const REASON: usize = 400;

/// A long reason without its middle: what a program wrote last says most.
pub(super) fn shortened(reason: &str) -> Cow<'_, str> {
    let count = reason.chars().count();
    let place = |at: usize| reason.char_indices().nth(at).map_or(reason.len(), |(place, _)| place);
    match count > REASON {
        true => {
            let (head, tail) = (reason.get(..place(REASON / 2)), reason.get(place(count - REASON / 2)..));
            format!("{} … {}", head.unwrap_or_default(), tail.unwrap_or_default()).into()
        }
        false => reason.into(),
    }
}
