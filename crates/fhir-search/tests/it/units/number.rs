//! Numbers: ranges that digits leave open, prefixes and comparators.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_json::Value;

use crate::number::{Comparison, Interval};

fn finds(wanted: &str, stored: &str, comparator: Option<&str>) -> bool {
    let value: Value = candor_json::from_str(stored).unwrap();
    Comparison::parse(wanted).unwrap().finds(&Interval::of(&value, comparator).unwrap())
}

#[test]
fn digits_leave_a_range_open() {
    for (wanted, within, without) in [
        ("100", ["99.5", "100.4999"], ["99.4999", "100.5"]),
        ("100.00", ["99.995", "100.0049"], ["99.9949", "100.005"]),
        ("1e2", ["95", "104.999"], ["94.999", "105"]),
        ("1.0e2", ["95", "104.999"], ["94.999", "105"]),
        ("1.00e2", ["99.5", "100.49"], ["99.4", "100.5"]),
        ("-5.4", ["-5.45", "-5.3501"], ["-5.4501", "-5.35"]),
        ("ap100", ["90", "110"], ["89.999", "110.001"]),
        ("0", ["-0.5", "0.49"], ["0.5", "-0.51"]),
    ] {
        for stored in within {
            assert!(finds(wanted, stored, None), "{wanted} {stored}");
        }
        for stored in without {
            assert!(!finds(wanted, stored, None), "{wanted} {stored}");
            if !wanted.starts_with("ap") {
                assert!(finds(&format!("ne{wanted}"), stored, None), "ne{wanted} {stored}");
            }
        }
    }
}

#[test]
fn other_prefixes_are_exact() {
    for (wanted, stored, expected) in [
        ("gt100", "100.1", true),
        ("gt100", "100", false),
        ("ge100", "100", true),
        ("ge100", "99.9", false),
        ("lt100", "99.9", true),
        ("le100", "100.1", false),
        ("sa100", "100.1", true),
        ("eb100", "100", false),
        ("gt0.1", "0.10000000000000000000000000000000000001", true),
        ("le0.1", "0.10000000000000000000000000000000000001", false),
    ] {
        assert_eq!(finds(wanted, stored, None), expected, "{wanted} {stored}");
    }
}

#[test]
fn a_comparator_is_an_interval() {
    for (wanted, comparator, expected) in [
        ("5", "<", false),
        ("ne5", "<", true),
        ("lt5", "<", true),
        ("lt3", "<", true),
        ("ge5", "<", false),
        ("ge5", "<=", true),
        ("gt5", "<=", false),
        ("gt4", "<", true),
        ("eb5", "<", true),
        ("eb5", "<=", false),
        ("sa5", ">", true),
        ("sa5", ">=", false),
        ("sa4", "<", false),
        ("gt100", ">", true),
        ("le5", ">", false),
        ("le5", ">=", true),
    ] {
        assert_eq!(finds(wanted, "5", Some(comparator)), expected, "{wanted} {comparator}5");
    }
}

#[test]
fn what_is_no_number_is_refused() {
    for text in ["", "x", "1,", "1.", ".5", "1e", "--1", "1e99999", "0x1", "NaN", "inf", "gt", "1 ", "１"] {
        assert!(Comparison::parse(text).is_err(), "{text}");
    }
}
