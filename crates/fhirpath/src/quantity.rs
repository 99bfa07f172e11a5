//! Quantities: a decimal and a unit, compared in units that can be converted into each other.

use std::cmp::Ordering;
use std::fmt;

use crate::decimal::Decimal;

/// A duration of the calendar, which FHIRPath writes as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CalendarUnit {
    /// `year`
    Year,
    /// `month`
    Month,
    /// `week`
    Week,
    /// `day`
    Day,
    /// `hour`
    Hour,
    /// `minute`
    Minute,
    /// `second`
    Second,
    /// `millisecond`
    Millisecond,
}

/// Each with its word, its plural, its UCUM code and whether that code is the same duration.
const CALENDAR: &[(CalendarUnit, &str, &str, &str, bool)] = &[
    (CalendarUnit::Year, "year", "years", "a", false),
    (CalendarUnit::Month, "month", "months", "mo", false),
    (CalendarUnit::Week, "week", "weeks", "wk", true),
    (CalendarUnit::Day, "day", "days", "d", true),
    (CalendarUnit::Hour, "hour", "hours", "h", true),
    (CalendarUnit::Minute, "minute", "minutes", "min", true),
    (CalendarUnit::Second, "second", "seconds", "s", true),
    (CalendarUnit::Millisecond, "millisecond", "milliseconds", "ms", true),
];

impl CalendarUnit {
    pub(crate) fn word(self) -> &'static str {
        CALENDAR.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// The UCUM code of the duration, of the mean one for years and months.
    #[must_use]
    pub fn ucum_code(self) -> &'static str {
        CALENDAR.iter().find(|row| row.0 == self).map_or("", |row| row.3)
    }

    /// True if the UCUM code means the same duration: a year of the calendar is not UCUM's.
    pub(crate) fn is_definite(self) -> bool {
        CALENDAR.iter().any(|row| row.0 == self && row.4)
    }

    /// The calendar unit of exactly the duration that a UCUM code means.
    pub(crate) fn of_definite_ucum(code: &str) -> Option<Self> {
        CALENDAR.iter().find(|row| row.3 == code && row.4).map(|row| row.0)
    }

    /// The duration that FHIR takes a UCUM code for.
    pub(crate) fn of_ucum(code: &str) -> Option<Self> {
        CALENDAR.iter().find(|row| row.3 == code).map(|row| row.0)
    }
}

/// The unit of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A word of the calendar.
    Calendar(CalendarUnit),
    /// A UCUM code.
    Ucum(String),
}

impl Unit {
    /// The unit `1`.
    #[must_use]
    pub fn one() -> Self {
        Self::Ucum("1".to_owned())
    }

    pub(crate) fn calendar_word(word: &str) -> Option<Self> {
        CALENDAR.iter().find(|row| row.1 == word || row.2 == word).map(|row| Self::Calendar(row.0))
    }

    /// Reads the text between quotation marks: a UCUM code, or a word of the calendar. `None` for a text longer than
    /// any code.
    pub(crate) fn written(text: &str) -> Option<Self> {
        Self::calendar_word(text).or_else(|| Self::ucum(text))
    }

    /// A UCUM code, `None` for what is longer than any.
    pub(crate) fn ucum(code: &str) -> Option<Self> {
        (code.len() <= candor_ucum::Unit::MAX_LENGTH).then(|| Self::Ucum(code.to_owned()))
    }

    /// The UCUM code, of the mean duration for years and months.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Calendar(unit) => unit.ucum_code(),
            Self::Ucum(code) => code,
        }
    }

    /// As it is written: the word of the calendar, or the code.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Calendar(unit) => unit.word(),
            Self::Ucum(code) => code,
        }
    }

    fn is_indefinite(&self) -> bool {
        matches!(self, Self::Calendar(unit) if !unit.is_definite())
    }
}

/// A quantity.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// How much.
    pub value: Decimal,
    /// Of what.
    pub unit: Unit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    Is(Ordering),
    /// The units measure different things, or one is not known.
    Incomparable,
}

impl Quantity {
    /// Compares two quantities. A year or a month of the calendar compares with words of the calendar only.
    pub(crate) fn compare(&self, other: &Self) -> Compared {
        if self.unit == other.unit {
            return Compared::Is(self.value.cmp(&other.value));
        }
        match (&self.unit, &other.unit) {
            (Unit::Calendar(_), Unit::Calendar(_)) => match (self.months(), other.months()) {
                (Some(a), Some(b)) => Compared::Is(a.cmp(&b)),
                _ => self.in_days().compare_by_ucum(&other.in_days()),
            },
            (a, b) if a.is_indefinite() || b.is_indefinite() => Compared::Incomparable,
            _ => self.compare_by_ucum(other),
        }
    }

    fn months(&self) -> Option<Decimal> {
        match self.unit {
            Unit::Calendar(CalendarUnit::Year) => self.value.multiply(&Decimal::from(12)),
            Unit::Calendar(CalendarUnit::Month) => Some(self.value.clone()),
            _ => None,
        }
    }

    /// The quantity in days: a year has 365 and a month 30 days when compared with other units.
    fn in_days(&self) -> Self {
        let days = match self.unit {
            Unit::Calendar(CalendarUnit::Year) => 365,
            Unit::Calendar(CalendarUnit::Month) => 30,
            _ => return self.clone(),
        };
        match self.value.multiply(&Decimal::from(days)) {
            Some(value) => Self { value, unit: Unit::Calendar(CalendarUnit::Day) },
            None => self.clone(),
        }
    }

    fn compare_by_ucum(&self, other: &Self) -> Compared {
        match crate::ucum::compare(self, other) {
            Some(order) => Compared::Is(order),
            None => Compared::Incomparable,
        }
    }

    /// True if two quantities are the same at the precision of the less precise, in the unit of that one.
    pub(crate) fn is_equivalent(&self, other: &Self) -> bool {
        let same_unit = self.unit.code() == other.unit.code();
        let (here, there) = (precision(&self.value), precision(&other.value));
        if same_unit {
            let scale = here.min(there);
            return self.value.rounded(scale) == other.value.rounded(scale);
        }
        let round = |coarse: &Self, fine: &Self| {
            let scale = precision(&coarse.value);
            let converted = crate::ucum::converted(fine, coarse.unit.code())?;
            Some(converted.rounded(scale) == coarse.value.rounded(scale))
        };
        // The coarser quantity is the one whose last digit is worth more.
        let last_digit = |q: &Self| Self { value: Decimal::new(1.into(), precision(&q.value)), unit: q.unit.clone() };
        match crate::ucum::compare(&last_digit(self), &last_digit(other)) {
            Some(Ordering::Less) => round(other, self).unwrap_or(false),
            Some(_) => round(self, other).unwrap_or(false),
            None => false,
        }
    }

    /// Reads `10 'mg'`, `4 days` or `10`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches(' ');
        let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
        let (number, unit) = text.split_at_checked(digits)?;
        let value = Decimal::parse(number)?;
        let unit = unit.trim_start_matches([' ', '\t']);
        let unit = if unit.is_empty() {
            Unit::one()
        } else if let Some(code) = unit.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
            Some(code).filter(|code| !code.is_empty() && !code.contains('\'')).and_then(Unit::written)?
        } else {
            Unit::calendar_word(unit)?
        };
        Some(Self { value, unit })
    }
}

/// The digits after the point that say something: zeros at the end do not.
pub(crate) fn precision(value: &Decimal) -> u32 {
    value.trimmed(0).scale()
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unit {
            Unit::Calendar(unit) => {
                let plural = if self.value == Decimal::from(1) { "" } else { "s" };
                write!(f, "{} {}{plural}", self.value, unit.word())
            }
            Unit::Ucum(code) => write!(f, "{} '{code}'", self.value),
        }
    }
}
