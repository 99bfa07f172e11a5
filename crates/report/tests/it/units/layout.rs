//! Lines of a terminal.

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use crate::Style;
use crate::layout::{columns, fitted, folded, wrapped};

#[test]
fn a_folded_line_continues_below_its_second_cell() {
    let style = Style { color: false, width: 20 };
    for (text, folded_text) in [
        ("short\n\n  line", "short\n\n  line"),
        (" FAIL  1 of 13 criteria passed\n", " FAIL  1 of 13\n       criteria\n       passed\n"),
        ("  a.b is \"one\", expected \"two\"", "  a.b is \"one\",\n    expected \"two\""),
        ("a/path/that/is/wider/than/it and more", "a/path/that/is/wider/than/it\n    and more"),
        ("\u{1b}[31mFAIL\u{1b}[0m one two three", "\u{1b}[31mFAIL\u{1b}[0m one two three"),
    ] {
        assert_eq!(folded(text, style), folded_text);
    }
}

proptest! {
    #[test]
    fn folding_loses_no_word_and_fits(text in "( |\\PC|\n){0,120}") {
        let folded = folded(&text, Style { color: false, width: 40 });
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(words(&folded), words(&text));
        for line in folded.lines().filter(|line| columns(line.trim_end()) > 40) {
            prop_assert!(!line.trim().contains(' '), "{:?}", line);
        }
    }

    #[test]
    fn a_fitted_text_takes_its_columns(text in "\\PC{0,30}", width in 1usize..20) {
        prop_assert!(fitted(&text, width).width() <= width.max(1) + 1);
    }

    #[test]
    fn wrapping_loses_no_word(text in "\\PC{0,80}", indent in 0usize..8) {
        let style = Style { color: false, width: 40 };
        let wrapped = wrapped(&text, indent, style);
        prop_assert_eq!(
            wrapped.split_whitespace().collect::<Vec<_>>(),
            text.split_whitespace().collect::<Vec<_>>()
        );
    }
}
