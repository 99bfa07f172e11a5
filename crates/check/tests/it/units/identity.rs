//! Ids that name the same party.

use proptest::prelude::*;

use crate::identity::{UNSEEN, folded, same};

#[test]
fn ids_that_look_alike_are_the_same() {
    for id in [
        "x",
        "X ",
        "\tx\n",
        "x\u{200b}",
        "\u{feff}x",
        "x\u{ad}",
        "\u{202e}x",
        "x\u{fe0f}",
        "ｘ",
        "x\u{a0}",
        "x\u{0}",
        "x\u{e0041}",
        "x\u{3164}",
        "\u{200b} x",
        "x \u{2060}",
    ] {
        assert!(same(id, "x"), "{id:?}");
    }
    for (a, b) in [("straße", "STRASSE"), ("ﬁle", "file"), ("Ǆ", "dž"), ("e\u{301}", "É"), ("σ", "ς"), ("№1", "no1")]
    {
        assert!(same(a, b), "{a} {b}");
    }
    // A Cyrillic letter is another letter.
    for (a, b) in [("x", "y"), ("a b", "ab"), ("a", "\u{430}"), ("agent-1", "agent-2"), ("", "x")] {
        assert!(!same(a, b), "{a} {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(candor_test_size::cases(500)) })]

    #[test]
    fn folding_twice_changes_nothing(id in "\\PC{0,12}|[\\x00-\\x{10ffff}]{0,6}") {
        prop_assert_eq!(folded(&folded(&id)), folded(&id));
    }

    #[test]
    fn what_is_not_seen_changes_nothing(a in "[a-z]{0,6}", b in "[a-z]{0,6}", row in 0..UNSEEN.len(), white in "[ \t\u{a0}]{0,2}") {
        for unseen in UNSEEN.get(row).map(|(first, last)| [*first, *last]).into_iter().flatten() {
            let written = format!("{}{unseen}{}{white}", a.to_uppercase(), b);
            let plain = format!("{a}{b}");
            prop_assert!(same(&written, &plain));
        }
    }
}
