//! Functions of dates and times, and their sums with durations.

use num_traits::ToPrimitive;

use super::{Evaluator, Items, Outcome};
use crate::ast::Call;
use crate::context::Release;
use crate::decimal::Decimal;
use crate::error::EvaluationError;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::quantity::{CalendarUnit, Quantity, Unit};
use crate::temporal::{ATTOSECONDS, Precision, Temporal, TemporalKind};

const DAY: i128 = 86_400 * ATTOSECONDS;

impl<'a> Evaluator<'_, 'a> {
    /// A date or time moved by a duration; `None` where that is in no year from 1 to 9999.
    pub(super) fn moved(&self, value: &Temporal, by: &Quantity, at: usize) -> Outcome<Option<System<'a>>> {
        let unit = match &by.unit {
            Unit::Calendar(unit) => Some(*unit),
            // A year or a month of UCUM is a mean, which no calendar has.
            Unit::Ucum(code) => CalendarUnit::of_definite_ucum(code),
        };
        let is_time = value.kind() == TemporalKind::Time;
        let Some(unit) = unit.filter(|unit| !(is_time && matches!(unit, CalendarUnit::Year | CalendarUnit::Month)))
        else {
            let found = format!("a quantity in {}", by.unit.code());
            let expected = if is_time { "hours or shorter" } else { "a duration of the calendar, as 1 month or 3 'd'" };
            return Err(EvaluationError::mismatch(at, found, expected));
        };
        Ok(self.moved_by(value, &by.value, unit).map(System::Temporal))
    }

    fn moved_by(&self, value: &Temporal, amount: &Decimal, unit: CalendarUnit) -> Option<Temporal> {
        let keeps_fraction = match unit {
            CalendarUnit::Second => self.context.release == Release::R5,
            CalendarUnit::Millisecond => true,
            _ => false,
        };
        let amount = if keeps_fraction { amount.clone() } else { amount.truncated() };
        let seconds = match unit {
            CalendarUnit::Year | CalendarUnit::Month => {
                let whole = amount.to_i64()?;
                let months = if unit == CalendarUnit::Year { whole.checked_mul(12)? } else { whole };
                let months = if value.precision() == Precision::Year { months / 12 * 12 } else { months };
                return value.plus_months(months);
            }
            CalendarUnit::Week => 7 * 86_400_000,
            CalendarUnit::Day => 86_400_000,
            CalendarUnit::Hour => 3_600_000,
            CalendarUnit::Minute => 60_000,
            CalendarUnit::Second => 1000,
            CalendarUnit::Millisecond => 1,
        };
        let milliseconds = amount.multiply(&Decimal::from(seconds))?;
        let attoseconds = milliseconds.rounded(15.min(milliseconds.scale())).at_scale(15).to_i128()?;
        // What is finer than the value is cut; a month has 30 days there, and a year 365.
        let days = i64::try_from(attoseconds / DAY).ok()?;
        match value.precision() {
            Precision::Year => value.plus_months((days / 365).checked_mul(12)?),
            Precision::Month => value.plus_months(days / 30),
            Precision::Day => value.plus(i128::from(days) * DAY),
            Precision::Hour => value.plus(attoseconds / (3600 * ATTOSECONDS) * (3600 * ATTOSECONDS)),
            Precision::Minute => value.plus(attoseconds / (60 * ATTOSECONDS) * (60 * ATTOSECONDS)),
            Precision::Second => value.plus(attoseconds).map(Temporal::with_needed_digits),
        }
    }

    pub(super) fn clock(&self, call: &Call) -> Outcome<Items<'a>> {
        let Some(now) = &self.context.now else {
            let why = format!("`{}` needs the time, which was not given", call.function.name());
            return Err(EvaluationError::refused(call.at, why));
        };
        let value = match call.function {
            Function::Now => Some(now.clone()),
            Function::Today => Some(now.to_date()),
            _ => now.to_time(),
        };
        Ok(value.map(|value| Item::System(System::Temporal(value))).into_iter().collect())
    }

    /// A part of a date or time; `None` where it is not written.
    pub(super) fn component(&self, call: &Call, item: &Item<'a>) -> Outcome<Option<System<'a>>> {
        use Function as F;
        let value = match item.system().as_deref() {
            Some(System::Temporal(value)) => value.clone(),
            _ => return Err(EvaluationError::mismatch(call.at, item.kind(), "a date or a time")),
        };
        let is_time = value.kind() == TemporalKind::Time;
        let part = |least: Precision, number: i32| {
            let of_day = least >= Precision::Hour;
            (value.precision() >= least && (of_day || !is_time)).then_some(System::Integer(number))
        };
        Ok(match call.function {
            F::YearOf => part(Precision::Year, value.year),
            F::MonthOf => part(Precision::Month, value.month.into()),
            F::DayOf => part(Precision::Day, value.day.into()),
            F::HourOf => part(Precision::Hour, value.hour.into()),
            F::MinuteOf => part(Precision::Minute, value.minute.into()),
            F::SecondOf => part(Precision::Second, value.second.into()),
            F::MillisecondOf => {
                let milliseconds = i32::try_from(value.fraction / 1_000_000_000_000_000).unwrap_or(0);
                part(Precision::Second, milliseconds).filter(|_| value.fraction_digits > 0)
            }
            F::TimezoneOffsetOf => value
                .zone
                .and_then(|minutes| Decimal::from(i64::from(minutes)).divide(&Decimal::from(60)))
                .map(System::Decimal),
            F::DateOf => (!is_time).then(|| System::Temporal(value.to_date())),
            _ => value.to_time().map(System::Temporal),
        })
    }
}
