//! The equivalence rules of `using`.

use std::borrow::Cow;

use candor_check::compare::{Comparison, Datum, MatchMode, RULES, References, Rule, equal, normalized};
use candor_json::json;
use proptest::prelude::*;

#[test]
fn each_rule_does_what_it_says_and_no_more() {
    for (rule, a, b, same) in [
        ("case", "Größe", "GRÖSSE", true),
        ("case", "a b", "A  B", false),
        ("whitespace", " a \t b\n", "a b", true),
        ("accents", "José", "Jose\u{301}", true),
        ("accents", "José", "Jose", true),
        ("accents", "Jose", "jose", false),
        ("punctuation", "O'Brien-Smith", "OBrienSmith", true),
        ("punctuation", "a+b", "ab", true),
        ("punctuation", "$1,250.00", "1250.00", true),
        ("punctuation", "$1,250.00", "1250", true),
        ("punctuation", "$125,000", "1250.00", false),
        ("punctuation", "-$1,250.00", "1250.00", false),
        ("punctuation", "($1,250.00)", "1250.00", false),
        ("punctuation", "12.50", "1250", false),
        ("punctuation", "00-123", "00123", true),
        ("money", "1.250,00 EUR", "€1,250.00", true),
        ("money", "1250¢", "1250", false),
        ("money", "PA-1001", "PA1001", false),
        ("digits", "+1 (555) 010-9999", "15550109999", true),
        ("digits", "unknown", "N/A", false),
        ("digits", "N/A", "", false),
        ("leading_zeros", "000123", "123", true),
        ("leading_zeros", "000", "0", true),
        ("leading_zeros", "100", "1", false),
        ("leading_zeros", "000.5", "0.5", true),
        ("icd10", "e11.9", "E119", true),
        ("icd10", "E11.9", "E11.90", false),
        ("ndc", "0002-1433-80", "00002143380", true),
        ("ndc", "50242-040-62", "50242004062", true),
        ("ndc", "60575-4112-1", "60575411201", true),
        ("ndc", "60575-4112-1", "60575-4112-01", true),
        ("person_name", "Smith, Jr.", "SMITH JR", true),
        ("person_name", "Smith,Jr.", "Smith Jr", true),
        ("person_name", "O'Brien", "obrien", true),
        ("person_name", "Müller", "MULLER", true),
        ("person_name", "Smith", "Smyth", false),
    ] {
        let rule = Rule::named(rule).unwrap();
        assert_eq!(normalized(&[rule], a) == normalized(&[rule], b), same, "{rule:?}: {a} / {b}");
    }
    let none = References::default();
    for (code, judged) in
        [("0002143380", Comparison::Undecidable), ("0002143381", Comparison::Fails), ("00002143380", Comparison::Holds)]
    {
        let manner = MatchMode::new(&[Rule::Ndc], &[], &none);
        let there_and_back = [(code, "00002143380"), ("00002143380", code)]
            .map(|(a, b)| equal(&Datum::Text(Cow::Borrowed(a)), &json!(b), &manner));
        assert_eq!(there_and_back, [judged; 2], "{code}");
    }
}

proptest! {
    #[test]
    fn every_rule_is_idempotent(text in "\\PC{0,30}") {
        for &(name, rule) in RULES {
            for text in [text.clone(), format!("{text}€!"), format!("({text}$)")] {
            let once = normalized(&[rule], &text).into_owned();
            let twice = normalized(&[rule], &once).into_owned();
            prop_assert_eq!(&twice, &once, "{}", name);
            }
        }
    }
}
