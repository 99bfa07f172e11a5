//! Dates, date-times and times by precision.
//!
//! A value means everything it leaves open: `2026-11` means each of its days. Two values compare if that cannot change
//! the result, and have no order otherwise. Seconds and their fractions are one precision, as FHIRPath has it.

use std::cmp::Ordering;
use std::fmt;

/// Attoseconds in a second: fractions are kept to 18 digits, and what goes beyond is cut.
const FRACTION: i128 = 1_000_000_000_000_000_000;
const FRACTION_DIGITS: u8 = 18;
/// How far a local time may be from UTC, in seconds: zones lie between -12:00 and +14:00.
const EASTERNMOST: i128 = 14 * 3600;
const WESTERNMOST: i128 = 12 * 3600;

/// How far a value is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// The year.
    Year,
    /// The month.
    Month,
    /// The day.
    Day,
    /// The hour.
    Hour,
    /// The minute.
    Minute,
    /// The second, with or without a fraction.
    Second,
}

/// The kind of a value: date, date-time or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TemporalKind {
    /// A date, without a time.
    Date,
    /// A date with a time or without.
    DateTime,
    /// A time of day.
    Time,
}

/// A date, a date-time or a time.
///
/// ```
/// use candor_fhirpath::Temporal;
/// let month = Temporal::date("2026-11").unwrap();
/// assert_eq!(month.compare(&Temporal::date("2026-11-20").unwrap()), None);
/// assert_eq!(month.compare(&Temporal::date("2026-12-01").unwrap()), Some(std::cmp::Ordering::Less));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Temporal {
    pub(crate) kind: TemporalKind,
    pub(crate) precision: Precision,
    pub(crate) year: i32,
    pub(crate) month: u8,
    pub(crate) day: u8,
    pub(crate) hour: u8,
    pub(crate) minute: u8,
    pub(crate) second: u8,
    pub(crate) fraction: u64,
    pub(crate) fraction_digits: u8,
    /// The zone, in minutes east of UTC.
    pub(crate) zone: Option<i16>,
}

impl Temporal {
    pub(crate) fn blank(kind: TemporalKind, precision: Precision) -> Self {
        Self {
            kind,
            precision,
            year: 1,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            fraction: 0,
            fraction_digits: 0,
            zone: None,
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> TemporalKind {
        self.kind
    }

    /// How far it is written out.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Reads `2026`, `2026-11` or `2026-11-20`; `None` for other text and for days that no calendar has.
    #[must_use]
    pub fn date(text: &str) -> Option<Self> {
        let mut value = Self::blank(TemporalKind::Date, Precision::Year);
        let mut parts = text.split('-');
        value.year = i32::from(number(parts.next()?, 4, 1, 9999)?);
        if let Some(month) = parts.next() {
            value.month = u8::try_from(number(month, 2, 1, 12)?).ok()?;
            value.precision = Precision::Month;
        }
        if let Some(day) = parts.next() {
            let last = u16::from(days_in(value.year, value.month));
            value.day = u8::try_from(number(day, 2, 1, last)?).ok()?;
            value.precision = Precision::Day;
        }
        parts.next().is_none().then_some(value)
    }

    /// Reads a date, or a date with `T` and a time of any precision behind it, with a zone or without.
    #[must_use]
    pub fn date_time(text: &str) -> Option<Self> {
        let Some((date, rest)) = text.split_once('T') else {
            return Self::date(text).map(|date| Self { kind: TemporalKind::DateTime, ..date });
        };
        let date = Self { kind: TemporalKind::DateTime, ..Self::date(date)? };
        if rest.is_empty() {
            return Some(date);
        }
        if date.precision != Precision::Day {
            return None;
        }
        let (time, zone) = match rest.find(['Z', '+', '-']) {
            Some(at) => (rest.get(..at)?, Some(zone(rest.get(at..)?)?)),
            None => (rest, None),
        };
        let time = Self::time(time)?;
        Some(Self { kind: TemporalKind::DateTime, year: date.year, month: date.month, day: date.day, zone, ..time })
    }

    /// Reads `14`, `14:30`, `14:30:15` or `14:30:15.250`.
    #[must_use]
    pub fn time(text: &str) -> Option<Self> {
        let mut value = Self::blank(TemporalKind::Time, Precision::Hour);
        let mut parts = text.split(':');
        value.hour = u8::try_from(number(parts.next()?, 2, 0, 23)?).ok()?;
        if let Some(minute) = parts.next() {
            value.minute = u8::try_from(number(minute, 2, 0, 59)?).ok()?;
            value.precision = Precision::Minute;
        }
        if let Some(seconds) = parts.next() {
            let (whole, fraction) = match seconds.split_once('.') {
                Some((whole, fraction)) => (whole, Some(fraction)),
                None => (seconds, None),
            };
            // A leap second is written 60.
            value.second = u8::try_from(number(whole, 2, 0, 60)?).ok()?;
            value.precision = Precision::Second;
            if let Some(fraction) = fraction {
                if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                let kept = fraction.get(..fraction.len().min(usize::from(FRACTION_DIGITS)))?;
                value.fraction_digits = u8::try_from(kept.len()).ok()?;
                let missing = u32::from(FRACTION_DIGITS - value.fraction_digits);
                value.fraction = kept.parse::<u64>().ok()?.checked_mul(10u64.checked_pow(missing)?)?;
            }
        }
        parts.next().is_none().then_some(value)
    }

    /// The same as a date: what is finer than the day is left out.
    #[must_use]
    pub fn to_date(&self) -> Self {
        Self {
            year: self.year,
            month: self.month,
            day: self.day,
            ..Self::blank(TemporalKind::Date, self.precision.min(Precision::Day))
        }
    }

    /// The same as a time of day; `None` where the hour is not written.
    #[must_use]
    pub fn to_time(&self) -> Option<Self> {
        (self.precision >= Precision::Hour).then(|| Self {
            kind: TemporalKind::Time,
            zone: None,
            year: 1,
            month: 1,
            day: 1,
            ..self.clone()
        })
    }

    pub(crate) fn cut_to(mut self, precision: Precision) -> Self {
        let blank = Self::blank(self.kind, precision);
        self.precision = precision;
        if precision < Precision::Month {
            self.month = blank.month;
        }
        if precision < Precision::Day {
            self.day = blank.day;
        }
        if precision < Precision::Hour {
            (self.hour, self.zone) = (blank.hour, None);
        }
        if precision < Precision::Minute {
            self.minute = blank.minute;
        }
        if precision < Precision::Second {
            (self.second, self.fraction, self.fraction_digits) = (0, 0, 0);
        }
        self
    }

    /// Attoseconds from the beginning of the first year, as the clock on the wall shows them.
    fn wall(&self) -> i128 {
        let seconds = i128::from(days_from_start(self.year, self.month, self.day)) * 86_400
            + i128::from(self.hour) * 3600
            + i128::from(self.minute) * 60
            + i128::from(self.second);
        seconds * FRACTION + i128::from(self.fraction)
    }

    /// The first and the last attosecond that the value may mean.
    fn range(&self) -> (i128, i128) {
        let first = self.wall();
        let seconds = match self.precision {
            Precision::Year => 86_400 * (365 + i128::from(is_leap(self.year))),
            Precision::Month => 86_400 * i128::from(days_in(self.year, self.month)),
            Precision::Day => 86_400,
            Precision::Hour => 3600,
            Precision::Minute => 60,
            Precision::Second => return (first, first),
        };
        (first, first + seconds * FRACTION - 1)
    }

    /// Compares two values: `None` where their precisions, or a zone that only one has, leave it open.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let ((mut low, mut high), (mut other_low, mut other_high)) = (self.range(), other.range());
        let zoned = |zone: Option<i16>, low: &mut i128, high: &mut i128| match zone {
            Some(minutes) => {
                let shift = i128::from(minutes) * 60 * FRACTION;
                (*low, *high) = (*low - shift, *high - shift);
            }
            None => (*low, *high) = (*low - EASTERNMOST * FRACTION, *high + WESTERNMOST * FRACTION),
        };
        if self.zone.is_some() || other.zone.is_some() {
            zoned(self.zone, &mut low, &mut high);
            zoned(other.zone, &mut other_low, &mut other_high);
        }
        if high < other_low {
            Some(Ordering::Less)
        } else if low > other_high {
            Some(Ordering::Greater)
        } else if self.zone.is_some() == other.zone.is_some() && (low, high) == (other_low, other_high) {
            Some(Ordering::Equal)
        } else {
            None
        }
    }

    pub(crate) fn key(&self) -> (i128, bool, bool) {
        let shift = i128::from(self.zone.unwrap_or(0)) * 60 * FRACTION;
        (self.wall() - shift, self.zone.is_some(), self.kind == TemporalKind::Time)
    }

    /// A value of a wall clock's attoseconds, with the precision and zone of this one; `None` beyond the year 9999.
    pub(crate) fn moved_to(&self, wall: i128) -> Option<Self> {
        let seconds = wall.div_euclid(FRACTION);
        let (days, in_day) = (seconds.div_euclid(86_400), u32::try_from(seconds.rem_euclid(86_400)).ok()?);
        let mut value = self.clone();
        if self.kind != TemporalKind::Time {
            (value.year, value.month, value.day) = date_of(i64::try_from(days).ok()?)?;
        }
        value.hour = u8::try_from(in_day / 3600).ok()?;
        value.minute = u8::try_from(in_day / 60 % 60).ok()?;
        value.second = u8::try_from(in_day % 60).ok()?;
        value.fraction = u64::try_from(wall.rem_euclid(FRACTION)).ok()?;
        Some(value)
    }

    /// Moved by whole months, to the last day of the month where it has no such day.
    pub(crate) fn plus_months(&self, months: i64) -> Option<Self> {
        let total = (i64::from(self.year) * 12 + i64::from(self.month) - 1).checked_add(months)?;
        let year = i32::try_from(total.div_euclid(12)).ok()?;
        if !(1..=9999).contains(&year) {
            return None;
        }
        let month = u8::try_from(total.rem_euclid(12) + 1).ok()?;
        Some(Self { year, month, day: self.day.min(days_in(year, month)), ..self.clone() })
    }

    /// Moved by attoseconds; times of day go round.
    pub(crate) fn plus(&self, attoseconds: i128) -> Option<Self> {
        self.moved_to(self.wall().checked_add(attoseconds)?)
    }

    pub(crate) fn with_needed_digits(mut self) -> Self {
        while self.fraction_digits < FRACTION_DIGITS {
            let step = 10u64.pow(u32::from(FRACTION_DIGITS - self.fraction_digits));
            if self.fraction.is_multiple_of(step) {
                break;
            }
            self.fraction_digits += 1;
        }
        self
    }
}

pub(crate) const ATTOSECONDS: i128 = FRACTION;

fn number(text: &str, digits: usize, least: u16, most: u16) -> Option<u16> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten().filter(|number| (least..=most).contains(number))
}

fn zone(text: &str) -> Option<i16> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let minutes = number(hours, 2, 0, 14)? * 60 + number(minutes, 2, 0, 59)?;
    (minutes <= 14 * 60).then_some(sign * i16::try_from(minutes).ok()?)
}

pub(crate) fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(crate) fn days_in(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from the first of March of the year 0, in the Gregorian calendar: years begin in March, so that leap days end them.
pub(crate) fn days_from_start(year: i32, month: u8, day: u8) -> i64 {
    let (year, month) = (i64::from(year) - i64::from(month < 3), i64::from(month));
    let month_from_march = (month + 9) % 12;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
}

/// The date of [`days_from_start`]; `None` outside the years 1 to 9999.
pub(crate) fn date_of(days: i64) -> Option<(i32, u8, u8)> {
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let year = i32::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    Some((year, u8::try_from(month).ok()?, u8::try_from(day).ok()?))
}

impl fmt::Display for Temporal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind != TemporalKind::Time {
            write!(f, "{:04}", self.year)?;
            if self.precision >= Precision::Month {
                write!(f, "-{:02}", self.month)?;
            }
            if self.precision >= Precision::Day {
                write!(f, "-{:02}", self.day)?;
            }
            if self.precision >= Precision::Hour {
                f.write_str("T")?;
            }
        }
        if self.precision >= Precision::Hour {
            write!(f, "{:02}", self.hour)?;
        }
        if self.precision >= Precision::Minute {
            write!(f, ":{:02}", self.minute)?;
        }
        if self.precision >= Precision::Second {
            write!(f, ":{:02}", self.second)?;
            if self.fraction_digits > 0 {
                let digits = format!("{:018}", self.fraction);
                write!(f, ".{}", digits.get(..usize::from(self.fraction_digits)).unwrap_or_default())?;
            }
        }
        match self.zone {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }
}
