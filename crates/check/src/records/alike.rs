//! Two texts that look the same and are not: the code points by which they differ.

use unicode_normalization::UnicodeNormalization as _;

/// Letters of Cyrillic and Greek with the Latin letters that look like them. Source: Unicode, confusables.txt.
const TWINS: (&str, &str) = ("АВЕЅІЈКМНОРСТХаеоѕіјрсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABESIJKMHOPCTXaeosijpcyxABEZHIKMNOPTYXo");

/// How what was found differs from what was expected, where a reader sees no difference: ` (U+0065 U+0301 for U+00E9)`.
/// Nothing for texts that are equal, or differ to the eye.
pub(super) fn unseen_difference(found: &str, expected: &str) -> String {
    if found == expected || drawn(found) != drawn(expected) {
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

fn drawn(text: &str) -> String {
    let twin =
        |c: char| TWINS.0.chars().zip(TWINS.1.chars()).find(|(other, _)| *other == c).map_or(c, |(_, latin)| latin);
    let hidden = |c: &char| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
    };
    text.nfkc().filter(|c| !hidden(c)).map(twin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_named() {
        assert_eq!(TWINS.0.chars().count(), TWINS.1.chars().count());
        for (found, expected, told) in [
            ("Rene\u{301}e", "Renée", " (U+0065 U+0301 for U+00E9)"),
            ("A\u{a0}B", "A B", " (U+00A0 for U+0020)"),
            ("A\u{200b}B", "AB", " (with U+200B more)"),
            ("coop", "co\u{ad}op", " (without U+00AD)"),
            ("\u{202a}Ana\u{202c}", "Ana", " (U+202A U+0041 U+006E U+0061 U+202C for U+0041 U+006E U+0061)"),
            ("Аna", "Ana", " (U+0410 for U+0041)"),
            ("Ana", "Ana", ""),
            ("Ana", "Anna", ""),
            ("ana", "Ana", ""),
            ("Ana ", "Ana", ""),
            ("", "\u{200b}", " (without U+200B)"),
        ] {
            assert_eq!(unseen_difference(found, expected), told, "{found:?} {expected:?}");
        }
    }
}
