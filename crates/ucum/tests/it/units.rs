//! Units as health records write them.

use std::cmp::Ordering::{Equal, Greater, Less};

use candor_ucum::{CompareError, ParseError, Unit, calendar, canonical, compare, convert};
use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;

#[expect(clippy::unwrap_used, reason = "the numbers are written here")]
fn number(text: &str) -> BigRational {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
    BigRational::new(digits, BigInt::from(10).pow(u32::try_from(fraction.len()).unwrap()))
}

#[test]
fn quantities_compare_across_units() {
    for (left, unit, ordering, right, other) in [
        ("1", "g", Equal, "1000", "mg"),
        ("5.5", "mmol/L", Equal, "0.0055", "mol/l"),
        ("120", "mm[Hg]", Equal, "15.99864", "kPa"),
        ("1", "[lb_av]", Equal, "0.45359237", "kg"),
        ("1", "[in_i]", Equal, "2.54", "cm"),
        ("37", "Cel", Equal, "98.6", "[degF]"),
        ("37", "Cel", Equal, "310.15", "K"),
        ("80", "[degRe]", Equal, "100", "Cel"),
        ("491.67", "[degR]", Equal, "0", "Cel"),
        ("-40", "Cel", Equal, "-40", "[degF]"),
        ("1000", "mCel", Equal, "1", "Cel"),
        ("4.5", "10*3/uL", Equal, "4500000", "/mL"),
        ("4.5", "10*6/uL", Equal, "4.5", "10^12/L"),
        ("72", "/min", Equal, "72", "{beats}/min"),
        ("1.2", "Hz", Equal, "72", "/min"),
        ("50", "%", Equal, "0.5", "1"),
        ("15", "{score}", Equal, "15", "1"),
        ("1", "mL", Equal, "1", "cm3"),
        ("1", "kg.m/s2", Equal, "1", "N"),
        ("1", "m/(s.s)", Equal, "1", "m.s-2"),
        ("1", "[IU]/L", Equal, "1", "[iU]/L"),
        ("1", "m[IU]/mL", Equal, "1", "k[iU]/kL"),
        ("10", "dB", Equal, "1", "B"),
        ("7.4", "[pH]", Greater, "7.35", "[pH]"),
        ("1", "h", Equal, "3600", "s"),
        ("12", "mo", Equal, "1", "a"),
        ("1", "kat", Equal, "60000000", "U"),
        ("2", "[tsp_us]", Less, "10", "mL"),
        ("1", "meq/L", Equal, "1", "mmol/L"),
        ("8", "bit", Equal, "1", "By"),
        ("1", "KiBy", Equal, "1024", "By"),
        ("180", "deg", Equal, "1", "[pi].rad"),
    ] {
        assert_eq!(
            compare(&number(left), unit, &number(right), other),
            Ok(ordering),
            "{left} {unit} / {right} {other}"
        );
    }
}

#[test]
fn what_measures_different_things_has_no_order() {
    for (a, b) in [
        ("g", "mL"),
        ("g/dL", "mmol/L"),
        ("[iU]", "1"),
        ("[iU]", "[arb'U]"),
        ("[pH]", "mol/L"),
        ("B", "B[V]"),
        ("rad", "1"),
        ("Cel", "m"),
        ("/min", "1"),
        ("[CFU]/mL", "/mL"),
    ] {
        let result = compare(&number("1"), a, &number("1"), b);
        assert!(matches!(result, Err(CompareError::Incomparable { .. })), "{a} {b}: {result:?}");
    }
}

#[test]
fn what_is_no_unit_says_where() {
    use ParseError::{Empty, SpecialInTerm, TooLarge, TooLong, Unexpected, Unknown};
    let unknown = |at, code: &str| Unknown { at, code: code.into() };
    let special = |at, code: &str| SpecialInTerm { at, code: code.into() };
    for (text, error) in [
        ("", Empty),
        (" ", unknown(0, " ")),
        ("mg ", unknown(0, "mg ")),
        ("KG", unknown(0, "KG")),
        ("mg/", Unexpected { at: 3 }),
        ("/", Unexpected { at: 1 }),
        ("mg//dL", Unexpected { at: 3 }),
        ("mg.", Unexpected { at: 3 }),
        ("(mg", Unexpected { at: 3 }),
        ("mg)", Unexpected { at: 2 }),
        ("()", Unexpected { at: 1 }),
        ("mg{", Unexpected { at: 3 }),
        ("mg{a", Unexpected { at: 4 }),
        ("mg{a{b}}", Unexpected { at: 4 }),
        ("mg{a}b", Unexpected { at: 5 }),
        ("mg}", Unexpected { at: 2 }),
        ("[lb_av", unknown(0, "[lb_av")),
        ("k[lb_av]", unknown(0, "k[lb_av]")),
        ("kmin", unknown(0, "kmin")),
        ("m-", unknown(0, "m-")),
        ("-1", unknown(0, "")),
        ("0", Unexpected { at: 0 }),
        ("m/0", Unexpected { at: 2 }),
        ("Cel/min", special(0, "Cel")),
        ("2.Cel", special(2, "Cel")),
        ("/Cel", special(1, "Cel")),
        ("Cel2", special(0, "Cel")),
        ("{a}/Cel", special(4, "Cel")),
        ("10*9999", TooLarge { at: 0 }),
        ("kg999", TooLarge { at: 0 }),
        ("µg", unknown(0, "µg")),
        ("cells/uL", unknown(0, "cells")),
    ] {
        assert_eq!(Unit::parse(text).unwrap_err(), error, "{text}");
    }
    assert_eq!(Unit::parse(&"m.".repeat(400)), Err(TooLong));
    assert_eq!(Unit::parse(&"(".repeat(200)), Err(TooLarge { at: 32 }));
    assert_eq!(Unit::parse(&["10*150"; 12].join(".")).unwrap_err(), TooLarge { at: 14 });
}

#[test]
fn special_units_stand_beside_annotations() {
    for text in ["Cel{oral}", "Cel.{oral}", "{oral}.Cel", "(Cel)", "[degF]{axillary}"] {
        assert!(Unit::parse(text).is_ok(), "{text}");
    }
}

#[test]
fn conversion_goes_both_ways_exactly() {
    assert_eq!(convert(&number("98.6"), "[degF]", "Cel"), Ok(number("37")));
    assert_eq!(convert(&number("70"), "kg", "[lb_av]"), Ok(number("70") / number("0.45359237")));
    assert!(convert(&number("1"), "kg", "m").is_err());
    assert!(convert(&number("1"), "kilo", "m").is_err());
}

#[test]
fn the_dimension_is_a_unit_itself() {
    for unit in ["mm[Hg]", "V", "[iU]/mL", "1", "lx", "[pH]", "m[H2O]", "mol/L"] {
        let dimension = canonical(&number("1"), unit).unwrap().dimension;
        assert_eq!(Unit::parse(&dimension.to_string()).unwrap().dimension(), &dimension, "{unit}");
    }
}

#[test]
fn calendar_words() {
    for (word, unit) in [("year", "a"), ("months", "mo"), ("weeks", "wk"), ("day", "d"), ("milliseconds", "ms")] {
        assert_eq!(calendar(word).map(|c| c.unit), Some(unit));
        assert!(Unit::parse(unit).is_ok());
    }
    assert_eq!(calendar("dayss"), None);
    assert_eq!(calendar("s"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(128)))]

    #[test]
    fn no_text_panics_and_what_is_read_converts_back(text in "(([kmu]?(g|m|L|s|Cel|mol|\\[iU\\])|[0-9]{1,4}|10\\*|\\[degF\\]|\\{a\\}|[()%{}\\[\\]])[-+]?[0-9]{0,4}[./]?){0,8}") {
        if let Ok(unit) = Unit::parse(&text) {
            let value = number("12.34");
            prop_assert_eq!(unit.value_of(&unit.canonical(&value)), Some(value));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}") {
        let _ = Unit::parse(&text);
    }

    #[test]
    fn order_does_not_depend_on_the_unit(a in -10_000i64..10_000, b in -10_000i64..10_000) {
        let (a, b) = (BigRational::from_integer(a.into()), BigRational::from_integer(b.into()));
        for (from, to) in [("mg", "[gr]"), ("Cel", "[degF]"), ("mmol/L", "/uL"), ("[in_us]", "pc")] {
            let converted = convert(&b, from, to).unwrap();
            prop_assert_eq!(compare(&a, from, &converted, to).unwrap(), a.cmp(&b));
        }
    }
}
