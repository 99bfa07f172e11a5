//! Groups of three bytes.

use crate::grams::Grams;

#[test]
fn what_stands_in_a_text_is_never_missed() {
    let text = "take fifteen milligrams of zolpidem daily, señor muñoz";
    let grams = Grams::of(text);
    for start in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
        for end in (start..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert!(grams.may_hold(&Grams::of(&text[start..end])));
        }
    }
    assert!(!grams.may_hold(&Grams::of("metformin")));
}
