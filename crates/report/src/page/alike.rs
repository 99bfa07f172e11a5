//! Characters that look like others, named: `О` of the Cyrillic alphabet in the place of `O`, a no-break space in the
//! place of a space.

/// The most pairs that are named.
const MOST: usize = 3;

/// Letters and signs that look like an ASCII character, each group with that character first.
const GROUPS: &[&str] = &[
    "AАΑ",
    "BВΒ",
    "CСϹ",
    "EЕΕ",
    "HНΗ",
    "IІΙl1|",
    "JЈ",
    "KКΚ",
    "MМΜ",
    "NΝ",
    "OОΟ0",
    "PРΡ",
    "SЅ",
    "TТΤ",
    "XХΧ",
    "YУΥҮ",
    "ZΖ",
    "aаα",
    "cсϲ",
    "dԁ",
    "eе",
    "hһ",
    "iі",
    "jј",
    "oоο",
    "pрρ",
    "qԛ",
    "sѕ",
    "vνѵ",
    "wԝ",
    "xх",
    "yу",
    "uυ",
    "-\u{2010}\u{2011}\u{2012}–—−\u{ad}",
    "'‘’ʼ′`´",
    "\"“”„″",
    " \u{a0}\u{2002}\u{2003}\u{2009}\u{202f}\u{3000}",
    ".․",
    "/⁄∕",
    ",‚",
];

fn ascii(c: char) -> char {
    // Full-width forms are in the order of ASCII.
    let c = match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xff01 + 0x21).unwrap_or(c),
        _ => c,
    };
    GROUPS.iter().find(|group| group.contains(c)).and_then(|group| group.chars().next()).unwrap_or(c)
}

/// How the characters of two values differ that look the same; `None` if they look different, or are the same.
pub(super) fn alike(expected: &str, actual: &str) -> Option<String> {
    let same_form = || expected.chars().map(ascii).eq(actual.chars().map(ascii));
    if expected == actual || !same_form() {
        return None;
    }
    let differ: Vec<(char, char)> =
        expected.chars().zip(actual.chars()).filter(|(left, right)| left != right).collect();
    let mut named: Vec<String> = Vec::new();
    for (left, right) in &differ {
        let words = format!("{} in the place of {}", named_character(*right), named_character(*left));
        if !named.contains(&words) && named.len() < MOST {
            named.push(words);
        }
    }
    Some(format!("The values look alike. Found {}.", named.join("; ")))
}

/// `“О” (U+041E, Cyrillic)`
fn named_character(c: char) -> String {
    let code = u32::from(c);
    let words = match c {
        ' ' => "space",
        '\u{a0}' => "no-break space",
        '\u{202f}' => "narrow no-break space",
        '\u{2002}' | '\u{2003}' | '\u{2009}' | '\u{3000}' => "another space",
        '-' => "hyphen-minus",
        '\u{ad}' => "soft hyphen",
        '\u{2010}' => "hyphen",
        '\u{2011}' => "no-break hyphen",
        '\u{2012}' => "figure dash",
        '–' => "en dash",
        '—' => "em dash",
        '−' => "minus sign",
        '|' => "vertical bar",
        c if c.is_ascii_digit() => "digit",
        c if c.is_ascii_uppercase() => "Latin capital letter",
        c if c.is_ascii_lowercase() => "Latin small letter",
        _ => match code {
            0x370..=0x3ff => "Greek",
            0x400..=0x52f => "Cyrillic",
            0xff01..=0xff5e => "full width",
            _ if c.is_alphabetic() => "another letter",
            _ => "another sign",
        },
    };
    let shown = if c.is_whitespace() || c == '\u{ad}' { String::new() } else { format!("“{c}” ") };
    format!("{shown}(U+{code:04X}, {words})")
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn characters_that_look_alike_are_named() {
        assert_eq!(
            alike("CONTRAST", "C\u{41e}NTRAST").as_deref(),
            Some(
                "The values look alike. Found “О” (U+041E, Cyrillic) in the place of “O” (U+004F, Latin capital letter)."
            )
        );
        assert_eq!(
            alike("72148", "72l48").as_deref(),
            Some("The values look alike. Found “l” (U+006C, Latin small letter) in the place of “1” (U+0031, digit).")
        );
        assert_eq!(
            alike("Dr. Smith", "Dr.\u{a0}Smith").as_deref(),
            Some("The values look alike. Found (U+00A0, no-break space) in the place of (U+0020, space).")
        );
        assert!(alike("A-1", "Ａ–１").is_some_and(|words| words.contains("full width") && words.contains("en dash")));
        for (left, right) in [("72148", "73721"), ("same", "same"), ("", "a"), ("A", "a"), ("ab", "a")] {
            assert_eq!(alike(left, right), None, "{left} and {right}");
        }
    }
}
