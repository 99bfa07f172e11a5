//! Dates and times as intervals: what is written says how much is known, and no more is assumed.

/// How far a written date goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// `2026`
    Year,
    /// `2026-11`
    Month,
    /// `2026-11-20`
    Day,
    /// `2026-11-20T10` (HL7 v2 only)
    Hour,
    /// `2026-11-20T10:30`
    Minute,
    /// `2026-11-20T10:30:00`, with or without a fraction
    Second,
}

/// In which notation a date may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateForm {
    /// ISO 8601 as FHIR and JSON write it: `2026-11-20T10:30:00.5+01:00`, and shorter.
    Iso,
    /// HL7 v2 TS/DTM: `YYYY[MM[DD[HH[MM[SS[.S…]]]]]][+/-ZZZZ]`.
    Hl7,
    /// X12: `CCYYMMDD`, `YYMMDD` (a year below 80 is 20YY), `CCYYMMDDHHMM[SS]`, and `RD8` ranges `CCYYMMDD-CCYYMMDD`.
    X12,
}

/// A three-valued answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ternary {
    /// It is certainly so.
    Yes,
    /// It is certainly not so.
    No,
    /// The text does not decide it.
    Undecidable,
}

/// A date or time: every instant it may represent. Local when it was written without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    start: i128,
    end: i128,
    precision: Precision,
    /// The zone that was written, in minutes ahead of UTC.
    offset: Option<i64>,
}

/// The meaning of a date text: one date, or a range with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateValue {
    /// A date or time.
    At(Date),
    /// From the first to the second, both included (X12 `RD8`).
    Range(Date, Date),
}

const SECOND: i128 = 1_000_000_000;
const MINUTE: i128 = 60 * SECOND;
pub(super) const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;
/// The farthest a civil clock is ahead of and behind UTC.
pub(super) const AHEAD: i128 = 14 * HOUR;
pub(super) const BEHIND: i128 = 12 * HOUR;

impl Date {
    /// Reads one date in one notation. `None` when the text is not a date in it (`2026-02-30`, `00000000`).
    #[must_use]
    pub fn parse(text: &str, form: DateForm) -> Option<Self> {
        match form {
            DateForm::Iso => iso(text),
            DateForm::Hl7 => digits(text, true),
            DateForm::X12 => x12(text),
        }
    }

    /// How far the date was written.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Returns `true` if the date was written with a zone.
    #[must_use]
    pub fn is_zoned(&self) -> bool {
        self.offset.is_some()
    }

    /// The first instant the date may represent and the first one after it, in nanoseconds since 1970-01-01T00:00:00,
    /// in UTC when [`Date::is_zoned`], else by its own clock.
    #[must_use]
    pub fn bounds(&self) -> (i128, i128) {
        (self.start, self.end)
    }

    /// The zone that was written, in minutes ahead of UTC.
    pub(super) fn offset(&self) -> Option<i64> {
        self.offset
    }

    pub(super) fn has_time(&self) -> bool {
        self.precision > Precision::Day
    }

    pub(crate) fn is_utc_time(&self) -> bool {
        self.offset == Some(0) && self.has_time()
    }

    /// How far the clock that the date was written by is ahead of UTC.
    pub(super) fn ahead(&self) -> i128 {
        i128::from(self.offset.unwrap_or(0)) * MINUTE
    }

    /// As [`Date::bounds`], by the clock that the date was written by.
    pub(super) fn own_bounds(&self) -> (i128, i128) {
        (self.start + self.ahead(), self.end + self.ahead())
    }

    /// As [`Date::bounds`], by clocks that are so far ahead of UTC at an instant.
    pub(super) fn bounds_at(&self, ahead: impl Fn(i128) -> i128) -> (i128, i128) {
        let (start, end) = (self.start + ahead(self.start), self.end + ahead(self.end - 1));
        // Where clocks are set back, the end may come before the start.
        (start, end.max(start + 1))
    }

    /// Says if this date is before the other, at the precision both have.
    #[must_use]
    pub fn before(&self, other: &Self) -> Ternary {
        if self.same_unit(other) {
            return Ternary::No;
        }
        let ((a, b), (c, d)) = Self::on_one_clock(self, other);
        if b <= c {
            Ternary::Yes
        } else if d <= a {
            Ternary::No
        } else {
            Ternary::Undecidable
        }
    }

    fn same_unit(&self, other: &Self) -> bool {
        self.precision == other.precision && self.is_zoned() == other.is_zoned() && self.bounds() == other.bounds()
    }

    fn on_one_clock(a: &Self, b: &Self) -> ((i128, i128), (i128, i128)) {
        let anywhere = |d: &Self| (d.start - AHEAD, d.end + BEHIND);
        match (a.is_zoned(), b.is_zoned()) {
            (true, false) => ((a.start, a.end), anywhere(b)),
            (false, true) => (anywhere(a), (b.start, b.end)),
            _ => ((a.start, a.end), (b.start, b.end)),
        }
    }
}

impl DateValue {
    /// Reads a date, or an `RD8` range where the notation has them.
    #[must_use]
    pub fn parse(text: &str, form: DateForm) -> Option<Self> {
        if form == DateForm::X12
            && let Some((from, to)) = text.split_once('-')
        {
            return Some(Self::Range(x12(from)?, x12(to)?));
        }
        Date::parse(text, form).map(Self::At)
    }

    /// The first date of the value.
    #[must_use]
    pub fn first(&self) -> &Date {
        match self {
            Self::At(date) | Self::Range(date, _) => date,
        }
    }

    /// The last date of the value.
    #[must_use]
    pub fn last(&self) -> &Date {
        match self {
            Self::At(date) | Self::Range(_, date) => date,
        }
    }
}

fn iso(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let part = bytes.get(from..to)?;
        part.iter().all(u8::is_ascii_digit).then(|| part.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    };
    let sign = |at: usize, expected: u8| (bytes.get(at) == Some(&expected)).then_some(());
    let year = number(0, 4)?;
    match bytes.len() {
        4 => return date(year, None, None),
        7 => {
            sign(4, b'-')?;
            return date(year, Some(number(5, 7)?), None);
        }
        n if n < 10 => return None,
        _ => {}
    }
    sign(4, b'-')?;
    sign(7, b'-')?;
    let (month, day) = (number(5, 7)?, number(8, 10)?);
    if bytes.len() == 10 {
        return date(year, Some(month), Some(day));
    }
    if !matches!(bytes.get(10), Some(b'T' | b't' | b' ')) {
        return None;
    }
    let rest = text.get(11..)?;
    let (clock, zone) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => (rest.get(..at)?, Some(iso_zone(rest.get(at..)?)?)),
        None => (rest, None),
    };
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    sign(13, b':')?;
    let (seconds, precision) = match clock.len() {
        5 => (0, Precision::Minute),
        n if n >= 8 => {
            sign(16, b':')?;
            (number(17, 19)? * 1_000_000_000 + fraction(clock.get(8..)?)?, Precision::Second)
        }
        _ => return None,
    };
    time(year, month, day, hour, minute, seconds, precision, zone)
}

/// Minutes ahead of UTC: `Z`, `+01:00` or `+0100`.
pub(super) fn offset_minutes(text: &str) -> Option<i64> {
    match text.len() {
        5 => zone(text, text.get(1..3)?, text.get(3..)?),
        _ => iso_zone(text),
    }
}

fn iso_zone(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    zone(text, hours, minutes)
}

fn zone(text: &str, hours: &str, minutes: &str) -> Option<i64> {
    let two = |s: &str| (s.len() == 2 && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<i64>().ok())?;
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    if hours > 14 || minutes > 59 {
        return None;
    }
    let offset = hours * 60 + minutes;
    match text.as_bytes().first() {
        Some(b'-') => Some(-offset),
        Some(b'+') => Some(offset),
        _ => None,
    }
}

/// The digit forms of HL7 v2, which X12's longer ones share.
fn digits(text: &str, with_zone: bool) -> Option<Date> {
    let (clock, offset) = match text.find(['+', '-']) {
        Some(at) if with_zone => {
            let (clock, offset) = text.split_at_checked(at)?;
            (clock, Some(zone(offset, offset.get(1..3)?, offset.get(3..)?)?))
        }
        Some(_) => return None,
        None => (text, None),
    };
    let (clock, decimals) = match clock.split_once('.') {
        Some((clock, decimals)) if clock.len() == 14 && !decimals.is_empty() => (clock, fraction_digits(decimals)?),
        Some(_) => return None,
        None => (clock, 0),
    };
    if !clock.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number = |from: usize, to: usize| clock.get(from..to)?.parse::<i64>().ok();
    let year = number(0, 4)?;
    let zoned = |date: Date| match offset {
        Some(minutes) => shifted(date, minutes),
        None => date,
    };
    match clock.len() {
        4 => date(year, None, None).map(zoned),
        6 => date(year, Some(number(4, 6)?), None).map(zoned),
        8 => date(year, Some(number(4, 6)?), Some(number(6, 8)?)).map(zoned),
        length @ (10 | 12 | 14) => {
            let precision = match length {
                10 => Precision::Hour,
                12 => Precision::Minute,
                _ => Precision::Second,
            };
            let minute = if length > 10 { number(10, 12)? } else { 0 };
            let seconds = if length > 12 { number(12, 14)? * 1_000_000_000 + decimals } else { 0 };
            time(year, number(4, 6)?, number(6, 8)?, number(8, 10)?, minute, seconds, precision, offset)
        }
        _ => None,
    }
}

fn x12(text: &str) -> Option<Date> {
    match text.len() {
        6 if text.bytes().all(|b| b.is_ascii_digit()) => {
            let century = if text.get(..2)? < "80" { "20" } else { "19" };
            digits(&format!("{century}{text}"), false)
        }
        8 | 12 | 14 => digits(text, false),
        _ => None,
    }
}

fn fraction(text: &str) -> Option<i64> {
    match text.strip_prefix('.') {
        Some(decimals) if !decimals.is_empty() => fraction_digits(decimals),
        Some(_) => None,
        None => text.is_empty().then_some(0),
    }
}

/// Nanoseconds out of the decimals of a second; what lies beyond nanoseconds must be zeros.
fn fraction_digits(text: &str) -> Option<i64> {
    let mut nanos = 0;
    for position in 0..9 {
        let digit = match text.as_bytes().get(position) {
            Some(d) if d.is_ascii_digit() => i64::from(d - b'0'),
            Some(_) => return None,
            None => 0,
        };
        nanos = nanos * 10 + digit;
    }
    text.bytes().skip(9).all(|b| b == b'0').then_some(nanos)
}

fn date(year: i64, month: Option<i64>, day: Option<i64>) -> Option<Date> {
    if year == 0 {
        return None;
    }
    let first = day_number(year, month.unwrap_or(1), day.unwrap_or(1))?;
    let (next, precision) = match (month, day) {
        (None, _) => (day_number(year + 1, 1, 1)?, Precision::Year),
        (Some(12), None) => (day_number(year + 1, 1, 1)?, Precision::Month),
        (Some(month), None) => (day_number(year, month + 1, 1)?, Precision::Month),
        (Some(_), Some(_)) => (first + 1, Precision::Day),
    };
    Some(Date { start: i128::from(first) * DAY, end: i128::from(next) * DAY, precision, offset: None })
}

#[expect(clippy::too_many_arguments, reason = "the parts of a time are what they are")]
fn time(
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    nanos: i64,
    precision: Precision,
    zone: Option<i64>,
) -> Option<Date> {
    let midnight = hour == 24 && minute == 0 && nanos == 0;
    // ISO 8601 has 24:00 for the end of a day, and second 60 for a leap second.
    if year == 0 || !(midnight || (hour < 24 && minute < 60 && nanos < 61 * 1_000_000_000)) {
        return None;
    }
    let seconds = i128::from(hour * 3600 + minute * 60) * SECOND;
    let start = i128::from(day_number(year, month, day)?) * DAY + seconds + i128::from(nanos);
    let length = match precision {
        Precision::Hour => HOUR,
        Precision::Minute => MINUTE,
        _ => 1,
    };
    let date = Date { start, end: start + length, precision, offset: None };
    Some(zone.map_or(date, |minutes| shifted(date, minutes)))
}

fn shifted(date: Date, zone_minutes: i64) -> Date {
    let shift = i128::from(zone_minutes) * MINUTE;
    Date { start: date.start - shift, end: date.end - shift, offset: Some(zone_minutes), ..date }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar; `None` when there is no such day.
fn day_number(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let (y, m) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 1;
    Some(days - 719_468)
}
