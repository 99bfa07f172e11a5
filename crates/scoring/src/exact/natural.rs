//! Natural numbers of any size, cheap while they are small.

use std::cmp::Ordering;

use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// A natural number: a machine word pair as long as it fits, a big integer beyond.
///
/// A value that fits 128 bits is always `Small`, so that the derived equality is numeric.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Natural {
    Small(u128),
    Big(BigUint),
}

impl Natural {
    pub(crate) const ZERO: Natural = Natural::Small(0);
    pub(crate) const ONE: Natural = Natural::Small(1);

    pub(crate) fn is_zero(&self) -> bool {
        matches!(self, Natural::Small(0))
    }

    pub(crate) fn to_big(&self) -> BigUint {
        match self {
            Natural::Small(value) => BigUint::from(*value),
            Natural::Big(value) => value.clone(),
        }
    }

    pub(crate) fn to_u64(&self) -> Option<u64> {
        match self {
            Natural::Small(value) => u64::try_from(*value).ok(),
            Natural::Big(_) => None,
        }
    }

    pub(crate) fn add(&self, other: &Natural) -> Natural {
        if let (Natural::Small(a), Natural::Small(b)) = (self, other)
            && let Some(sum) = a.checked_add(*b)
        {
            return Natural::Small(sum);
        }
        Natural::from(self.to_big() + other.to_big())
    }

    /// Adds in place: a running total that is big keeps its allocation.
    pub(crate) fn add_assign(&mut self, other: &Natural) {
        match (&mut *self, other) {
            (Natural::Big(total), Natural::Small(value)) => *total += *value,
            (Natural::Big(total), Natural::Big(value)) => *total += value,
            _ => *self = self.add(other),
        }
    }

    pub(crate) fn checked_sub(&self, other: &Natural) -> Option<Natural> {
        match (self, other) {
            (Natural::Small(a), Natural::Small(b)) => a.checked_sub(*b).map(Natural::Small),
            (Natural::Small(_), Natural::Big(_)) => None,
            (Natural::Big(a), _) => {
                let b = other.to_big();
                (*a >= b).then(|| Natural::from(a - b))
            }
        }
    }

    pub(crate) fn mul(&self, other: &Natural) -> Natural {
        if let (Natural::Small(a), Natural::Small(b)) = (self, other)
            && let Some(product) = a.checked_mul(*b)
        {
            return Natural::Small(product);
        }
        Natural::from(self.to_big() * other.to_big())
    }

    /// Quotient and remainder; the divisor must not be zero (a zero divisor gives `(0, self)`).
    pub(crate) fn div_rem(&self, divisor: u64) -> (Natural, u64) {
        match self {
            Natural::Small(value) => {
                let wide = u128::from(divisor);
                match (value.checked_div(wide), value.checked_rem(wide)) {
                    (Some(quotient), Some(rest)) => (Natural::Small(quotient), u64::try_from(rest).unwrap_or(0)),
                    _ => (Natural::ZERO, 0),
                }
            }
            Natural::Big(value) if divisor != 0 => {
                let rest = (value % divisor).to_u64().unwrap_or(0);
                (Natural::from(value / divisor), rest)
            }
            Natural::Big(_) => (Natural::ZERO, 0),
        }
    }

    /// `self * 10^power`.
    pub(crate) fn scaled(&self, power: u32) -> Natural {
        if power == 0 || self.is_zero() {
            return self.clone();
        }
        if let (Natural::Small(value), Some(factor)) = (self, 10_u128.checked_pow(power))
            && let Some(product) = value.checked_mul(factor)
        {
            return Natural::Small(product);
        }
        Natural::from(self.to_big() * BigUint::from(10_u8).pow(power))
    }
}

impl Default for Natural {
    fn default() -> Self {
        Natural::ZERO
    }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Natural::Small(u128::from(value))
    }
}

impl From<BigUint> for Natural {
    fn from(value: BigUint) -> Self {
        value.to_u128().map_or(Natural::Big(value), Natural::Small)
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Natural::Small(a), Natural::Small(b)) => a.cmp(b),
            (Natural::Small(_), Natural::Big(_)) => Ordering::Less,
            (Natural::Big(_), Natural::Small(_)) => Ordering::Greater,
            (Natural::Big(a), Natural::Big(b)) => a.cmp(b),
        }
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // Division of 64-bit numbers is several times cheaper, and most numbers here are small.
        (a, b) = match (u64::try_from(a), u64::try_from(b)) {
            (Ok(x), Ok(y)) => (b, u128::from(x % y)),
            _ => (b, a % b),
        };
    }
    a
}
