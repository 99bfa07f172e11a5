//! Dates against dates: at the precision of what was expected, and never by a guess.
//!
//! The expected value is a unit of time: a year, a day, a minute, an instant. The question is where the value may lie:
//! before that unit, within it, after it. Every operator follows from the answer.

use super::date::{AHEAD, BEHIND, Date, DateValue};
use super::value::all;
use super::{Comparison, Order, Zone};

/// Where a value may lie relative to the unit of time that was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Positions {
    before: bool,
    within: bool,
    after: bool,
    /// Several are possible because the value is vague, not because the assertion leaves the zone open.
    vague: bool,
}

/// The zones that a time in UTC may have been meant in. Servers write UTC for any of them.
const ANYWHERE: i128 = AHEAD;

impl Positions {
    fn of(value: (i128, i128), unit: (i128, i128), vague: bool) -> Self {
        let ((start, end), (from, to)) = (value, unit);
        Self { before: start < from, within: start < to && end > from, after: end > to, vague }
    }

    /// Where `value` may lie. Days are days by the clock that the value was written by, or by the zone's.
    fn find(value: &Date, expected: &Date, zone: Option<&Zone>) -> Self {
        if expected.has_time() {
            let (start, end) = value.bounds();
            return match (value.is_zoned(), expected.is_zoned()) {
                (true, false) => Self::of((start - BEHIND, end + AHEAD), expected.bounds(), false),
                (false, true) => Self::of((start - AHEAD, end + BEHIND), expected.bounds(), true),
                _ => Self::of((start, end), expected.bounds(), true),
            };
        }
        let unit = expected.own_bounds();
        let instant = value.is_zoned() && value.has_time();
        let (start, end) = match (expected.offset(), zone) {
            // A day is a day whatever zone was written behind it.
            _ if !instant => value.own_bounds(),
            (Some(_), _) => value.bounds_at(|_| expected.ahead()),
            (None, Some(zone)) => value.bounds_at(|instant| zone.ahead(instant)),
            (None, None) => value.own_bounds(),
        };
        let own = Self::of((start, end), unit, true);
        let is_utc = value.is_utc_time() && expected.offset().is_none() && zone.is_none();
        if is_utc && !own.within && Self::of((start - ANYWHERE, end + ANYWHERE), unit, false).within {
            return Self { within: true, vague: false, ..own };
        }
        own
    }

    fn answer(self, yes: bool, no: bool) -> Comparison {
        match (yes, no) {
            (true, false) => Comparison::Holds,
            (false, _) => Comparison::Fails,
            (true, true) if self.vague => Comparison::Vague,
            (true, true) => Comparison::Undecidable,
        }
    }

    fn equal(self) -> Comparison {
        self.answer(self.within, self.before || self.after)
    }

    fn ordered(self, asserted: Order) -> Comparison {
        let Self { before, within, after, .. } = self;
        match asserted {
            Order::Less => self.answer(before, within || after),
            Order::LessOrEqual => self.answer(before || within, after),
            Order::Greater => self.answer(after, before || within),
            Order::GreaterOrEqual => self.answer(within || after, before),
        }
    }
}

impl Date {
    /// Compares for equality, at the precision of the expected date. `zone` says where days are days;
    /// without it they are by the clock that the date was written by.
    ///
    /// ```
    /// use candor_check::compare::{Comparison, Date, DateForm};
    /// let read = |text| Date::parse(text, DateForm::Iso).unwrap();
    /// let day = read("2026-11-20");
    /// assert_eq!(read("2026-11-20T23:30:00-05:00").equal(&day, None), Comparison::Holds);
    /// assert_eq!(read("2026-11").equal(&day, None), Comparison::Vague);
    /// // In New York it is still the 20th.
    /// assert_eq!(read("2026-11-21T04:30:00Z").equal(&day, None), Comparison::Undecidable);
    /// ```
    #[must_use]
    pub fn equal(&self, expected: &Self, zone: Option<&Zone>) -> Comparison {
        Positions::find(self, expected, zone).equal()
    }

    /// Says if the date lies in that order to the expected one, as [`Date::equal`] compares: `LessOrEqual` a day holds to
    /// the end of that day.
    #[must_use]
    pub fn ordered(&self, asserted: Order, expected: &Self, zone: Option<&Zone>) -> Comparison {
        Positions::find(self, expected, zone).ordered(asserted)
    }
}

impl DateValue {
    /// Compares for equality, as [`Date::equal`] does; a range never equals a single date.
    #[must_use]
    pub fn equal(&self, expected: &Self, zone: Option<&Zone>) -> Comparison {
        match (self, expected) {
            (Self::At(value), Self::At(expected)) => value.equal(expected, zone),
            (Self::Range(from, to), Self::Range(first, last)) => {
                all([from.equal(first, zone), to.equal(last, zone)].into_iter())
            }
            _ => Comparison::Fails,
        }
    }

    /// Says if the whole of this lies in that order to the expected one.
    #[must_use]
    pub fn ordered(&self, asserted: Order, expected: &Self, zone: Option<&Zone>) -> Comparison {
        match asserted {
            Order::Less => self.last().ordered(asserted, expected.first(), zone),
            Order::LessOrEqual => self.last().ordered(asserted, expected.first(), zone),
            Order::Greater => self.first().ordered(asserted, expected.last(), zone),
            Order::GreaterOrEqual => self.first().ordered(asserted, expected.last(), zone),
        }
    }
}
