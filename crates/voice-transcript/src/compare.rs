//! Two values, compared.

use crate::normalize::Read;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    Yes,
    /// It is undecidable, for this reason: the end of a sentence.
    Unsure(&'static str),
    No(&'static str),
}

pub(crate) const MISMATCH: &str = "value_mismatch";
pub(crate) const HALF: &str = "it is not clear which half of the day is meant";

pub(crate) fn compare(said: &Read, expected: &Read) -> Counts {
    let equal = |same: bool| if same { Counts::Yes } else { Counts::No(MISMATCH) };
    match (said, expected) {
        (Read::Date { year, month, day }, Read::Date { year: y, month: m, day: d }) => match (year, y) {
            _ if (month, day) != (m, d) => Counts::No(MISMATCH),
            // two digits of a year may be of any century
            (Some(year), Some(y)) if *year < 100 && *y >= 100 && year % 100 == y % 100 => {
                Counts::Unsure("the century is not said")
            }
            (Some(year), Some(y)) if *year < 100 || *y < 100 => equal(year % 100 == y % 100),
            (Some(year), Some(y)) => equal(year == y),
            (None, None) => Counts::Yes,
            _ => Counts::Unsure("the year is not said"),
        },
        (Read::Time { minutes, sure }, Read::Time { minutes: m, sure: s }) => match minutes == m {
            true if sure == s || (*sure && *s) => Counts::Yes,
            _ if (!sure || !s) && minutes % 720 == m % 720 => Counts::Unsure(HALF),
            _ => Counts::No(MISMATCH),
        },
        (Read::Amount { number, currency }, Read::Amount { number: n, currency: c }) => match currency.zip(*c) {
            _ if number != n => Counts::No(MISMATCH),
            Some(("$", other)) if other == "pesos" || other.ends_with(" dollars") => {
                Counts::Unsure("the sign is of other currencies, too")
            }
            both => equal(both.is_none_or(|(one, other)| is_one_currency(one, other))),
        },
        (said, expected) => equal(said == expected),
    }
}

pub(crate) fn are_equal(some: &[Read], other: &[Read]) -> bool {
    some.len() == other.len() && some.iter().zip(other).all(|(one, other)| compare(one, other) == Counts::Yes)
}

pub(crate) fn may_be(some: &[Read], other: &[Read]) -> bool {
    let both = some.last().zip(other.last());
    both.is_some_and(|(one, other)| !matches!(compare(one, other), Counts::No(_)))
}

/// True if it is not clear whether two values are one: "four thirty" and "4:30 p.m.".
pub(crate) fn may_equal(some: &[Read], other: &[Read]) -> bool {
    some.iter().zip(other).any(|(one, other)| matches!(compare(one, other), Counts::Unsure(_)))
}

fn is_one_currency(one: &str, other: &str) -> bool {
    let may_be = |one: &str, other: &str| match one {
        "cents" => !matches!(other, "sterling" | "pounds" | "yen" | "rupees"),
        "pounds" => other == "sterling",
        "$" => other == "dollars",
        _ => false,
    };
    one == other || may_be(one, other) || may_be(other, one)
}
