//! The promises of the second reading of a text, as laws.

use candor_voice_transcript::matching::{Heard, Mode, Phrase, Said, Speakers};
use candor_voice_transcript::normalize::Normalized;
use candor_voice_transcript::transcript::Turn;
use proptest::prelude::*;

/// Text out of the pieces the rules are about, so that they meet in every order.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "one",
        "two",
        "fifteen",
        "twenty",
        "hundred",
        "million",
        "third",
        "oh",
        "double",
        "point",
        "and",
        "a half",
        "half",
        "past",
        "quarter to",
        "a",
        "i",
        "b",
        "b as in boy",
        "as in",
        "whiskey",
        "mike",
        "november",
        "dash",
        "uh",
        "um",
        "you know",
        "secur-",
        "security",
        "the",
        "the the",
        "not",
        "no",
        "can't",
        "5",
        "12",
        "1985",
        "3/14/1985",
        "1985-03-14",
        "3:30",
        "3-4",
        "1.5",
        "$2.50",
        "$",
        "\u{a2}",
        "dollars",
        "cents",
        "percent",
        "per cent",
        "%",
        "mg",
        "milligrams",
        "twice a day",
        "b i d",
        "q d",
        "March",
        "may",
        "march the",
        "of",
        "14th",
        "dr",
        "co pay",
        "x ray",
        "\u{e9}",
        "\u{301}",
        "\u{1}million",
        "\u{200b}",
        "\u{130}",
    ]);
    let gap = prop::sample::select(vec![" ", " ", " ", " ", "", "-", ", ", ". ", "\n", "- "]);
    prop::collection::vec((piece, gap), 0..12)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect())
}

fn said(text: &str, phrase: &str, mode: Mode) -> Option<Said> {
    let turns = [Turn { speaker: Some("agent".to_owned()), text: text.to_owned(), spoken: true, ..Turn::default() }];
    let heard = Heard::new(&turns, &Speakers::default());
    let phrase = Phrase::new(phrase, mode).ok()?;
    heard.occurrences(&phrase, None).next().map(|found| found.said)
}

/// The cardinal as it is spoken.
fn in_words(n: usize) -> String {
    const ONES: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    match n {
        0..20 => ONES.get(n).copied().unwrap_or_default().to_owned(),
        20..100 if n.is_multiple_of(10) => TENS.get(n / 10).copied().unwrap_or_default().to_owned(),
        20..100 => format!("{} {}", in_words(n - n % 10), in_words(n % 10)),
        _ if n.is_multiple_of(100) => format!("{} hundred", in_words(n / 100)),
        _ => format!("{} hundred {}", in_words(n / 100), in_words(n % 100)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(400)))]

    #[test]
    fn words_stand_where_they_say(texts in prop::collection::vec(prop_oneof![hostile(), any::<String>()], 1..3)) {
        let segments: Vec<&str> = texts.iter().map(String::as_str).collect();
        let words = Normalized::canonical(&segments);
        let mut before = (0, 0);
        for word in words.words() {
            let source = texts.get(word.segment).and_then(|text| text.get(word.span.clone()));
            prop_assert!(source.is_some_and(|source| !source.is_empty()), "{:?}", word);
            prop_assert!(!word.text.is_empty() && !word.text.contains('\u{1}'), "{:?}", word);
            prop_assert!(before <= (word.segment, word.span.start), "{:?} before {:?}", before, word);
            before = (word.segment, word.span.start);
        }
    }

    #[test]
    fn a_text_is_found_in_itself(text in prop_oneof![hostile(), any::<String>()]) {
        for mode in [Mode::Normalized, Mode::Fuzzy] {
            if Phrase::new(&text, mode).is_ok() {
                prop_assert!(matches!(said(&text, &text, mode), Some(Said::Plain | Said::Corrected | Said::Doubtful)), "{:?}", mode);
            }
        }
    }

    /// Fifteen is never fifty, with any words around it and in every mode.
    #[test]
    fn another_number_is_not_found(n in 1usize..1000, m in 1usize..1000, written in any::<bool>(), fuzzy in any::<bool>(), unit in prop::sample::select(vec!["mg", "milligrams", "dollars", "percent", "tablets", "days"])) {
        let text = if written { format!("take, uh, {n} {unit} daily") } else { format!("take {} um {unit} daily", in_words(n)) };
        let phrase = if written { format!("take {} {unit} daily", in_words(m)) } else { format!("take {m} {unit} daily") };
        let mode = if fuzzy { Mode::Fuzzy } else { Mode::Normalized };
        prop_assert_eq!(said(&text, &phrase, mode).is_some(), n == m, "{} / {}", text, phrase);
    }
}
