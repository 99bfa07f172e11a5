//! Exact decimals: digits and a scale, never binary floating point.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The most digits a number may have, before and after its point together.
const MOST_DIGITS: usize = 1000;
/// The digits after the point to which a quotient that does not end is worked out, and rounded half away from zero.
pub(crate) const QUOTIENT_SCALE: u32 = 28;

/// A decimal number: `digits × 10^-scale`. The scale is what was written, so that `1.50` keeps its precision.
///
/// ```
/// use candor_fhirpath::Decimal;
/// let sum = Decimal::parse("0.1").unwrap().add(&Decimal::parse("0.20").unwrap()).unwrap();
/// assert_eq!(sum.to_string(), "0.30");
/// assert_eq!(sum, Decimal::parse("0.3").unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Decimal {
    digits: BigInt,
    scale: u32,
}

impl Decimal {
    /// Reads a number as JSON writes it. `None` for other text, and for numbers of more than 1,000 digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let ends_on_a_point = unsigned.len() > whole.len() && fraction.is_empty();
        if whole.is_empty() || ends_on_a_point || !digits_only(whole) || !digits_only(fraction) {
            return None;
        }
        if unsigned.len() > MOST_DIGITS || exponent.unsigned_abs() > MOST_DIGITS as u64 {
            return None;
        }
        let all = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}{fraction}") };
        let mut digits = match all.parse::<i64>() {
            Ok(small) => BigInt::from(small),
            Err(_) => BigInt::parse_bytes(all.as_bytes(), 10)?,
        };
        if mantissa.starts_with('-') {
            digits = -digits;
        }
        let scale = i64::try_from(fraction.len()).ok()? - exponent;
        match u32::try_from(scale) {
            Ok(scale) => Some(Self { digits, scale }),
            Err(_) => Some(Self { digits: digits * power(u32::try_from(-scale).ok()?), scale: 0 }),
        }
    }

    pub(crate) fn new(digits: BigInt, scale: u32) -> Self {
        Self { digits, scale }
    }

    pub(crate) fn digits(&self) -> &BigInt {
        &self.digits
    }

    /// The digits after the point, as written.
    #[must_use]
    pub fn scale(&self) -> u32 {
        self.scale
    }

    /// True if it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.digits.is_negative()
    }

    /// True if it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.digits.is_zero()
    }

    fn bounded(self) -> Option<Self> {
        // A decimal digit is a little more than 3.3 bits.
        (self.digits.bits() < (MOST_DIGITS as u64) * 10 / 3 && self.scale as usize <= MOST_DIGITS).then_some(self)
    }

    pub(crate) fn at_scale(&self, scale: u32) -> BigInt {
        &self.digits * power(scale.saturating_sub(self.scale))
    }

    fn aligned(&self, other: &Self) -> (BigInt, BigInt, u32) {
        let scale = self.scale.max(other.scale);
        (self.at_scale(scale), other.at_scale(scale), scale)
    }

    /// The sum; `None` when it has too many digits.
    #[must_use]
    pub fn add(&self, other: &Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other);
        Self::new(a + b, scale).bounded()
    }

    /// The difference; `None` when it has too many digits.
    #[must_use]
    pub fn subtract(&self, other: &Self) -> Option<Self> {
        self.add(&other.negated())
    }

    /// The product; `None` when it has too many digits.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Option<Self> {
        let scale = self.scale.checked_add(other.scale)?;
        Self::new(&self.digits * &other.digits, scale).bounded()
    }

    /// The quotient, exact where it ends within 28 digits after the point; `None` for a divisor of zero.
    #[must_use]
    pub fn divide(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let scale = QUOTIENT_SCALE.max(self.scale);
        let numerator = &self.digits * power(other.scale.checked_add(scale)?);
        let denominator = &other.digits * power(self.scale);
        Self::new(rounded_quotient(&numerator, &denominator), scale).trimmed(0).bounded()
    }

    /// The whole quotient, cut towards zero; `None` for a divisor of zero.
    #[must_use]
    pub fn whole_quotient(&self, other: &Self) -> Option<Self> {
        let (a, b, _) = self.aligned(other);
        (!b.is_zero()).then(|| Self::new(a / b, 0))
    }

    /// The remainder of the whole quotient, with the sign of the dividend; `None` for a divisor of zero.
    #[must_use]
    pub fn remainder(&self, other: &Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other);
        (!b.is_zero()).then(|| Self::new(a % b, scale))
    }

    /// The number with its sign turned.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self::new(-&self.digits, self.scale)
    }

    /// The number without its sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self::new(self.digits.abs(), self.scale)
    }

    /// Cut towards zero.
    #[must_use]
    pub fn truncated(&self) -> Self {
        Self::new(&self.digits / power(self.scale), 0)
    }

    /// The largest whole number that is not above it.
    #[must_use]
    pub fn floor(&self) -> Self {
        let whole = self.truncated();
        if self.is_negative() && whole != *self { Self::new(whole.digits - BigInt::one(), 0) } else { whole }
    }

    /// The smallest whole number that is not below it.
    #[must_use]
    pub fn ceiling(&self) -> Self {
        self.negated().floor().negated()
    }

    /// Rounded to that many digits after the point, half away from zero.
    #[must_use]
    pub fn rounded(&self, scale: u32) -> Self {
        if scale >= self.scale {
            return self.clone();
        }
        Self::new(rounded_quotient(&self.digits, &power(self.scale - scale)), scale)
    }

    /// Without zeros at the end, down to `least` digits after the point.
    #[must_use]
    pub fn trimmed(&self, least: u32) -> Self {
        let (mut digits, mut scale) = (self.digits.clone(), self.scale);
        let ten = BigInt::from(10);
        while scale > least {
            let (quotient, rest) = (&digits / &ten, &digits % &ten);
            if !rest.is_zero() {
                break;
            }
            digits = quotient;
            scale -= 1;
        }
        Self::new(digits, scale)
    }

    /// As a whole number of 64 bits, when it is one.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        let whole = self.truncated();
        (whole == *self).then(|| whole.digits.to_i64()).flatten()
    }
}

pub(crate) fn power(exponent: u32) -> BigInt {
    match 10u64.checked_pow(exponent) {
        Some(small) => BigInt::from(small),
        None => BigInt::from(10).pow(exponent),
    }
}

/// A quotient rounded half away from zero. The denominator is not zero.
pub(crate) fn rounded_quotient(numerator: &BigInt, denominator: &BigInt) -> BigInt {
    let negative = numerator.is_negative() != denominator.is_negative();
    let (numerator, denominator) = (numerator.abs(), denominator.abs());
    let magnitude: BigInt = (numerator * 2 + &denominator) / (denominator * 2);
    if negative { -magnitude } else { magnitude }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::new(number.into(), 0)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.digits.abs().to_string();
        if self.digits.sign() == Sign::Minus {
            f.write_str("-")?;
        }
        let scale = self.scale as usize;
        if scale == 0 {
            return f.write_str(&text);
        }
        let padded = format!("{text:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        write!(f, "{whole}.{fraction}")
    }
}
