//! Exact decimals: parsed from text, compared digit by digit, never through binary floating point.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;

/// A decimal number of any precision: `0.d1d2d3… × 10^exponent`, with neither a leading nor a trailing zero digit.
///
/// ```
/// use candor_check::compare::Decimal;
/// assert_eq!(Decimal::plain("100"), Decimal::plain("0100.00"));
/// assert!(Decimal::json("1e3") > Decimal::plain("999.99999999999999999999"));
/// assert_eq!(Decimal::plain("1e3"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// The largest power of ten, either way, that [`Decimal::to_fraction`] writes out.
    pub const MAX_FRACTION_EXPONENT: i64 = 1000;

    /// Reads a number as JSON writes it (`-12.50`, `1e3`). `None` when the text is not such a number or its exponent
    /// does not fit 64 bits.
    #[must_use]
    pub fn json(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i64>().ok()?),
            None => (text, 0),
        };
        Self::scaled(mantissa, exponent)
    }

    /// Reads a plain decimal as text data carries it: an optional sign, digits, an optional point, no exponent, no
    /// surrounding space (`-25.00`, `.5`, `007`). `None` for any other text.
    #[must_use]
    pub fn plain(text: &str) -> Option<Self> {
        match text.strip_prefix('+') {
            Some(signed_twice) if signed_twice.starts_with('-') => None,
            Some(digits) => Self::scaled(digits, 0),
            None => Self::scaled(text, 0),
        }
    }

    fn scaled(text: &str, scale: i64) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (text, ""),
        };
        let all = || whole.bytes().chain(fraction.bytes());
        if (whole.is_empty() && fraction.is_empty()) || !all().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let leading = all().take_while(|&b| b == b'0').count();
        let mut digits: Vec<u8> = all().skip(leading).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let point = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()?;
        Some(Self { negative, digits, exponent: point.checked_add(scale)? })
    }

    /// Returns `true` if the number is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The number written out, one way for every number: no exponent, no zeros that say nothing. `None` when its exponent
    /// is beyond [`Decimal::MAX_FRACTION_EXPONENT`] either way.
    ///
    /// ```
    /// use candor_check::compare::Decimal;
    /// let written = |text| Decimal::json(text).and_then(|decimal| decimal.to_plain());
    /// assert_eq!(written("-1.250e2").as_deref(), Some("-125"));
    /// assert_eq!(written("5e-2").as_deref(), Some("0.05"));
    /// ```
    #[must_use]
    pub fn to_plain(&self) -> Option<String> {
        if self.exponent.abs() > Self::MAX_FRACTION_EXPONENT {
            return None;
        }
        let digits = String::from_utf8_lossy(&self.digits);
        let sign = if self.negative { "-" } else { "" };
        let size = usize::try_from(self.exponent.unsigned_abs()).ok()?;
        Some(match (digits.is_empty(), digits.split_at_checked(size)) {
            (true, _) => "0".to_owned(),
            _ if self.exponent <= 0 => format!("{sign}0.{}{digits}", "0".repeat(size)),
            (_, Some((whole, ""))) => format!("{sign}{whole}"),
            (_, Some((whole, fraction))) => format!("{sign}{whole}.{fraction}"),
            (_, None) => format!("{sign}{digits}{}", "0".repeat(size - digits.len())),
        })
    }

    /// The same number as a fraction; `None` when its exponent is beyond [`Decimal::MAX_FRACTION_EXPONENT`] either way.
    #[must_use]
    #[doc(hidden)]
    pub fn to_fraction(&self) -> Option<BigRational> {
        let last = self.exponent.checked_sub(i64::try_from(self.digits.len()).ok()?)?;
        if self.exponent.abs() > Self::MAX_FRACTION_EXPONENT || last.abs() > Self::MAX_FRACTION_EXPONENT {
            return None;
        }
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        let digits: Vec<u8> = self.digits.iter().map(|d| d - b'0').collect();
        let whole = BigInt::from_radix_be(sign, &digits, 10).unwrap_or_default();
        let power = BigInt::from(10).pow(u32::try_from(last.abs()).ok()?);
        Some(if last >= 0 { BigRational::from_integer(whole * power) } else { BigRational::new(whole, power) })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = |a: &Self, b: &Self| match (a.digits.is_empty(), b.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => a.exponent.cmp(&b.exponent).then_with(|| a.digits.cmp(&b.digits)),
        };
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => size(self, other),
            (true, true) => size(other, self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
