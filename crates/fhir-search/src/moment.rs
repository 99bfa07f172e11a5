//! Dates in searches: a date is the interval that its precision leaves open.

use std::time::{SystemTime, UNIX_EPOCH};

/// Intervals are counted in this part of a second.
pub(crate) const SECOND: i128 = 1_000_000_000_000_000_000;

/// A FHIR `date`, `dateTime` or `instant`: the interval from its first instant up to, and without, the first one after it.
///
/// A side without a time zone (`2026-11-20`) is read on the clock of the side it is compared with, so that the answer hangs
/// neither on this machine's zone nor on a server's: `2026-11-20` holds `2026-11-20T23:30:00-05:00`.
///
/// Source: FHIR R4, Search, 3.1.1.4.7 (date), and Data Types, 2.24.0.1 (`date`, `dateTime`, `instant`).
///
/// ```
/// use candor_fhir_search::moment::Moment;
/// let november = Moment::parse("2026-11").unwrap();
/// assert!(november.contains(&Moment::parse("2026-11-30T23:59:59.999+14:00").unwrap()));
/// assert!(Moment::parse("2026-13").is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    start: i128,
    end: i128,
    /// Seconds east of UTC.
    offset: Option<i32>,
}

impl Moment {
    /// Reads `YYYY[-MM[-DD[Thh:mm[:ss[.s…]][Z|±hh:mm]]]]`. Fractions of a second count up to the 18th digit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = Scanner(text);
        let year = i64::from(rest.digits(4)?);
        if year == 0 {
            return None;
        }
        if rest.is_empty() {
            return Some(Self::days(day_number(year, 1, 1), day_number(year + 1, 1, 1)));
        }
        rest.literal('-')?;
        let month = i64::from(rest.digits(2)?);
        if !(1..=12).contains(&month) {
            return None;
        }
        if rest.is_empty() {
            let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            return Some(Self::days(day_number(year, month, 1), day_number(next_year, next_month, 1)));
        }
        rest.literal('-')?;
        let day = i64::from(rest.digits(2)?);
        if day < 1 || day > days_in(year, month) {
            return None;
        }
        let day = day_number(year, month, day);
        if rest.is_empty() {
            return Some(Self::days(day, day + 1));
        }
        rest.literal('T')?;
        Self::time(day, &mut rest)
    }

    fn days(from: i64, to: i64) -> Self {
        let at = |day| i128::from(day) * 86_400 * SECOND;
        Self { start: at(from), end: at(to), offset: None }
    }

    fn time(day: i64, rest: &mut Scanner<'_>) -> Option<Self> {
        let hour = rest.digits(2)?;
        rest.literal(':')?;
        let minute = rest.digits(2)?;
        let (mut second, mut fraction, mut unit) = (0, 0, 60 * SECOND);
        if rest.literal(':').is_some() {
            second = rest.digits(2)?;
            unit = SECOND;
            if rest.literal('.').is_some() {
                (fraction, unit) = rest.fraction()?;
            }
        }
        // A leap second is written as second 60.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let offset = rest.zone()?;
        let of_day = i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
        let start = (i128::from(day) * 86_400 + of_day) * SECOND + fraction;
        Some(Self { start, end: start + unit, offset })
    }

    /// True if a time zone is given.
    #[must_use]
    pub fn is_zoned(&self) -> bool {
        self.offset.is_some()
    }

    /// The first instant, in UTC when there is a zone and on the local clock otherwise.
    #[must_use]
    pub fn utc_start(&self) -> i128 {
        self.start_beside(self)
    }

    /// The first instant after it, as [`utc_start`](Self::utc_start).
    #[must_use]
    pub fn utc_end(&self) -> i128 {
        self.end_beside(self)
    }

    /// The first instant on the clock that is common to this and `other`.
    pub(crate) fn start_beside(&self, other: &Self) -> i128 {
        self.start - self.shift(other)
    }

    /// The first instant after it on the clock that is common to this and `other`.
    pub(crate) fn end_beside(&self, other: &Self) -> i128 {
        self.end - self.shift(other)
    }

    fn shift(&self, other: &Self) -> i128 {
        match (self.offset, other.offset) {
            (Some(offset), Some(_)) => i128::from(offset) * SECOND,
            _ => 0,
        }
    }

    /// True if all of `other` lies within this.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.start_beside(other) <= other.start_beside(self) && other.end_beside(self) <= self.end_beside(other)
    }
}

impl From<SystemTime> for Moment {
    /// The second that contains the time of a clock, in UTC.
    fn from(clock: SystemTime) -> Self {
        let seconds = match clock.duration_since(UNIX_EPOCH) {
            Ok(after) => i128::from(after.as_secs()),
            Err(before) => -i128::from(before.duration().as_secs()) - 1,
        };
        Self { start: seconds * SECOND, end: (seconds + 1) * SECOND, offset: Some(0) }
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    // Years are counted from March, so that a leap day is a year's last.
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year.div_euclid(400) * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn days_in(year: i64, month: i64) -> i64 {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    day_number(next_year, next_month, 1) - day_number(year, month, 1)
}

/// Reads from the start of a text; returns `None` if the text does not begin with the wanted part.
struct Scanner<'a>(&'a str);

impl Scanner<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn literal(&mut self, wanted: char) -> Option<()> {
        self.0 = self.0.strip_prefix(wanted)?;
        Some(())
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    /// A fraction of a second, and the unit of its last digit.
    fn fraction(&mut self) -> Option<(i128, i128)> {
        let length = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let kept = digits.get(..length.min(18)).filter(|kept| !kept.is_empty())?;
        let unit = SECOND / 10_i128.pow(u32::try_from(kept.len()).ok()?);
        Some((kept.parse::<i128>().ok()? * unit, unit))
    }

    /// A zone at the end of the text, or none.
    fn zone(&mut self) -> Option<Option<i32>> {
        match self.0 {
            "" => return Some(None),
            "Z" => return Some(Some(0)),
            _ => {}
        }
        let sign = if self.literal('+').is_some() {
            1
        } else {
            self.literal('-')?;
            -1
        };
        let hours = self.digits(2)?;
        self.literal(':')?;
        let minutes = self.digits(2)?;
        if !self.is_empty() || hours > 14 || minutes > 59 {
            return None;
        }
        Some(Some(sign * i32::try_from(hours * 3600 + minutes * 60).ok()?))
    }
}
