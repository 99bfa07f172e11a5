//! Frequencies.

use candor_json::json;
use proptest::prelude::*;

use crate::dosage::frequency::Frequency;

fn rate(times: u64, hours: u64) -> Option<Frequency> {
    Some(Frequency::Rate { times, hours, when: None })
}

fn daily_at(when: &'static str) -> Option<Frequency> {
    rate(1, 24).map(|daily| daily.at(Some(when)))
}

#[test]
fn abbreviations_and_words_are_what_they_mean() {
    for (texts, expected) in [
        (
            &[
                "QD",
                "q.d.",
                "once daily",
                "daily",
                "every day",
                "once a day",
                "one time per day",
                "every 24 hours",
                "1x/day",
                "1 time / day",
            ][..],
            rate(1, 24),
        ),
        (
            &["BID", "b.i.d.", "twice daily", "two times a day", "2 times per day", "every 12 hours", "Q12H"],
            rate(1, 12),
        ),
        (&["TID", "three times daily", "3 times a day", "every 8 hours", "q8h"], rate(1, 8)),
        (&["QOD", "every other day", "every 2 days", "every 48 hours"], rate(1, 48)),
        (&["once weekly", "weekly", "every week", "QWK", "Q7D"], rate(1, 168)),
        (&["once", "ONCE", "single dose", "STAT"], Some(Frequency::Once)),
        (
            &["once at bedtime", "once nightly", "1 before bed", "once at night", "once every night", "QHS"],
            daily_at("bedtime"),
        ),
        (&["once in the morning", "once every morning", "once daily in the morning"], daily_at("morning")),
        (&["once in the evening", "once each evening"], daily_at("evening")),
        (&["every 4 to 6 hours", "often", "2", "", "before meals", "single dose at bedtime"], None),
    ] {
        for text in texts {
            assert_eq!(Frequency::parse(text), expected, "{text}");
        }
    }
    let bedtime = Frequency::parse("at bedtime").unwrap();
    assert!(bedtime.is_met_by(&Frequency::parse("QHS").unwrap()));
    assert!(!bedtime.is_met_by(&Frequency::parse("QD").unwrap()));
    assert!(Frequency::parse("once daily").unwrap().is_met_by(&bedtime));
}

#[test]
fn a_repeat_is_read_by_its_parts() {
    for (repeat, expected) in [
        (json!({"frequency": 2, "period": 1, "periodUnit": "d"}), rate(1, 12)),
        (json!({"frequency": 1, "period": 8.0, "periodUnit": "h"}), rate(1, 8)),
        (json!({"period": 1, "periodUnit": "wk"}), rate(1, 168)),
        (json!({"timeOfDay": ["08:00:00", "20:00:00"]}), rate(1, 12)),
        (json!({"dayOfWeek": ["mon", "thu"]}), rate(1, 84)),
        (json!({"when": ["HS"]}), daily_at("bedtime")),
        (json!({"count": 1}), Some(Frequency::Once)),
        (json!({"frequency": 1, "frequencyMax": 2, "period": 1, "periodUnit": "d"}), None),
        (json!({"frequency": 1, "period": 4, "periodMax": 6, "periodUnit": "h"}), None),
        (json!({"period": 1.5, "periodUnit": "d"}), None),
        (json!({"frequency": 1, "period": 1, "periodUnit": "a"}), None),
        (json!({}), None),
    ] {
        assert_eq!(Frequency::of_repeat(&repeat), expected, "{repeat}");
    }
}

proptest! {
    #[test]
    fn never_panics(text in ".{0,60}", frequency in any::<u64>(), period in any::<u64>()) {
        let _ = Frequency::parse(&text);
        for unit in ["h", "d", "wk", "mo", "x"] {
            let _ = Frequency::of_repeat(&json!({"frequency": frequency, "period": period, "periodUnit": unit}));
        }
    }

    #[test]
    fn words_codes_and_repeats_agree(times in 1_u64..12) {
        let words = Frequency::parse(&format!("{times} times a day")).unwrap();
        let repeat = Frequency::of_repeat(&json!({"frequency": times, "period": 1, "periodUnit": "d"})).unwrap();
        prop_assert_eq!(&words, &repeat);
        prop_assert_eq!(words.in_days(5), Some(times * 5));
    }
}
