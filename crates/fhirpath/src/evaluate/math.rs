//! Functions of numbers.

use super::{Evaluator, Items, Outcome, series};
use crate::ast::Call;
use crate::decimal::Decimal;
use crate::error::EvaluationError;
use crate::functions::Function;
use crate::item::{Item, System};
use crate::quantity::Quantity;

/// The most digits after the point that `round` is asked for.
const FINEST: i64 = 1000;

impl<'a> Evaluator<'_, 'a> {
    pub(super) fn of_number(
        &self,
        call: &Call,
        item: &Item<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Option<System<'a>>> {
        use Function as F;
        // Logarithms and powers are worked out to many digits.
        self.count(call.at, 100)?;
        let system = item.system();
        if let Some(System::Quantity(quantity)) = system.as_deref() {
            return self.of_quantity(call, quantity, item, arguments);
        }
        let wrong = || EvaluationError::mismatch(call.at, item.kind(), "a number");
        let Some(value) = system.as_deref().filter(|value| value.number().is_some()) else { return Err(wrong()) };
        let number = value.number().ok_or_else(wrong)?;
        let argument = match arguments.first() {
            Some(argument) => self.one(argument, call.at)?,
            None => None,
        };
        if !call.arguments.is_empty() && argument.is_none() {
            return Ok(None);
        }
        let other = match argument {
            Some(argument) => {
                let number = argument.system().as_deref().and_then(System::number);
                Some(number.ok_or_else(|| EvaluationError::mismatch(call.at, argument.kind(), "a number"))?)
            }
            None => None,
        };
        let decimal = |value: Option<Decimal>| value.map(System::Decimal);
        Ok(match call.function {
            F::Abs => match value {
                System::Integer(number) => number.checked_abs().map(System::Integer),
                System::Long(number) => number.checked_abs().map(System::Long),
                _ => Some(System::Decimal(number.abs())),
            },
            F::Ceiling => Some(whole(number.ceiling())),
            F::Floor => Some(whole(number.floor())),
            F::Truncate => Some(whole(number.truncated())),
            F::Round => {
                let scale = other.as_ref().map_or(Some(0), Decimal::to_i64);
                match scale.filter(|scale| (0..=FINEST).contains(scale)).and_then(|scale| u32::try_from(scale).ok()) {
                    Some(scale) => Some(System::Decimal(number.rounded(scale))),
                    None => return Err(EvaluationError::mismatch(call.at, "another precision", "0 to 1000 digits")),
                }
            }
            F::Exp => decimal(series::exp(&number)),
            F::Ln => decimal(series::ln(&number)),
            F::Sqrt => decimal(series::sqrt(&number)),
            F::Log => decimal(other.and_then(|base| series::log(&number, &base))),
            _ => {
                let exponent = argument.and_then(Item::system);
                let both_whole = matches!(value, System::Integer(_) | System::Long(_))
                    && matches!(exponent.as_deref(), Some(System::Integer(_) | System::Long(_)));
                let raised = other.and_then(|exponent| series::raised(&number, &exponent));
                raised.map(|raised| if both_whole { whole(raised) } else { System::Decimal(raised) })
            }
        })
    }

    fn of_quantity(
        &self,
        call: &Call,
        quantity: &Quantity,
        item: &Item<'a>,
        arguments: &[Items<'a>],
    ) -> Outcome<Option<System<'a>>> {
        let value = match call.function {
            Function::Abs => quantity.value.abs(),
            Function::Ceiling => quantity.value.ceiling(),
            Function::Floor => quantity.value.floor(),
            Function::Truncate => quantity.value.truncated(),
            Function::Round => {
                let digits = match arguments.first() {
                    Some(digits) => self.integer(digits, call.at)?,
                    None => Some(0),
                };
                let Some(digits) = digits else { return Ok(None) };
                let expected = || EvaluationError::mismatch(call.at, "another precision", "0 to 1000 digits");
                let digits = u32::try_from(digits).ok().filter(|digits| *digits <= 1000).ok_or_else(expected)?;
                quantity.value.rounded(digits)
            }
            _ => return Err(EvaluationError::mismatch(call.at, item.kind(), "a number")),
        };
        Ok(Some(System::Quantity(Quantity { value, unit: quantity.unit.clone() })))
    }
}

/// A number without a fraction in the smallest type that holds it; a decimal where it has one.
fn whole<'a>(number: Decimal) -> System<'a> {
    match number.to_i64() {
        Some(value) => i32::try_from(value).map_or(System::Long(value), System::Integer),
        None => System::Decimal(number),
    }
}
