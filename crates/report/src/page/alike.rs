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
