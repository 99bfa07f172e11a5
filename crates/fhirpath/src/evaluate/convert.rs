//! Conversions: `toX` and `convertsToX`.

use super::{Evaluator, Items, Outcome};
use crate::ast::Call;
use crate::decimal::Decimal;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::quantity::{Quantity, Unit};
use crate::temporal::{Temporal, TemporalKind};
use crate::ucum;

impl<'a> Evaluator<'_, 'a> {
    /// The result of a conversion; `None` if the input cannot be converted. `convertsToX` says if it can.
    pub(super) fn converted(
        &self,
        call: &Call,
        item: &Item<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Option<System<'a>>> {
        use Function as F;
        let unit = match arguments.first() {
            Some(unit) => self.text(unit, call.at)?.and_then(Unit::written),
            None => None,
        };
        let system = item.system();
        let value = system.as_deref();
        let result = match call.function {
            F::ToBoolean | F::ConvertsToBoolean => value.and_then(to_boolean).map(System::Boolean),
            F::ToInteger | F::ConvertsToInteger => value.and_then(to_integer).map(System::Integer),
            F::ToLong | F::ConvertsToLong => value.and_then(to_long).map(System::Long),
            F::ToDecimal | F::ConvertsToDecimal => value.and_then(to_decimal).map(System::Decimal),
            F::ToDate | F::ConvertsToDate => value.and_then(to_date).map(System::Temporal),
            F::ToDateTime | F::ConvertsToDateTime => value.and_then(to_date_time).map(System::Temporal),
            F::ToTime | F::ConvertsToTime => value.and_then(to_time).map(System::Temporal),
            F::ToQuantity | F::ConvertsToQuantity => {
                value.and_then(|value| to_quantity(value, unit.as_ref())).map(System::Quantity)
            }
            _ => value.map(to_text).map(|text| System::String(text.into())),
        };
        let asks = matches!(
            call.function,
            F::ConvertsToBoolean
                | F::ConvertsToInteger
                | F::ConvertsToLong
                | F::ConvertsToDecimal
                | F::ConvertsToDate
                | F::ConvertsToDateTime
                | F::ConvertsToTime
                | F::ConvertsToQuantity
                | F::ConvertsToString
        );
        Ok(if asks { Some(System::Boolean(result.is_some())) } else { result })
    }
}

fn to_boolean(value: &System<'_>) -> Option<bool> {
    let of_number = |number: Decimal| match number.to_i64() {
        Some(1) => Some(true),
        Some(0) => Some(false),
        _ => None,
    };
    match value {
        System::Boolean(value) => Some(*value),
        System::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "1" | "1.0" => Some(true),
            "false" | "f" | "no" | "n" | "0" | "0.0" => Some(false),
            _ => None,
        },
        other => other.number().and_then(of_number),
    }
}

fn to_integer(value: &System<'_>) -> Option<i32> {
    match value {
        System::Integer(number) => Some(*number),
        System::Long(number) => i32::try_from(*number).ok(),
        System::Boolean(value) => Some(i32::from(*value)),
        System::String(text) => whole(text)?.parse().ok(),
        _ => None,
    }
}

fn to_long(value: &System<'_>) -> Option<i64> {
    match value {
        System::Long(number) => Some(*number),
        System::String(text) => whole(text)?.parse().ok(),
        other => to_integer(other).map(i64::from),
    }
}

/// The text of a whole number: a sign or none, and digits.
fn whole(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn to_decimal(value: &System<'_>) -> Option<Decimal> {
    match value {
        System::Boolean(value) => Some(Decimal::from(i64::from(*value))),
        System::String(text) if !text.contains(['e', 'E']) => Decimal::parse(text),
        other => other.number(),
    }
}

fn to_date(value: &System<'_>) -> Option<Temporal> {
    match value {
        System::Temporal(value) if value.kind() != TemporalKind::Time => Some(value.to_date()),
        System::String(text) => Temporal::date(text)
            .or_else(|| text.contains('T').then(|| Temporal::date_time(text)).flatten().map(|value| value.to_date())),
        _ => None,
    }
}

fn to_date_time(value: &System<'_>) -> Option<Temporal> {
    match value {
        System::Temporal(value) if value.kind() == TemporalKind::DateTime => Some(value.clone()),
        System::Temporal(value) if value.kind() == TemporalKind::Date => Temporal::date_time(&value.to_string()),
        System::String(text) => Temporal::date_time(text),
        _ => None,
    }
}

fn to_time(value: &System<'_>) -> Option<Temporal> {
    match value {
        System::Temporal(value) if value.kind() == TemporalKind::Time => Some(value.clone()),
        System::String(text) => Temporal::time(text.strip_prefix('T').unwrap_or(text)),
        _ => None,
    }
}

fn to_quantity(value: &System<'_>, unit: Option<&Unit>) -> Option<Quantity> {
    let quantity = match value {
        System::Quantity(quantity) => quantity.clone(),
        System::Boolean(value) => {
            Quantity { value: Decimal::parse(if *value { "1.0" } else { "0.0" })?, unit: Unit::one() }
        }
        System::String(text) => Quantity::parse(text)?,
        other => Quantity { value: other.number()?, unit: Unit::one() },
    };
    match unit {
        Some(unit) if *unit != quantity.unit => {
            Some(Quantity { value: ucum::converted(&quantity, unit.code())?, unit: unit.clone() })
        }
        _ => Some(quantity),
    }
}

pub(super) fn to_text(value: &System<'_>) -> String {
    match value {
        System::Boolean(value) => value.to_string(),
        System::Integer(number) => number.to_string(),
        System::Long(number) => number.to_string(),
        System::Decimal(number) => number.to_string(),
        System::String(text) => text.to_string(),
        System::Temporal(value) => value.to_string(),
        System::Quantity(quantity) => quantity.to_string(),
    }
}
