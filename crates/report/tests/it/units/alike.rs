//! Characters that look alike.

use crate::alike::alike;

#[test]
fn characters_that_look_alike_are_named() {
    assert_eq!(
        alike("CONTRAST", "C\u{41e}NTRAST").as_deref(),
        Some("The values look alike. Found “О” (U+041E, Cyrillic) in the place of “O” (U+004F, Latin capital letter).")
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
