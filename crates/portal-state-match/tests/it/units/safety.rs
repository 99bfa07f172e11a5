//! Rows that say of themselves that they are gone.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use candor_json::{Value, json};
use proptest::prelude::*;

use crate::rows::Content;
use crate::safety::{AFFIXES, REPLACED, TABLE, gone, may_be_gone, rule_of_status};

/// 2026-11-22T12:00:00Z.
const NOW: i64 = 1_795_348_800;

fn found(value: &Value) -> Option<bool> {
    gone(TABLE.rows().first().unwrap(), value, Some(NOW))
}

#[test]
fn every_line_is_a_row() {
    assert_eq!(TABLE.faults(), &[] as &[String]);
    assert!(TABLE.rows().iter().all(|row| row.undoes.is_none() && ["gone", "perhaps", REPLACED].contains(&row.at)));
}

#[test]
fn what_says_that_a_row_is_gone() {
    for value in [
        json!(true),
        json!(1),
        json!("1"),
        json!("TRUE"),
        json!("t"),
        json!("Y"),
        json!("Yes"),
        json!(" yes "),
        json!("2026-11-20T10:00:00Z"),
        json!("2026-11-20"),
        json!("2026-11-20 10:00:00"),
        json!("2026-11-22"),
        json!("2026-11-20 10:00:00.123+00:00"),
        json!("2026-11-20 10:00:00+00"),
        json!("2026-11-20 10:00:00.123456+00"),
        json!(1_795_000_000),
        json!("1795000000000"),
        json!("20261101"),
        json!("2026-11-20T10:00:00+0000"),
        json!("2026-11-20 10:00:00 UTC"),
        json!("2026-11-20T10:00:00,5Z"),
        json!(20_261_101),
        json!(1_793_527_200_000_000_i64),
    ] {
        assert_eq!(found(&value), Some(true), "{value}");
    }
    for value in [
        json!(null),
        json!(false),
        json!(0),
        json!("0"),
        json!("N"),
        json!("no"),
        json!("f"),
        json!("false"),
        json!(""),
        json!(" "),
        json!("0000-00-00"),
        json!("0000-00-00 00:00:00"),
        json!("9999-12-31"),
        json!("9999-12-31T23:59:59Z"),
        json!("2027-01-01"),
        json!("2026-11-22T12:00:01Z"),
        json!(1_795_348_801),
        json!("0001-01-01T00:00:00"),
        json!("1900-01-01"),
        json!("none"),
        json!("1970-01-01T00:00:00Z"),
        json!("infinity"),
        json!("NULL"),
        json!([]),
        json!({}),
    ] {
        assert_eq!(found(&value), Some(false), "{value}");
    }
    assert_eq!(found(&json!("20270101")), Some(false));
    // Each may be a past date, or a word for one.
    for value in [
        json!("11/20/2026"),
        json!("deleted"),
        json!(46_327),
        json!(2),
        json!(-1),
        json!([2026, 11, 1]),
        json!({"$date": "2026-11-01T10:00:00Z"}),
    ] {
        assert_eq!(found(&value), None, "{value}");
    }
    // An hour later than now by the clock in Greenwich is past in Tokyo.
    assert_eq!(found(&json!("2026-11-22T13:00:00")), None);
    assert_eq!(found(&json!("2026-11-24T13:00:00")), Some(false));
    let of_old_recording = |value: Value| gone(TABLE.rows().first().unwrap(), &value, None);
    assert_eq!(of_old_recording(json!("2026-11-20")), Some(true));
    assert_eq!(of_old_recording(json!("9999-12-31")), Some(false));
}

/// Each word of the table with each affix before and behind it, in five spellings.
#[test]
fn a_column_has_its_name_in_any_spelling() {
    for rule in TABLE.rows() {
        for affix in AFFIXES {
            for words in [vec![rule.element], vec![affix, rule.element], vec![rule.element, affix]] {
                let capital = |word: &&str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
                let camel: Vec<String> = words.iter().map(capital).collect();
                for name in
                    [words.join("_"), words.join("-"), words.concat(), words.join("_").to_uppercase(), camel.concat()]
                {
                    assert!(may_be_gone(&Content::Typed(json!({&name: null}))), "{name}");
                }
            }
        }
    }
    for name in
        ["deleted_by", "undeleted", "avoided", "active_ingredient", "radioactive", "removed_stitches", "statusCode"]
    {
        assert!(!may_be_gone(&Content::Typed(json!({name: null}))), "{name}");
    }
    assert!(may_be_gone(&Content::Typed(json!({"meta": {"deletedAt": null}}))));
    for (name, value, expected) in [
        ("record_status", json!("Deleted"), true),
        ("state", json!("voided"), true),
        ("status", json!("archived"), false),
        ("statusCode", json!("removed"), true),
        ("estate", json!("deleted"), false),
        ("action", json!("deleted"), false),
        ("status", json!(1), false),
    ] {
        assert_eq!(rule_of_status(name, &value).is_some(), expected, "{name} {value}");
    }
}

proptest! {
    /// Whatever is written: a flag is one in any case, and reading a value ends.
    #[test]
    fn any_value_is_judged(text in ".{0,40}", number in any::<i64>(), now in any::<i64>()) {
        let rule = TABLE.rows().first().unwrap();
        let _ = gone(rule, &json!(text), Some(now));
        let is_past = gone(rule, &json!(number), Some(now));
        prop_assert_eq!(is_past, gone(rule, &json!(number.to_string()), Some(now)));
    }
}
