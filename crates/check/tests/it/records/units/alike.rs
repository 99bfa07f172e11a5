//! Texts that look the same and are not.

use crate::records::alike::{TWINS, unseen_difference};

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
