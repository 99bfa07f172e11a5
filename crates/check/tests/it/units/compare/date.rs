//! Dates as intervals.

use candor_check::compare::Ternary::{No, Undecidable, Yes};
use candor_check::compare::{Date, DateForm};
use proptest::prelude::*;

fn any_form(text: &str) -> Date {
    [DateForm::Iso, DateForm::Hl7, DateForm::X12].iter().find_map(|&f| Date::parse(text, f)).unwrap()
}

#[test]
fn order_is_certain_or_nothing() {
    for (a, b, answer) in [
        ("2026-11-20", "2026-11-21", Yes),
        ("2026-11-20", "2026-11-20", No),
        ("2026-11", "2026-11-20", Undecidable),
        ("2026-10", "2026-11-20", Yes),
        ("2026-11-20T10:00:00", "2026-11-20T12:00:00Z", Undecidable),
    ] {
        assert_eq!(any_form(a).before(&any_form(b)), answer, "{a} < {b}");
    }
}

#[test]
fn what_is_no_date_is_none() {
    for text in [
        "",
        "26",
        "2026-1",
        "2026-13",
        "2026-02-29",
        "2026-11-20T",
        "2026-11-20T1",
        "2026-11-20T10",
        "2026-11-20T25:00",
        "2026-11-20T10:60",
        "2026-11-20T10:00:00.",
        "2026-11-20T10:00:00+1",
        "2026-11-20T10:00:00+15:00",
        "00000000",
        "0000-01-01",
        "2026-11-20x",
        "２０２６",
    ] {
        for form in [DateForm::Iso, DateForm::Hl7, DateForm::X12] {
            assert_eq!(Date::parse(text, form), None, "{text} as {form:?}");
        }
    }
    assert!(Date::parse("2024-02-29", DateForm::Iso).is_some());
    assert_eq!(Date::parse("202611", DateForm::X12), None, "month 26 of 2020 is no date");
}

proptest! {
    #[test]
    fn real_days_are_in_order(y in 1i64..9998, m in 1i64..13, d in 1i64..29) {
        let date = |text: &str| Date::parse(text, DateForm::Iso);
        let month = format!("{y:04}-{m:02}");
        let (a, b) = (date(&format!("{month}-{d:02}")).unwrap(), date(&format!("{month}-{:02}", d + 1)));
        if let Some(b) = b { prop_assert_eq!(a.before(&b), Yes); prop_assert_eq!(a.bounds().1, b.bounds().0); }
        prop_assert_eq!(date(&month).unwrap().before(&a), Undecidable);
    }
}
