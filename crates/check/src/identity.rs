//! Comparison of ids: who verifies and who did the work are never the same, however an id is written.

use unicode_normalization::UnicodeNormalization as _;

/// Characters that are not drawn, so that two ids which differ only in them look alike: the code points with the property
/// `Default_Ignorable_Code_Point`, and the other format characters that have no glyph of their own.
/// Source: Unicode 16.0, DerivedCoreProperties.txt, and UnicodeData.txt (general category Cf) for FFF9 to FFFB.
pub(crate) const UNSEEN: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// More rounds than any id needs until nothing changes.
const ROUNDS: usize = 4;

/// An id in the form that is compared: NFKC, without characters that are not drawn, in one letter case, without white
/// space around it.
///
/// Letters of two scripts that look alike stay different.
///
/// ```
/// use candor_check::identity::folded;
/// assert_eq!(folded(" Booking\u{200b}-Agent "), "booking-agent");
/// assert_eq!(folded("ＡＧＥＮＴ"), "agent");
/// ```
#[must_use]
pub fn folded(id: &str) -> String {
    let mut folded = id.to_owned();
    for _ in 0..ROUNDS {
        let next = once(&folded);
        if next == folded {
            break;
        }
        folded = next;
    }
    folded
}

/// Checks whether two ids name the same party.
#[must_use]
pub fn same(a: &str, b: &str) -> bool {
    folded(a) == folded(b)
}

fn once(id: &str) -> String {
    let seen = id.nfkc().filter(|&character| !is_unseen(character));
    // By way of the capital letter, so that `ß` and `SS`, or the two small sigmas, are one.
    let folded: String = seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect();
    folded.trim().to_owned()
}

/// Returns `true` for what is not drawn, white space left out.
pub(crate) fn is_unseen(character: char) -> bool {
    let white = character.is_whitespace();
    (character.is_control() && !white) || UNSEEN.iter().any(|(first, last)| (*first..=*last).contains(&character))
}
