//! Texts of a dosage.

use proptest::prelude::*;

use crate::dosage::sig::{Piece, Sig, WORDS};
use crate::dosage::words::tokens;

#[test]
fn a_text_is_cut_into_its_parts() {
    for (text, expected) in [
        ("1,000 mg b.i.d.", "1000|mg|bid"),
        ("Inject 40-mg (0.4 mL) p.o.", "inject|40|mg|0.4|ml|po"),
        ("1x/day, q8h", "1|x|/|day|q8h"),
        ("1-2 tablets; don\u{2019}t", "1|-|2|tablets|don't"),
        ("2,5 mg \u{d7} 3", "2,5|mg|x|3"),
        (".5 mg (.25 mL)", "0.5|mg|0.25|ml"),
        ("daily.5 mg", "daily|.5|mg"),
        ("0,125 mg", "0,125|mg"),
        ("1000,000 units or 1,00 g", "1000,000|units|or|1,00|g"),
        ("1,000,000.5 units", "1000000.5|units"),
        ("1/2 tablet(s)", "1 / 2|tablet"),
        ("1 1/2 or 1 and 1/2 tablets", "1 1 / 2|or|1 and 1 / 2|tablets"),
        ("eighty mg every twelve hours", "80|mg|every|twelve|hours"),
        ("twenty-five thousand units", "25000|units"),
        ("two hundred and fifty mg, and one tablet", "250|mg|and|one|tablet"),
        ("two five hundred mg tablets", "two|500|mg|tablets"),
        ("one twenty mg tablet", "one|20|mg|tablet"),
    ] {
        assert_eq!(tokens(text).join("|"), expected, "{text}");
    }
}

#[test]
fn a_text_is_read_whole_or_says_the_word_that_is_not() {
    for text in [
        "Take 1 tablet (40 mg) by mouth twice daily for 5 days.",
        "Give 2 g IV over 2 hours",
        "40 mg (two 20 mg tablets) once daily with food",
        "75 mg PO BID x 5 days",
        "Administer 500mg IM as a single dose",
        "Apply to affected areas four times daily",
        "2 x 20 mg 1x/day. Do not crush.",
        "Take 1 tablet (5 mg total) by mouth daily",
        "Take 1 tablet(s) daily with breakfast",
        "Inject 40 mg daily. Rotate sites.",
        "Take 1/2 tablet daily",
        "half of a 40 mg tablet",
        ".5 mg PO daily",
    ] {
        assert!(Sig::read(text.to_owned()).is_whole(), "{text}: {:?}", Sig::read(text.to_owned()).open());
    }
    for (text, word) in [
        ("20 mg once daily instead of 40 mg", "instead"),
        ("Do not give 2 g IV over 2 hours", "do not give"),
        ("40 mg or 60 mg", "or"),
        ("40 mg/day", "40 mg"),
        ("40 mg daily, max 80 mg", "max"),
        ("1/3 tablet", "1 / 3"),
        ("1 1/2 tablet", "1 1 / 2"),
        ("0,125 mg daily", "0,125 mg"),
        ("Take metformin 500 mg", "metformin"),
        ("every 4-6 hours", "every 4 - 6 hours"),
    ] {
        let open = Sig::read(text.to_owned()).open().unwrap_or_default();
        assert!(open.contains(&format!("{word:?}")), "{text}: {open}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,60}") {
        let _ = Sig::read(text);
    }

    /// Any word of doubt, anywhere, makes the text uncertain.
    #[test]
    fn a_word_of_doubt_counts_anywhere(at in 0..6_usize, row in any::<prop::sample::Index>()) {
        let doubts: Vec<&(Vec<String>, Piece)> = WORDS.iter().filter(|(_, piece)| matches!(piece, Piece::Limit | Piece::Doubt | Piece::Other | Piece::Back)).collect();
        let mut words = vec!["give", "40 mg", "by mouth", "once daily", "for 5 days"];
        let doubt = row.get(&doubts).0.join(" ");
        words.insert(at.min(words.len()), &doubt);
        prop_assert!(Sig::read(words.join(", ")).doubt.is_some(), "{words:?}");
    }
}
