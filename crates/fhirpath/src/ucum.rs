//! Units of measure, by UCUM.

use std::cmp::Ordering;

use candor_ucum::{Canonical, Dimension};
use num_bigint::BigInt;
use num_rational::BigRational;

use crate::decimal::{self, Decimal, QUOTIENT_SCALE};
use crate::quantity::{Quantity, Unit};

fn fraction(value: &Decimal) -> BigRational {
    BigRational::new(value.digits().clone(), decimal::power(value.scale()))
}

fn canonical(quantity: &Quantity) -> Option<Canonical> {
    candor_ucum::canonical(&fraction(&quantity.value), quantity.unit.code()).ok()
}

/// Compares two quantities in base units; `None` where they measure different things or a unit is not known.
pub(crate) fn compare(a: &Quantity, b: &Quantity) -> Option<Ordering> {
    let (a, b) = (canonical(a)?, canonical(b)?);
    (a.dimension == b.dimension).then(|| a.value.cmp(&b.value))
}

/// The quantity's value in another unit, to 28 digits after the point.
pub(crate) fn converted(quantity: &Quantity, to: &str) -> Option<Decimal> {
    let value = candor_ucum::convert(&fraction(&quantity.value), quantity.unit.code(), to).ok()?;
    to_decimal(&value)
}

fn to_decimal(value: &BigRational) -> Option<Decimal> {
    let digits: BigInt = value.numer() * decimal::power(QUOTIENT_SCALE);
    Some(Decimal::new(decimal::rounded_quotient(&digits, value.denom()), QUOTIENT_SCALE).trimmed(0))
}

/// The product of two quantities: that of the values, in the product of the units.
pub(crate) fn product(a: &Quantity, b: &Quantity) -> Option<Quantity> {
    combined(a, b, '.', |a, b| a.multiply(b))
}

/// The quotient of two quantities; `None` for a divisor of zero.
pub(crate) fn quotient(a: &Quantity, b: &Quantity) -> Option<Quantity> {
    combined(a, b, '/', |a, b| a.divide(b))
}

fn combined(
    a: &Quantity,
    b: &Quantity,
    operator: char,
    calculate: impl Fn(&Decimal, &Decimal) -> Option<Decimal>,
) -> Option<Quantity> {
    let (left, right) = (a.unit.code(), b.unit.code());
    let code = match (left, right, operator) {
        (_, "1", _) => left.to_owned(),
        ("1", _, '.') => right.to_owned(),
        _ if left == right && operator == '/' => "1".to_owned(),
        _ => format!(
            "{left}{operator}{}",
            if right.contains(['.', '/']) { format!("({right})") } else { right.to_owned() }
        ),
    };
    let unit = candor_ucum::Unit::parse(&code).ok()?;
    let value = calculate(&a.value, &b.value)?;
    // A product of units that measures nothing is a number: 1 m / 1 cm is 100.
    let is_number = *unit.dimension() == Dimension::default();
    match unit.factor() {
        Some(factor) if is_number => {
            Some(Quantity { value: to_decimal(&(fraction(&value) * factor))?, unit: Unit::one() })
        }
        _ => Some(Quantity { value, unit: Unit::Ucum(code) }),
    }
}
