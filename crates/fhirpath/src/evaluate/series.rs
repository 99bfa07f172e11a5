//! Roots, logarithms and exponentials of exact decimals, worked out in whole numbers of fixed scale.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::decimal::{Decimal, power, rounded_quotient};

/// The digits after the point of what is worked out.
const SCALE: u32 = 60;
/// The digits after the point of what is given.
const GIVEN: u32 = 28;

fn one() -> BigInt {
    power(SCALE)
}

fn fixed(value: &Decimal) -> BigInt {
    let value = value.rounded(SCALE);
    value.at_scale(SCALE)
}

fn given(value: &BigInt) -> Decimal {
    let digits = rounded_quotient(value, &power(SCALE - GIVEN));
    Decimal::new(digits, GIVEN).trimmed(0)
}

fn times(a: &BigInt, b: &BigInt) -> BigInt {
    a * b / one()
}

/// The square root; `None` of a number below zero.
pub(super) fn sqrt(value: &Decimal) -> Option<Decimal> {
    if value.is_negative() {
        return None;
    }
    // The root of digits × 10^-2k is the root of digits × 10^-k.
    let scale = value.scale().div_ceil(2).max(SCALE / 2) * 2 + 20;
    let digits = value.at_scale(scale).sqrt();
    Some(Decimal::new(digits, scale / 2).rounded(GIVEN).trimmed(0))
}

/// `e` to the power of a number; `None` where the result has more digits than numbers may have.
pub(super) fn exp(value: &Decimal) -> Option<Decimal> {
    exp_fixed(&fixed(value)).map(|result| given(&result))
}

fn exp_fixed(value: &BigInt) -> Option<BigInt> {
    // e^x = 2^k × e^r, with r no further from zero than half of ln 2.
    let ln_2 = ln_2();
    let k = rounded_quotient(value, &ln_2);
    let halvings = k.to_i64()?;
    if halvings > 2000 {
        return None;
    }
    let rest = value - &k * &ln_2;
    let (mut term, mut sum, mut n) = (one(), one(), 1u32);
    while !term.is_zero() {
        term = times(&term, &rest) / n;
        sum += &term;
        n += 1;
    }
    if halvings < -400 {
        return Some(BigInt::zero());
    }
    Some(if halvings >= 0 { sum << halvings } else { sum >> halvings.unsigned_abs() })
}

/// The natural logarithm; `None` of numbers that are not above zero.
pub(super) fn ln(value: &Decimal) -> Option<Decimal> {
    ln_fixed(value).map(|result| given(&result))
}

fn ln_fixed(value: &Decimal) -> Option<BigInt> {
    if value.is_negative() || value.is_zero() {
        return None;
    }
    // value = m × 10^k with m of one digit before the point.
    let digits = value.digits().to_string().len();
    let exponent = i64::try_from(digits).ok()? - 1 - i64::from(value.scale());
    let mantissa_scale = u32::try_from(digits - 1).ok()?;
    let mantissa = fixed(&Decimal::new(value.digits().clone(), mantissa_scale));
    let ln_10 = ln_fixed_small(&(one() * 10));
    Some(ln_fixed_small(&mantissa) + ln_10 * exponent)
}

/// The logarithm of a number from 1 to 10, at the fixed scale.
fn ln_fixed_small(value: &BigInt) -> BigInt {
    // Halved until it is near 1; then ln x = 2 (y + y³/3 + y⁵/5 …) with y = (x - 1) / (x + 1).
    let (mut value, mut doublings) = (value.clone(), 0u32);
    let limit = one() * 3 / 2;
    while value > limit {
        value /= 2;
        doublings += 1;
    }
    let near = series(&value);
    if doublings == 0 { near } else { near + ln_2() * doublings }
}

/// The logarithm of 2: of 4/3 and 3/2 together.
fn ln_2() -> BigInt {
    series(&(one() * 4 / 3)) + series(&(one() * 3 / 2))
}

fn series(value: &BigInt) -> BigInt {
    let y = (value - one()) * one() / (value + one());
    let square = times(&y, &y);
    let (mut power_of_y, mut sum, mut n) = (y.clone(), y, 3u32);
    while !power_of_y.is_zero() {
        power_of_y = times(&power_of_y, &square);
        sum += &power_of_y / n;
        n += 2;
    }
    sum * 2
}

pub(super) fn log(value: &Decimal, base: &Decimal) -> Option<Decimal> {
    let (value, base) = (ln_fixed(value)?, ln_fixed(base)?);
    if base.is_zero() {
        return None;
    }
    Some(given(&rounded_quotient(&(value * one()), &base)))
}

/// A power; `None` if it does not exist, or has more digits than numbers may have.
pub(super) fn raised(base: &Decimal, exponent: &Decimal) -> Option<Decimal> {
    match exponent.to_i64() {
        Some(whole) if whole.unsigned_abs() <= 10_000 => {
            let mut result = Decimal::new(BigInt::one(), 0);
            let (mut square, mut left) = (base.clone(), whole.unsigned_abs());
            while left > 0 {
                if left % 2 == 1 {
                    result = result.multiply(&square)?;
                }
                left /= 2;
                if left > 0 {
                    square = square.multiply(&square)?;
                }
            }
            if whole < 0 { Decimal::from(1).divide(&result) } else { Some(result) }
        }
        _ if base.is_zero() => (!exponent.is_negative()).then(|| Decimal::from(0)),
        _ => {
            let logarithm = ln_fixed(base)?;
            exp_fixed(&times(&logarithm, &fixed(exponent))).map(|result| given(&result))
        }
    }
}
