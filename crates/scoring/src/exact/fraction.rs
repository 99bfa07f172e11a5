//! Fractions between 0 and 1, and the one place where they become floats.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_rational::Ratio;
use num_traits::ToPrimitive;
use serde::{Serialize, Serializer};

use super::natural::{Natural, gcd};

/// Integers up to here are floats without rounding.
const EXACT_IN_F64: u64 = 1 << 53;

/// An exact fraction between 0 and 1, in lowest terms: a score, a share, a bound.
///
/// It is written to JSON as [`to_f64`](Fraction::to_f64).
///
/// ```
/// use candor_scoring::Fraction;
/// let two_thirds = Fraction::of(2, 3).unwrap();
/// assert!(two_thirds < Fraction::PASS_THRESHOLD);
/// assert_eq!(candor_json::to_string(&two_thirds).unwrap(), "0.6666666666666666");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: Natural,
    denominator: Natural,
}

impl Fraction {
    /// 0.
    pub const ZERO: Fraction = Fraction { numerator: Natural::ZERO, denominator: Natural::ONE };
    /// 1.
    pub const ONE: Fraction = Fraction { numerator: Natural::ONE, denominator: Natural::ONE };
    /// 9/10, from which on a score is a pass.
    pub const PASS_THRESHOLD: Fraction = Fraction { numerator: Natural::Small(9), denominator: Natural::Small(10) };

    /// `numerator / denominator`; `None` when that is above 1 or the denominator is 0.
    pub fn of(numerator: u64, denominator: u64) -> Option<Fraction> {
        Fraction::new(Natural::from(numerator), Natural::from(denominator))
    }

    pub(crate) fn new(numerator: Natural, denominator: Natural) -> Option<Fraction> {
        if denominator.is_zero() || numerator > denominator {
            return None;
        }
        if let (Natural::Small(n), Natural::Small(d)) = (&numerator, &denominator) {
            let divisor = gcd(*n, *d);
            return Some(Fraction { numerator: Natural::Small(n / divisor), denominator: Natural::Small(d / divisor) });
        }
        let (n, d) = Ratio::new(numerator.to_big(), denominator.to_big()).into_raw();
        Some(Fraction { numerator: Natural::from(n), denominator: Natural::from(d) })
    }

    /// The decimal digits of the numerator in lowest terms.
    pub fn numerator(&self) -> String {
        self.numerator.to_big().to_string()
    }

    /// The decimal digits of the denominator in lowest terms, never 0.
    pub fn denominator(&self) -> String {
        self.denominator.to_big().to_string()
    }

    /// `1 - self`.
    #[must_use]
    pub fn complement(&self) -> Fraction {
        let rest = self.denominator.checked_sub(&self.numerator).unwrap_or(Natural::ZERO);
        Fraction { numerator: rest, denominator: self.denominator.clone() }
    }

    /// Both terms, when they are machine numbers.
    pub(crate) fn small_terms(&self) -> Option<(u64, u64)> {
        self.numerator.to_u64().zip(self.denominator.to_u64())
    }

    /// The nearest float that is on the same side of 0, 9/10 and 1 as the exact value.
    ///
    /// The side matters only where the nearest float would say more than was earned: a value
    /// within 10^-16 below 9/10 or 1, or one above 0 that is smaller than any float. Whoever
    /// compares the written number with 0.9 then comes to the same verdict.
    pub fn to_f64(&self) -> f64 {
        let nearest = self.nearest_f64();
        if nearest == 1.0 && *self < Fraction::ONE {
            1_f64.next_down()
        } else if nearest == 0.9 && *self < Fraction::PASS_THRESHOLD {
            0.9_f64.next_down()
        } else if nearest == 0.0 && !self.numerator.is_zero() {
            0_f64.next_up()
        } else {
            nearest
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "the terms are below 2^53")]
    fn nearest_f64(&self) -> f64 {
        match self.small_terms() {
            // IEEE 754 division of two exact floats rounds correctly.
            Some((n, d)) if n.max(d) <= EXACT_IN_F64 => n as f64 / d as f64,
            _ => wide_quotient(&self.numerator.to_big(), &self.denominator.to_big()),
        }
    }
}

/// The float nearest to `numerator / denominator`, which is at most 1.
fn wide_quotient(numerator: &BigUint, denominator: &BigUint) -> f64 {
    if numerator.bits() == 0 {
        return 0.0;
    }
    // A quotient of 66 or 67 bits holds all 53 of the float and more. The last bit then holds the remainder, so that
    // the rounding below sees if it is exactly halfway.
    let shift = 66 + denominator.bits().saturating_sub(numerator.bits());
    let shifted = numerator << shift;
    let quotient = &shifted / denominator;
    let exact = &quotient * denominator == shifted;
    let bits = quotient.to_u128().unwrap_or(u128::MAX) | u128::from(!exact);
    #[expect(clippy::cast_precision_loss, reason = "this is the rounding")]
    let mut value = bits as f64;
    let mut left = i32::try_from(shift).unwrap_or(i32::MAX);
    // One step could not reach the smallest floats: 2^-1074 is below the range of powi(2, n).
    while left > 0 && value != 0.0 {
        let step = left.min(512);
        value *= 2_f64.powi(-step);
        left -= step;
    }
    value
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = self.numerator.mul(&other.denominator);
        left.cmp(&other.numerator.mul(&self.denominator))
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}
