//! Patterns of names.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use candor_check::Failure;
use candor_json::{Value, json};
use jiff::civil::Date;
use proptest::prelude::*;

use crate::hygiene::name::{NamePattern, rule};

fn read(pattern: &str, name: &str) -> Option<Value> {
    let captures = NamePattern::parse(pattern).unwrap().captures(name)?;
    Some(captures.into_iter().collect::<candor_json::Map<_, _>>().into())
}

#[test]
fn names_are_read() {
    let pattern = "835_{date:%Y%m%d}_{seq:04}.edi";
    assert_eq!(read(pattern, "in/835_20261120_0007.edi"), Some(json!({"date": "2026-11-20", "seq": 7})));
    assert_eq!(read(pattern, "835_20261120_12345.edi"), Some(json!({"date": "2026-11-20", "seq": 12345})));
    for wrong in [
        "835_20261320_0007.edi",
        "835_20261120_007.edi",
        "835_20261120_0007.edi.bak",
        "x835_20261120_0007.edi",
        "835_20261120_00070.edi",
    ] {
        assert_eq!(read(pattern, wrong), None, "{wrong}");
    }
    assert_eq!(read("{who}_{n:d}.csv", "A_B_12.csv"), Some(json!({"who": "A_B", "n": 12})));
    assert_eq!(read("{at:%y%j-%H%M}{{}}", "26324-0915{}"), Some(json!({"at": "2026-11-20T09:15:00"})));
}

#[test]
fn what_is_no_pattern_says_why() {
    for (pattern, why) in [
        ("{a", "is not closed"),
        ("a}", "closes nothing"),
        ("{}", "has no name"),
        ("{a}{a}", "names `a` twice"),
        ("{a:x}", "is neither digits"),
        ("{a:%Y}", "names no day"),
        ("{a:%B%d%Y}", "`%B` is not read"),
        ("{a:99}", "expected 1 to 18"),
        ("a/{b}", "put folders into `path`"),
    ] {
        let error = NamePattern::parse(pattern).unwrap_err();
        assert!(error.contains(why), "{pattern}: {error}");
    }
    assert!(rule("{a}", Some("a".to_owned())).unwrap_err().contains("has no number of that name"));
}

#[test]
fn gaps_and_repeats_are_named() {
    let rule = rule("{n:d}.csv", Some("n".to_owned())).unwrap();
    let of = |numbers: &[u64]| {
        let paths: Vec<String> = numbers.iter().map(|number| format!("in/{number}.csv")).collect();
        rule.in_sequence(&paths).map(|(_, result)| (result.passed, result.actual))
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[9, 11, 10]), Some((true, json!("9 to 11"))));
    assert_eq!(of(&[1, 3, 3, 9]), Some((false, json!({"missing": ["2", "4 to 8"], "repeated": [3]}))));
    let (failure, result) = rule.in_sequence(&["a.csv".to_owned()]).unwrap();
    assert_eq!((failure, result.path.as_str()), (Failure::FieldMismatch, "$name"));
}

proptest! {
    #[test]
    fn what_a_pattern_writes_it_reads(year in 1900_i16..2100, day in 1_i16..=365, number in 0_u64..1_000_000, who in "[a-z_.]{1,9}") {
        let date = Date::new(year, 1, 1).unwrap().with().day_of_year(day).build().unwrap();
        let name = format!("{who}-{}-{number:04}.csv", date.strftime("%d%m%Y"));
        let expected = json!({"who": who, "date": date.to_string(), "n": number});
        prop_assert_eq!(read("{who}-{date:%d%m%Y}-{n:04}.csv", &name), Some(expected));
    }

    #[test]
    fn never_panics_and_ends(pattern in "[{}a:%Yd0-9/]{0,12}", name in "[{}a0-9é]{0,40}") {
        if let Ok(pattern) = NamePattern::parse(&pattern) {
            let _ = pattern.captures(&name);
        }
        let many = NamePattern::parse("{a}{b}{c}{d}{e}{f}x").unwrap();
        let _ = many.captures(&name.repeat(4));
    }
}
