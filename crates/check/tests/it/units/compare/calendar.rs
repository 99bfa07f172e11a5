//! Dates against dates, with and without a zone.

use candor_check::compare::Comparison::{Fails, Holds, Undecidable, Vague};
use candor_check::compare::{Date, DateForm, DateValue, Order, Zone};
use proptest::prelude::*;

const ORDERS: [Order; 4] = [Order::Less, Order::LessOrEqual, Order::Greater, Order::GreaterOrEqual];

fn read(text: &str) -> Date {
    [DateForm::Iso, DateForm::Hl7, DateForm::X12].iter().find_map(|&f| Date::parse(text, f)).unwrap()
}

fn zone(name: &str) -> Zone {
    Zone::named(name).unwrap()
}

#[test]
fn equality_is_at_the_precision_of_what_is_expected() {
    for (value, expected, answer) in [
        ("2026-11-20", "2026-11-20", Holds),
        ("20261120", "2026-11-20", Holds),
        ("2026-11-20", "2026-11-21", Fails),
        ("2026-11-20", "2026-11", Holds),
        ("2026-11-20T10:15:00Z", "2026", Holds),
        ("20261120101500-0500", "2026-11-20", Holds),
        ("2026-11-20T10:15:00Z", "2026-11-20", Holds),
        ("2026-11-20T10:15:00", "2026-11-20", Holds),
        ("2026-11-20T23:59:59.9-05:00", "2026-11-20", Holds),
        ("2026-11-21T00:00:00-05:00", "2026-11-20", Fails),
        ("202611180930", "2026-11-18", Holds),
        ("202611180930", "2026-11-18T09:30:00Z", Vague),
        // Less precise than expected.
        ("2026-11", "2026-11-20", Vague),
        ("2026-12", "2026-11-20", Fails),
        ("2026", "2026-11-20", Vague),
        ("2026-11-20", "2026-11-20T10:00:00", Vague),
        ("2026-11-20T10:00", "2026-11-20T10:00:30", Vague),
        ("2026-11-20T10:00:30", "2026-11-20T10:00", Holds),
        // Instants.
        ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00+01:00", Holds),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00+00:00", Holds),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00+01:00", Fails),
        ("20261120100000-0500", "2026-11-20T15:00:00Z", Holds),
        ("2026-11-20T10:00:00", "2026-11-20T10:00:00.000", Holds),
        ("2026-11-20T10:00:00.5", "2026-11-20T10:00:00", Fails),
        ("2026-11-20T24:00:00", "2026-11-21T00:00:00", Holds),
        // Local times and instants.
        ("2026-11-20T10:00:00", "2026-11-20T10:00:00Z", Vague),
        ("2026-11-22T10:00:00", "2026-11-20T10:00:00Z", Fails),
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00", Undecidable),
        // UTC may mean any zone: only its own day is certain.
        ("2026-11-21T02:00:00Z", "2026-11-20", Undecidable),
        ("2026-11-21T02:00:00+00:00", "2026-11-20", Undecidable),
        ("2026-11-21T02:00:00+01:00", "2026-11-20", Fails),
        ("2026-11-21T13:59:59Z", "2026-11-20", Undecidable),
        ("2026-11-21T14:00:00Z", "2026-11-20", Fails),
        ("2026-11-19T10:00:00Z", "2026-11-20", Undecidable),
        ("2026-11-19T09:59:59Z", "2026-11-20", Fails),
        ("2026-12-01T02:00:00Z", "2026-11", Undecidable),
    ] {
        assert_eq!(read(value).equal(&read(expected), None), answer, "{value} = {expected}");
    }
}

#[test]
fn a_zone_says_where_days_are_days() {
    for (value, expected, name, answer) in [
        ("2026-11-21T02:00:00Z", "2026-11-20", "America/New_York", Holds),
        ("2026-11-21T02:00:00Z", "2026-11-20", "Europe/Berlin", Fails),
        ("2026-11-20T02:00:00Z", "2026-11-20", "America/New_York", Fails),
        ("2026-11-20T23:30:00-05:00", "2026-11-20", "UTC", Fails),
        ("2026-11-20T23:30:00-05:00", "2026-11-21", "+01:00", Holds),
        // A local time and a day are of their own day already.
        ("2026-11-20T23:30:00", "2026-11-20", "Asia/Tokyo", Holds),
        ("2026-11-20", "2026-11-20", "Asia/Tokyo", Holds),
        // The clocks of the day are those of its season.
        ("2026-07-21T03:30:00Z", "2026-07-20", "America/New_York", Holds),
        ("2026-07-21T04:30:00Z", "2026-07-20", "America/New_York", Fails),
        ("2026-12-21T04:30:00Z", "2026-12-20", "America/New_York", Holds),
        // A zone does not make an instant of a local time.
        ("2026-11-20T10:00:00", "2026-11-20T15:00:00Z", "America/New_York", Vague),
    ] {
        assert_eq!(read(value).equal(&read(expected), Some(&zone(name))), answer, "{value} = {expected} in {name}");
    }
}

#[test]
fn order_knows_whole_days_and_never_guesses() {
    let answers = |value: &str, expected: &str| ORDERS.map(|order| read(value).ordered(order, &read(expected), None));
    for (value, expected, answer) in [
        ("2026-11-20T10:15:00-05:00", "2026-11-20", [Fails, Holds, Fails, Holds]),
        ("2026-11-19T23:59:59-05:00", "2026-11-20", [Holds, Holds, Fails, Fails]),
        ("2026-11-21T00:00:00-05:00", "2026-11-20", [Fails, Fails, Holds, Holds]),
        ("2026-11", "2026-11-20", [Vague; 4]),
        ("2026-11", "2026-11-30", [Vague, Holds, Fails, Vague]),
        ("2026-10", "2026-11-20", [Holds, Holds, Fails, Fails]),
        ("2026-11-20T10:00:00", "2026-11-20T12:00:00Z", [Vague; 4]),
        ("2026-11-20T10:00:00Z", "2026-11-20T12:00:00", [Undecidable; 4]),
        ("2026-11-20T10:15:00Z", "2026-11-20", [Fails, Holds, Fails, Holds]),
        // Somewhere it is still the 20th, and both answers are the same only for some operators.
        ("2026-11-21T02:00:00Z", "2026-11-20", [Fails, Undecidable, Undecidable, Holds]),
        ("2026-11-19T23:00:00Z", "2026-11-20", [Undecidable, Holds, Fails, Undecidable]),
        ("2026-11-22T02:00:00Z", "2026-11-20", [Fails, Fails, Holds, Holds]),
    ] {
        assert_eq!(answers(value, expected), answer, "{value} against {expected}");
    }
}

#[test]
fn a_range_is_compared_whole() {
    let range = |text| DateValue::parse(text, DateForm::X12).unwrap();
    let november = range("20261101-20261130");
    for (expected, answer) in [
        ("20261120", [Fails; 5]),
        ("20261201", [Fails, Holds, Holds, Fails, Fails]),
        ("20261031", [Fails, Fails, Fails, Holds, Holds]),
        ("20261101", [Fails, Fails, Fails, Fails, Holds]),
        ("20261130", [Fails, Fails, Holds, Fails, Fails]),
        ("20261101-20261130", [Holds, Fails, Fails, Fails, Fails]),
    ] {
        let expected = range(expected);
        let ordered = ORDERS.map(|order| november.ordered(order, &expected, None));
        let [equal, orders @ ..] = answer;
        assert_eq!((november.equal(&expected, None), ordered), (equal, orders), "{expected:?}");
    }
}

/// A date of 2026 in ISO form, of any precision.
fn written() -> impl Strategy<Value = String> {
    let zone = prop::sample::select(vec!["", "Z", "+00:00", "-05:00", "+13:45", "-12:00", "+14:00"]);
    (10u32..13, 1u32..29, 0u32..24, 0u32..60, 0usize..5, zone).prop_map(|(month, day, hour, minute, form, zone)| {
        match form {
            0 => "2026".to_owned(),
            1 => format!("2026-{month}"),
            2 => format!("2026-{month}-{day:02}"),
            3 => format!("2026-{month}-{day:02}T{hour:02}:{minute:02}{zone}"),
            _ => format!("2026-{month}-{day:02}T{hour:02}:{minute:02}:30.5{zone}"),
        }
    })
}

proptest! {
    #[test]
    fn operators_agree(value in written(), expected in written(), name in prop::option::of(prop::sample::select(vec!["America/New_York", "Pacific/Kiritimati", "-03:30"]))) {
        let zone = name.map(zone);
        let (value, expected) = (read(&value), read(&expected));
        let equal = value.equal(&expected, zone.as_ref());
        let [less, less_or_equal, greater, greater_or_equal] = ORDERS.map(|order| value.ordered(order, &expected, zone.as_ref()));
        prop_assert_eq!(less.negated(), greater_or_equal);
        prop_assert_eq!(greater.negated(), less_or_equal);
        prop_assert!([less, equal, greater].iter().filter(|&&answer| answer == Holds).count() <= 1);
        if less == Fails && greater == Fails {
            prop_assert_eq!(equal, Holds);
        }
    }

    #[test]
    fn what_was_written_alike_is_equal_both_ways(a in written(), b in written()) {
        let (a, b) = (read(&a), read(&b));
        prop_assert_eq!(a.equal(&a, None), Holds);
        if a.precision() == b.precision() && a.is_zoned() == b.is_zoned() {
            prop_assert_eq!(a.equal(&b, None), b.equal(&a, None));
        }
    }

    #[test]
    fn a_day_is_the_day_that_was_written(value in written(), expected in written()) {
        let day = |text: &str| text.get(..10).map(str::to_owned);
        if let (Some(own), Some(wanted), false) = (day(&value), day(&expected), expected.contains('T')) {
            let answer = read(&value).equal(&read(&expected), None);
            if own == wanted {
                prop_assert_eq!(answer, Holds);
            } else {
                prop_assert_ne!(answer, Holds);
            }
        }
    }

    #[test]
    fn a_zone_is_the_offset_that_it_has(value in written(), expected in written()) {
        // Kolkata has had one offset since 1945.
        let answer = |name: &str| read(&value).equal(&read(&expected), Some(&zone(name)));
        prop_assert_eq!(answer("Asia/Kolkata"), answer("+05:30"));
    }

    #[test]
    fn nothing_panics(a in "[-0-9T:.Z+]{0,30}", b in "[-0-9T:.Z+]{0,30}") {
        for form in [DateForm::Iso, DateForm::Hl7, DateForm::X12] {
            if let (Some(a), Some(b)) = (DateValue::parse(&a, form), DateValue::parse(&b, form)) {
                let _ = a.equal(&b, Some(&zone("America/New_York")));
                let _ = ORDERS.map(|order| a.ordered(order, &b, None));
            }
        }
    }
}
