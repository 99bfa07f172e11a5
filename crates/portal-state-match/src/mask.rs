//! Ids that a portal shows in part: `*****6789`.

/// The fewest characters that hide something, and, where they are letters, the fewest of these.
const FEWEST: usize = 2;
const FEWEST_LETTERS: usize = 4;

fn hides(c: char) -> bool {
    matches!(c, '*' | '•' | '●' | '∗' | '█' | '#')
}

/// A text without case and without everything but letters and digits.
pub(crate) fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The parts of a text that are not hidden; `None` where nothing is. `XXXX6789` hides, too, and `XXX-1` does not.
fn shown(text: &str) -> Option<Vec<&str>> {
    if text.chars().filter(|c| hides(*c)).count() >= FEWEST {
        return Some(text.split(hides).filter(|part| !part.is_empty()).collect());
    }
    let rest = text.trim_start_matches(['X', 'x']);
    (text.len() - rest.len() >= FEWEST_LETTERS && !rest.is_empty()).then(|| vec![rest])
}

pub(crate) fn is_masked(text: &str) -> bool {
    shown(text).is_some()
}

/// Returns `true` if a text that hides parts of itself may be the other one, as far as it shows.
pub(crate) fn may_be(masked: &str, whole: &str) -> bool {
    let bare = |text: &str| bare(text).collect::<String>();
    let Some(parts) = shown(masked) else { return false };
    let parts: Vec<String> = parts.into_iter().map(bare).filter(|part| !part.is_empty()).collect();
    let whole = bare(whole);
    let ends_hidden = masked.chars().next_back().is_some_and(hides);
    let begins_hidden = masked.chars().next().is_some_and(|c| hides(c) || matches!(c, 'X' | 'x'));
    match parts.as_slice() {
        [] => false,
        [one] if begins_hidden && ends_hidden => whole.contains(one),
        [one] if ends_hidden => whole.starts_with(one),
        [one] => whole.ends_with(one),
        [first, .., last] => {
            whole.starts_with(first) && whole.ends_with(last) && whole.len() >= first.len() + last.len()
        }
    }
}
