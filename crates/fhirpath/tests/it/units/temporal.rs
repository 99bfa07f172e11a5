//! Dates and times.
#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::cmp::Ordering;

use proptest::prelude::*;

use crate::temporal::{ATTOSECONDS, Temporal, date_of, days_from_start};

fn at(text: &str) -> Temporal {
    Temporal::date_time(text).unwrap()
}

#[test]
fn compares_by_precision() {
    use Ordering::{Equal, Greater, Less};
    for (a, b, order) in [
        ("2018-03", "2018-03-01", None),
        ("2018-02", "2018-03-01", Some(Less)),
        ("2012-04-15T15:30:31", "2012-04-15T15:30:31.0", Some(Equal)),
        ("2018-03-01T10:30", "2018-03-01T10:30:00", None),
        ("2012-04-15T15:00:00+02:00", "2012-04-15T16:00:00+03:00", Some(Equal)),
        ("2012-04-15T15:00:00Z", "2012-04-15T10:00:00", None),
        ("2012-04-16T15:00:00Z", "2012-04-15T10:00:00", Some(Greater)),
        ("1974-12-25", "2026-11-21T10:00:00Z", Some(Less)),
    ] {
        assert_eq!(at(a).compare(&at(b)), order, "{a} {b}");
        assert_eq!(at(b).compare(&at(a)), order.map(Ordering::reverse), "{b} {a}");
    }
}

#[test]
fn refuses_what_is_no_date() {
    for text in ["", "20", "2026-13", "2026-02-29", "2026-1-1", "2026-11-20T", "0000", "2026-11-20T25", "2026-11T10:00"]
    {
        assert!(Temporal::date(text).is_none(), "{text}");
    }
    for text in
        ["2026-11T10:00", "2026-11-20T10:00:00+15:00", "2026-11-20T10:00:00.", "2026-11-20T10:0", "2026-11-20 10:00"]
    {
        assert!(Temporal::date_time(text).is_none(), "{text}");
    }
}

#[test]
fn moves_over_the_ends_of_months_and_days() {
    assert_eq!(at("2024-01-31").plus_months(1).unwrap().to_string(), "2024-02-29");
    assert_eq!(at("2024-02-29").plus_months(12).unwrap().to_string(), "2025-02-28");
    assert_eq!(at("2026-12-31T23:59:59").plus(ATTOSECONDS).unwrap().to_string(), "2027-01-01T00:00:00");
    assert_eq!(at("9999-12-31T23:59:59").plus(ATTOSECONDS), None);
    let late = Temporal::time("23:00").unwrap();
    assert_eq!(late.plus(2 * 3600 * ATTOSECONDS).unwrap().to_string(), "01:00");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(200)))]
    #[test]
    fn days_come_back(days in 307i64..3_652_000) {
        if let Some((year, month, day)) = date_of(days) {
            prop_assert_eq!(days_from_start(year, month, day), days);
        }
    }

    #[test]
    fn never_panics(text in "[-0-9T:.Z+]{0,30}") {
        let read = [Temporal::date(&text), Temporal::date_time(&text), Temporal::time(&text)];
        for value in read.into_iter().flatten() {
            let again = Temporal::date_time(&value.to_string()).or_else(|| Temporal::time(&value.to_string()));
            prop_assert!(again.is_some());
            let _ = value.compare(&value);
        }
    }
}
