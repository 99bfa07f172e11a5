//! Codes in words.

use proptest::prelude::*;

use crate::glossed::of_elements;

#[test]
fn codes_are_said_in_words() {
    for (plain, words) in [
        (
            "rejected in 2100C: AAA03 75, AAA04 C",
            "rejected in 2100C: AAA03 75: subscriber not found, AAA04 C: correct and resubmit",
        ),
        ("answer.certified is \"HCR01 A4\", expected true", "answer.certified is \"HCR01 A4: pended\", expected true"),
        ("rejected (STC01 A7:562:85)", "rejected (STC01 A7:562:85: rejected for invalid information)"),
        ("denied (CLP02 4)", "denied (CLP02 4)"),
        ("AAA03 ZZ and EB01", "AAA03 ZZ and EB01"),
        ("", ""),
    ] {
        assert_eq!(of_elements(plain), words, "{plain}");
    }
}

proptest! {
    #[test]
    fn words_are_only_added(text in "[ -~äß]{0,40}", code in "(AAA03 75|HCR01 A4|CLP02 4)?", more in "[ -~]{0,20}") {
        let text = format!("{text}{code}{more}");
        let words = of_elements(&text);
        let mut left = words.chars();
        prop_assert!(text.chars().all(|c| left.any(|other| other == c)), "{text} in {words}");
        prop_assert_eq!(of_elements(&words).matches("subscriber not found").count(), words.matches("subscriber not found").count());
    }
}
