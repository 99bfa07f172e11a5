//! Two texts that look the same and are not: the code points by which they differ.

use unicode_normalization::UnicodeNormalization as _;

/// Letters of Cyrillic and Greek with the Latin letters that look like them. Source: Unicode, confusables.txt.
pub(super) const TWINS: (&str, &str) =
    ("АВЕЅІЈКМНОРСТХаеоѕіјрсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABESIJKMHOPCTXaeosijpcyxABEZHIKMNOPTYXo");

/// How what was found differs from what was expected, where a reader sees no difference: ` (U+0065 U+0301 for U+00E9)`.
/// Nothing for texts that are equal, or differ to the eye.
pub(super) fn unseen_difference(found: &str, expected: &str) -> String {
    if found == expected || drawn(found).ne(drawn(expected)) {
        return String::new();
    }
    let (found, expected): (Vec<char>, Vec<char>) = (found.chars().collect(), expected.chars().collect());
    let before = found.iter().zip(&expected).take_while(|(a, b)| a == b).count();
    let rest = |all: &[char]| all.get(before..).unwrap_or_default().to_vec();
    let (mut found, mut expected) = (rest(&found), rest(&expected));
    while found.last().is_some() && found.last() == expected.last() {
        found.pop();
        expected.pop();
    }
    let points = |all: &[char]| {
        let points: Vec<String> = all.iter().take(MOST).map(|c| format!("U+{:04X}", u32::from(*c))).collect();
        format!("{}{}", points.join(" "), if all.len() > MOST { " …" } else { "" })
    };
    match (found.is_empty(), expected.is_empty()) {
        (true, _) => format!(" (without {})", points(&expected)),
        (_, true) => format!(" (with {} more)", points(&found)),
        _ => format!(" ({} for {})", points(&found), points(&expected)),
    }
}

/// The most code points that are named of a text.
const MOST: usize = 8;

/// Made as it is asked for: texts of megabytes mostly differ at their beginning.
fn drawn(text: &str) -> impl Iterator<Item = char> {
    let twin = |c: char| {
        let known = || TWINS.0.chars().zip(TWINS.1.chars()).find(|(other, _)| *other == c);
        if c.is_ascii() { c } else { known().map_or(c, |(_, latin)| latin) }
    };
    let is_shown = |c: &char| {
        let hidden = (c.is_control() && !c.is_whitespace())
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}');
        !hidden
    };
    text.nfkc().filter(is_shown).map(twin)
}
