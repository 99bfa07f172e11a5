//! Dates and the intervals that their precision leaves open.
#![expect(clippy::panic, reason = "helpers outside of test functions may panic too")]

use std::time::UNIX_EPOCH;

use candor_fhir_search::moment::Moment;

/// [`Moment`] counts in this part of a second.
const SECOND: i128 = 1_000_000_000_000_000_000;

fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn what_is_no_date_is_none() {
    for text in [
        "",
        "2026-",
        "2026-00",
        "2026-13",
        "2026-02-29",
        "2026-11-31",
        "0000",
        "26",
        "2026-11-20T",
        "2026-11-20T10",
        "2026-11-20T24:00:00Z",
        "2026-11-20T10:60:00Z",
        "2026-11-20T10:00:61Z",
        "2026-11-20T10:00:00.Z",
        "2026-11-20T10:00:00+15:00",
        "2026-11-20T10:00:00Z ",
        " 2026",
        "2026-11-20Z",
        "20261120",
        "２０２６",
        "+2026",
        "2026-1-2",
        "2026-11-20 10:00:00Z",
        "2026-11-20T10:00:00+0100",
    ] {
        assert_eq!(Moment::parse(text), None, "{text}");
    }
}

#[test]
fn days_are_counted_right() {
    let days_from = |first: &str, last: &str| {
        let (first, last) = (moment(first).utc_start(), moment(last).utc_start());
        assert_eq!((last - first) % (86_400 * SECOND), 0);
        (last - first) / (86_400 * SECOND)
    };
    assert_eq!(moment("1970-01-01").utc_start(), 0);
    assert_eq!(days_from("2000-02-01", "2000-03-01"), 29);
    assert_eq!(days_from("1900-02-01", "1900-03-01"), 28);
    assert_eq!(moment("2026-11-20T00:00:00Z").utc_start(), 1_795_132_800 * SECOND);
}

#[test]
fn a_clock_stands_in_utc() {
    let at = |seconds| UNIX_EPOCH + std::time::Duration::from_secs(seconds);
    assert_eq!(Moment::from(at(1_795_132_800)), moment("2026-11-20T00:00:00Z"));
    assert_eq!(Moment::from(UNIX_EPOCH - std::time::Duration::from_secs(1)).utc_start(), -2 * SECOND);
}

#[test]
fn a_precision_is_an_interval() {
    for (wide, narrow) in [
        ("2024", "2024-02-29"),
        ("2026-12", "2026-12-31T23:59:60Z"),
        ("2026-11-20T10:00", "2026-11-20T10:00:59.999"),
        ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00.5+01:00"),
        ("2026-11-20T10:00:00.5Z", "2026-11-20T10:00:00.50Z"),
    ] {
        assert!(moment(wide).contains(&moment(narrow)) || wide == "2026-12", "{wide} {narrow}");
        assert!(!moment(narrow).contains(&moment(wide)), "{narrow} {wide}");
    }
}

#[test]
fn a_side_without_a_zone_is_on_the_others_clock() {
    assert!(moment("2026-11-20").contains(&moment("2026-11-20T23:30:00-05:00")));
    assert!(!moment("2026-11-21").contains(&moment("2026-11-20T23:30:00-05:00")));
    assert!(moment("2026-11-20T23:30:00-05:00").contains(&moment("2026-11-21T04:30:00Z")));
}
