//! Weights and scores, from text and back.
#![allow(clippy::unwrap_used, reason = "a test stops where it breaks")]

use candor_scoring::{Fraction, MAX_DENOMINATOR, NumberError, Score, Weight};

fn score(text: &str) -> Score {
    text.parse().unwrap()
}

#[test]
fn weights_are_exact_decimals() {
    for (text, written) in [
        ("0", "0"),
        ("-0.0", "0"),
        ("1", "1"),
        ("2.50", "2.5"),
        ("0.1", "0.1"),
        ("1e2", "100"),
        ("12E-1", "1.2"),
        ("100e-402", "1e-400"),
        ("1e308", "1e308"),
        ("0.30000000000000000000000000000000000001", "0.30000000000000000000000000000000000001"),
        ("123456789012345678901234567890123456789012345", "123456789012345678901234567890123456789012345"),
        ("0.000000000000000000000000000000000000000000000000005", "5e-51"),
    ] {
        let weight: Weight = text.parse().unwrap();
        assert_eq!(weight.to_string(), written, "{text}");
        let json = candor_json::to_string(&weight).unwrap();
        assert_eq!(json.parse::<Weight>().unwrap(), weight, "{text}");
        assert_eq!(written.parse::<Weight>().unwrap(), weight, "{text}");
    }
}

#[test]
fn what_is_no_weight_is_refused() {
    for (text, error) in [
        ("", NumberError::Syntax),
        ("NaN", NumberError::Syntax),
        ("Infinity", NumberError::Syntax),
        ("inf", NumberError::Syntax),
        ("+1", NumberError::Syntax),
        ("01", NumberError::Syntax),
        (".5", NumberError::Syntax),
        ("1.", NumberError::Syntax),
        ("1e", NumberError::Syntax),
        ("1e+", NumberError::Syntax),
        ("1 ", NumberError::Syntax),
        ("0x1", NumberError::Syntax),
        ("\"1\"", NumberError::Syntax),
        ("١", NumberError::Syntax),
        ("-1", NumberError::Negative),
        ("-1e-400", NumberError::Negative),
        ("1e309", NumberError::TooLarge),
        ("1e99999999999999999999999", NumberError::TooLarge),
        ("1e-401", NumberError::TooPrecise),
        ("1e-99999999999999999999999", NumberError::TooPrecise),
    ] {
        assert_eq!(text.parse::<Weight>(), Err(error), "{text}");
    }
    assert_eq!("0e99999999999999999999999".parse::<Weight>(), Ok(Weight::ZERO));
    assert_eq!(format!("0.{}1e100001", "0".repeat(100_000)).parse::<Weight>(), Ok(Weight::ONE));
}

#[test]
fn small_fractions_survive_being_written() {
    let largest = u64::from(MAX_DENOMINATOR);
    for denominator in (1..=150).chain(largest - 80..=largest) {
        for numerator in 0..=denominator {
            let made = Score::of(numerator, denominator).unwrap();
            let text = candor_json::to_string(&made).unwrap();
            assert_eq!(score(&text), made, "{numerator}/{denominator} is written {text}");
        }
    }
}

#[test]
fn few_digits_can_be_a_fraction_too() {
    // The shortest form of 927/949 has thirteen digits and is not its value.
    let made = Score::of(927, 949).unwrap();
    assert_eq!(made.to_string(), "0.9768177028451");
    assert_eq!(score("0.9768177028451"), made);
    assert_eq!(score("9768177028451e-13"), made);
    assert_ne!(score("0.97681770284510001"), made);
}

#[test]
fn other_text_is_the_exact_decimal() {
    let exact = |text: &str| score(text).to_fraction();
    assert_eq!(exact("0.9"), Fraction::PASS_THRESHOLD);
    assert_eq!(exact("9e-1"), Fraction::PASS_THRESHOLD);
    // The same float as 0.9, and less than it.
    assert!(exact("0.89999999999999999") < Fraction::PASS_THRESHOLD);
    assert!(exact("0.90000000000000001") > Fraction::PASS_THRESHOLD);
    assert!(exact("0.99999999999999999999") < Fraction::ONE);
    assert!(exact("1e-400") > Fraction::ZERO);
    assert_eq!(exact("0.12345"), Fraction::of(12345, 100_000).unwrap());
    assert_eq!(exact("0.666667"), Fraction::of(666_667, 1_000_000).unwrap());
    assert_eq!(exact("0.001953125"), Fraction::of(1, 512).unwrap());
    assert_eq!(score("0.001953125"), Score::of(1, 512).unwrap());
}

#[test]
fn what_is_no_score_is_refused() {
    for (text, error) in [
        ("1.0000000000000000000001", NumberError::AboveOne),
        ("2", NumberError::AboveOne),
        ("1e300", NumberError::AboveOne),
        ("-0.1", NumberError::Negative),
        ("NaN", NumberError::Syntax),
        ("null", NumberError::Syntax),
        ("1e-401", NumberError::TooPrecise),
    ] {
        assert_eq!(text.parse::<Score>(), Err(error), "{text}");
    }
    assert_eq!(Score::of(2, 1), None);
    assert_eq!(Score::of(0, 0), None);
}

#[test]
fn a_number_never_says_more_than_was_earned() {
    let almost = Fraction::of(899_999_999_999_999_999, 1_000_000_000_000_000_000).unwrap();
    assert!(almost.to_f64() < 0.9);
    assert_eq!(Score::from(&almost).to_string(), "0.8999999999999999");
    let nearly_one = Score::of(u64::MAX - 1, u64::MAX).unwrap();
    assert!(!nearly_one.is_one());
    assert_eq!(nearly_one.to_string(), "0.9999999999999999");
    assert_eq!(Score::of(1, u64::MAX).unwrap().to_string(), "5.421010862427522e-20");
}
