//! `lowBoundary`, `highBoundary`, `precision` and `comparable`.

use super::compare::as_quantity;
use super::{Evaluator, Items, Outcome};
use crate::ast::Call;
use crate::decimal::{Decimal, power};
use crate::error::EvaluationError;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::quantity::{Compared, Quantity};
use crate::temporal::{Precision, Temporal, TemporalKind, days_in};

/// The most digits after the point of a decimal's boundary.
const FINEST: i64 = 28;

impl<'a> Evaluator<'_, 'a> {
    /// The least or the greatest value that a value of its precision may mean.
    pub(super) fn boundary(
        &self,
        call: &Call,
        item: &Item<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Option<System<'a>>> {
        let high = call.function == Function::HighBoundary;
        let digits = match arguments.first() {
            Some(argument) => match self.integer(argument, call.at)? {
                Some(digits) => Some(digits),
                None => return Ok(None),
            },
            None => None,
        };
        Ok(match item.system().as_deref() {
            Some(System::Temporal(value)) => temporal(value, digits, high).map(System::Temporal),
            Some(System::Quantity(quantity)) => decimal(&quantity.value, digits, high)
                .map(|value| System::Quantity(Quantity { value, unit: quantity.unit.clone() })),
            Some(other) => match other.number() {
                Some(number) => decimal(&number, digits, high).map(System::Decimal),
                None => {
                    return Err(EvaluationError::mismatch(
                        call.at,
                        item.kind(),
                        "a number, a quantity, a date or a time",
                    ));
                }
            },
            None => {
                return Err(EvaluationError::mismatch(call.at, item.kind(), "a number, a quantity, a date or a time"));
            }
        })
    }

    /// The digits of a value: those after the point of a number, all of a date or time.
    pub(super) fn precision(&self, call: &Call, item: &Item<'a>) -> Outcome<Option<System<'a>>> {
        let digits = match item.system().as_deref() {
            Some(System::Temporal(value)) => temporal_digits(value),
            Some(other) if other.number().is_some() => other.number().map_or(0, |number| i64::from(number.scale())),
            _ => return Err(EvaluationError::mismatch(call.at, item.kind(), "a number, a date or a time")),
        };
        Ok(i32::try_from(digits).ok().map(System::Integer))
    }

    pub(super) fn comparable(
        &self,
        call: &Call,
        item: &Item<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Option<System<'a>>> {
        let other = arguments.first().map(|items| items.as_slice()).unwrap_or_default();
        let Some(other) = self.one(other, call.at)? else { return Ok(None) };
        let (a, b) = (item.system(), other.system());
        match (a.as_deref(), b.as_deref()) {
            (Some(a), Some(b)) if as_quantity(a).is_some() && as_quantity(b).is_some() => {
                let compared = as_quantity(a).zip(as_quantity(b)).map(|(a, b)| a.compare(&b));
                Ok(Some(System::Boolean(matches!(compared, Some(Compared::Is(_))))))
            }
            _ => {
                let found = format!("{} and {}", item.kind(), other.kind());
                Err(EvaluationError::mismatch(call.at, found, "two quantities"))
            }
        }
    }
}

/// Half of the last digit's step below or above, at the digits asked for. The bound that is nearer to zero is cut there, the one
/// that is farther is rounded: so the official suites have it.
fn decimal(value: &Decimal, digits: Option<i64>, high: bool) -> Option<Decimal> {
    let scale = value.scale();
    let digits = digits.unwrap_or_else(|| (i64::from(scale) + 1).clamp(8, FINEST));
    let digits = u32::try_from(digits).ok().filter(|digits| i64::from(*digits) <= FINEST)?;
    let magnitude = Decimal::new(value.abs().digits() * 10, scale + 1);
    let outward = high != value.is_negative();
    let half = Decimal::new(5.into(), scale + 1);
    let bound = if outward { magnitude.add(&half)? } else { magnitude.subtract(&half)? };
    let bound = if digits >= bound.scale() {
        Decimal::new(bound.at_scale(digits), digits)
    } else if outward || bound.is_negative() {
        bound.rounded(digits)
    } else {
        Decimal::new(bound.digits() / power(bound.scale() - digits), digits)
    };
    Some(if value.is_negative() { bound.negated() } else { bound })
}

fn temporal_digits(value: &Temporal) -> i64 {
    let digits = match value.precision() {
        Precision::Year => 4,
        Precision::Month => 6,
        Precision::Day => 8,
        Precision::Hour => 10,
        Precision::Minute => 12,
        Precision::Second => 14 + i64::from(value.fraction_digits),
    };
    if value.kind() == TemporalKind::Time { digits - 8 } else { digits }
}

fn temporal(value: &Temporal, digits: Option<i64>, high: bool) -> Option<Temporal> {
    let is_time = value.kind() == TemporalKind::Time;
    let most = match value.kind() {
        TemporalKind::Date => 8,
        TemporalKind::DateTime => 17,
        TemporalKind::Time => 9,
    };
    let digits = digits.unwrap_or(most);
    let asked = match if is_time { digits + 8 } else { digits } {
        4 if !is_time => Precision::Year,
        6 if !is_time => Precision::Month,
        8 if !is_time => Precision::Day,
        10 => Precision::Hour,
        12 => Precision::Minute,
        14 | 17 => Precision::Second,
        _ => return None,
    };
    if digits > most {
        return None;
    }
    let mut bound = value.clone();
    // FHIR has no hour without its minutes: it is taken for the full hour.
    if bound.precision == Precision::Hour {
        bound.precision = Precision::Minute;
    }
    if bound.precision < Precision::Month {
        bound.month = if high { 12 } else { 1 };
    }
    if bound.precision < Precision::Day {
        bound.day = if high { days_in(bound.year, bound.month) } else { 1 };
    }
    if bound.precision < Precision::Hour {
        bound.hour = if high { 23 } else { 0 };
    }
    if bound.precision < Precision::Minute {
        bound.minute = if high { 59 } else { 0 };
    }
    if bound.precision < Precision::Second {
        bound.second = if high { 59 } else { 0 };
    }
    if bound.precision < Precision::Second || bound.fraction_digits == 0 {
        bound.fraction = if high { 999_000_000_000_000_000 } else { 0 };
    }
    bound.fraction_digits = 3;
    bound = bound.cut_to(asked);
    if !matches!(digits, 9 | 17) {
        (bound.fraction, bound.fraction_digits) = (0, 0);
    }
    if asked >= Precision::Hour && value.kind() == TemporalKind::DateTime && bound.zone.is_none() {
        // The earliest moment of a local time is the one farthest in the east.
        bound.zone = Some(if high { -12 * 60 } else { 14 * 60 });
    }
    Some(bound)
}
