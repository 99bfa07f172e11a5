//! The promises of normalization, as facts and as laws.

#![expect(clippy::indexing_slicing, reason = "a test may fail by panicking")]

use candor_voice_transcript::normalize::{Kind, Normalized, Pause};
use proptest::prelude::*;

fn normal(text: &str) -> String {
    Normalized::of(&[text]).render()
}

/// The characters that are compared, without what separates them.
fn run(text: &str) -> String {
    normal(text).replace(' ', "")
}

#[test]
fn facts() {
    for (text, expected) in [
        ("Hello,   WORLD!", "hello world"),
        ("follow-up", "follow up"),
        ("O’Brien's o'clock", "obriens oclock"),
        ("I can't; I cannot; I can not", "i can not i can not i can not"),
        ("i do n't know, it 's fine", "i do not know it is fine"),
        ("won’t shouldn't've", "will not should not have"),
        ("DON'T dont", "do not do not"),
        ("the patient's chart", "the patients chart"),
        ("colour, organisation, haemoglobin", "color organization hemoglobin"),
        ("Café CAFE\u{301}", "café café"),
        ("so\u{ad}cial\u{200b}ly", "socially"),
        ("20% of them", "20 percent of them"),
        ("fifteen fifty", "15 50"),
        ("one hundred and five", "105"),
        ("a hundred and five", "105"),
        ("hundred and five", "105"),
        ("between one hundred and five hundred", "between 100 and 500"),
        ("twelve hundred fifty", "1250"),
        ("two thousand and eight", "2008"),
        ("nineteen hundred eighty-five", "1985"),
        ("twenty twenty six", "20 26"),
        ("nineteen oh five", "19 0 5"),
        ("5 hundred, 12 thousand", "500 12000"),
        ("one million two hundred thousand and one", "1200001"),
        ("third 3rd Third", "3rd 3rd 3rd"),
        ("twenty-first of May", "21st of may"),
        ("the one hundred and twelfth", "the 112th"),
        ("1st 2ND 3rd 11th 1nd", "1st 2nd 3rd 11th 1st"),
        ("one third", "1 3rd"),
        ("$1,250.50 and 12,000", "1250.50 and 12000"),
        ("ninety eight point six", "98.6"),
        ("one oh one point five", "101.5"),
        ("point five", "0.5"),
        (".5 mg", "0.5 mg"),
        ("five point oh five", "5.05"),
        ("at this point five people", "at this point 5 people"),
        ("half of 1/2 tablet", "half of 1/2 tablet"),
        ("12/31/2026", "12 31 2026"),
        ("double four triple 7", "4 4 7 7 7"),
        ("double oh seven", "0 0 7"),
        ("double u one two", "w 1 2"),
        ("five oh two", "5 0 2"),
        ("Oh, five of them", "oh 5 of them"),
        ("oh three fourteen", "0 3 14"),
        ("one two oh", "1 2 0"),
        ("member I D is", "member id is"),
        ("your D.O.B. please", "your dob please"),
        ("a P T visit at 10 a.m.", "a pt visit at 10 am"),
        ("5mg W123 B12", "5mg w123 b12"),
        ("3.14.1985", "3 14 1985"),
        ("she's here, he'd go", "she is here he would go"),
        ("‘quoted’ words", "quoted words"),
        // the Greek numeral sign composes to a letter that looks like an apostrophe
        ("\u{374} x", "\u{2b9} x"),
        ("...", ""),
        ("", ""),
    ] {
        assert_eq!(normal(text), expected, "{text:?}");
    }
}

/// Texts that fuzzing found to change when they were normalized again.
#[test]
fn twice_is_once_for_what_once_was_not() {
    for text in [
        "W123th\u{200b}",
        "double , 1/2\u{ad}1.5",
        "1/2\u{ad}5",
        "ten\u{2019}\u{301}",
        "zero\u{2019}\u{301}",
        "thousand-\u{374} u's",
        "oh oh 5 oh",
        "double double five",
    ] {
        let once = normal(text);
        assert_eq!(normal(&once), once, "{text:?}");
    }
}

#[test]
fn runs_of_characters() {
    let same = [
        ("W one two three four", "W1234"),
        ("W one twenty-three four", "w 1234"),
        ("five five five, twelve twelve", "555-1212"),
        ("nineteen eighty-five", "1985"),
        ("twenty oh six", "2006"),
        ("three thirty", "3:30"),
        ("A B C", "abc"),
        ("one twenty over eighty", "120 over 80"),
        ("zero three fourteen nineteen eighty five", "03/14/1985"),
    ];
    for (spoken, written) in same {
        assert_eq!(run(spoken), run(written), "{spoken} / {written}");
    }
    for (one, other) in
        [("fifteen", "fifty"), ("13", "thirty"), ("3.5", "35"), ("1/2", "12"), ("05", "5"), ("third", "3")]
    {
        assert_ne!(run(one), run(other), "{one} / {other}");
    }
}

#[test]
fn numbers_do_not_reach_over_the_end_of_a_sentence_or_turn() {
    assert_eq!(normal("I am twenty. Five of us"), "i am 20 5 of us");
    let turns = Normalized::of(&["twenty", "five"]);
    assert_eq!(turns.render(), "20 5");
    assert_eq!(turns.word(1).unwrap().pause, Pause::Turn);
    assert_eq!(turns.word(1).unwrap().segment, 1);
}

#[test]
fn pauses() {
    let pause = |text: &str| Normalized::of(&[text]).word(1).unwrap().pause;
    for (text, expected) in [
        ("one. two", Pause::Sentence),
        ("yes! no", Pause::Sentence),
        ("Dr. Rivera", Pause::None),
        ("e.g", Pause::None),
        ("well... no", Pause::Short),
        ("well, no", Pause::Short),
        ("well - no", Pause::Short),
        ("well-known", Pause::None),
        ("well no", Pause::None),
    ] {
        assert_eq!(pause(text), expected, "{text}");
    }
}

const ONES: [&str; 20] = [
    "",
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

/// A cardinal in words, another way round than the code under test reads it.
fn in_words(n: usize, and: bool) -> String {
    let below_hundred = |n: usize| match n {
        0..20 => ONES[n].to_owned(),
        _ if n.is_multiple_of(10) => TENS[n / 10].to_owned(),
        _ => format!("{}-{}", TENS[n / 10], ONES[n % 10]),
    };
    let below_thousand = |n: usize| {
        let and = if and { " and " } else { " " };
        match (n / 100, n % 100) {
            (0, rest) => below_hundred(rest),
            (hundreds, 0) => format!("{} hundred", ONES[hundreds]),
            (hundreds, rest) => format!("{} hundred{and}{}", ONES[hundreds], below_hundred(rest)),
        }
    };
    match (n / 1000, n % 1000) {
        (0, 0) => "zero".to_owned(),
        (0, rest) => below_thousand(rest),
        (thousands, 0) => format!("{} thousand", below_thousand(thousands)),
        (thousands, rest) => {
            let and = if and && rest < 100 { " and " } else { " " };
            format!("{} thousand{and}{}", below_thousand(thousands), below_thousand(rest))
        }
    }
}

/// Cardinals to a million are their digits, so that two of them are equal only when they are the same number: all
/// below ten thousand, and above them every thousand with every remainder some thousand has. In full size it is all.
#[test]
fn every_cardinal_is_its_digits() {
    let mut text = String::new();
    for start in (0..1_000_000).step_by(1000) {
        text.clear();
        let step = if start < 10_000 { 1 } else { candor_test_size::pick(29, 1) };
        let shift = (start / 1000) % step;
        for n in (start + shift..start + 1000).step_by(step) {
            text.push_str(&in_words(n, n % 2 == 0));
            text.push_str(" stop ");
        }
        let read = Normalized::of(&[&text]);
        let numbers: Vec<String> =
            read.words().filter(|word| word.text != "stop").map(|word| word.text.to_owned()).collect();
        let expected: Vec<String> = (start + shift..start + 1000).step_by(step).map(|n| n.to_string()).collect();
        assert_eq!(numbers, expected);
    }
}

/// Text out of the pieces the rules are about, so that they meet in every order.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "one",
        "two",
        "five",
        "ten",
        "twenty",
        "ninety",
        "hundred",
        "thousand",
        "million",
        "third",
        "twentieth",
        "zero",
        "oh",
        "o",
        "double",
        "triple",
        "point",
        "and",
        "a",
        "i",
        "u",
        "d",
        "b",
        "5",
        "12",
        "007",
        "1,250",
        "1.5",
        ".5",
        "1/2",
        "3rd",
        "W123",
        "can't",
        "n't",
        "'s",
        "don't",
        "not",
        "colour",
        "patient's",
        "%",
        "$",
        ".",
        ",",
        "-",
        "\u{301}",
        "é",
        "\u{ad}",
        "ß",
        "İ",
        "Σ",
        "’",
        "th",
        "hundredth",
        "no",
        "or",
        "\u{200b}",
        "½",
        "٣",
    ]);
    let gap = prop::sample::select(vec![" ", " ", " ", "", "-", ", ", " - ", "\n"]);
    prop::collection::vec((piece, gap), 0..14)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(600)))]

    #[test]
    fn twice_is_once(text in prop_oneof![hostile(), any::<String>()]) {
        // the ends of sentences, which numbers do not reach over, are not rendered
        let words = Normalized::of(&[&text]);
        prop_assume!(words.words().all(|word| word.pause != Pause::Sentence));
        let once = words.render();
        prop_assert_eq!(normal(&once), once);
    }

    #[test]
    fn spans_point_at_the_words(text in prop_oneof![hostile(), any::<String>()]) {
        let words = Normalized::of(&[&text]);
        let mut before = 0;
        for word in words.words() {
            let source = text.get(word.span.clone()).expect("a span on character boundaries");
            prop_assert!(!source.is_empty());
            prop_assert!(before <= word.span.start);
            before = word.span.start;
            if word.kind == Kind::Word && source.chars().all(|c| c.is_ascii_alphabetic()) && normal(source) == word.text {
                prop_assert!(source.eq_ignore_ascii_case(word.text) || source.len() > 1);
            }
        }
    }

    #[test]
    fn case_does_not_matter(text in hostile()) {
        prop_assert_eq!(normal(&text.to_ascii_uppercase()), normal(&text.to_ascii_lowercase()));
    }

    #[test]
    fn commas_and_hyphens_are_white_space(words in prop::collection::vec("[a-z]{2,8}", 1..8), marks in prop::collection::vec(prop::sample::select(vec![" ", ", ", "-", " - ", "; ", "? ", ". ", " (", "\n\n"]), 8)) {
        prop_assume!(words.iter().all(|word| word != "am" && !normal(word).chars().any(|c| c.is_ascii_digit())));
        let mut marked = String::new();
        for (word, mark) in words.iter().zip(&marks) {
            marked.push_str(word);
            marked.push_str(mark);
        }
        prop_assert_eq!(normal(&marked), normal(&words.join(" ")));
    }

    #[test]
    fn composed_is_decomposed(text in "[a-zéèñüçöÅ ]{0,30}") {
        use unicode_normalization::UnicodeNormalization;
        let decomposed: String = text.nfd().collect();
        prop_assert_eq!(normal(&decomposed), normal(&text));
    }

    #[test]
    fn different_numbers_differ(n in 0usize..1_000_000, m in 0usize..1_000_000) {
        prop_assert_eq!(run(&in_words(n, true)) == run(&in_words(m, false)), n == m);
    }
}
