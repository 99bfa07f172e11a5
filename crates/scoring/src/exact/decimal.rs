//! Exact decimals from the text of a JSON number.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;

use super::natural::Natural;

/// The most digits a number may have before its decimal point: what the largest finite
/// 64-bit float has.
const MAX_INTEGER_DIGITS: i64 = 309;
/// The most digits a number may have after its decimal point: more than the shortest form of any
/// 64-bit float has.
const MAX_FRACTION_DIGITS: i64 = 400;

/// A non-negative decimal: `mantissa / 10^scale`, without trailing zeros behind the point.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    pub(crate) mantissa: Natural,
    pub(crate) scale: u32,
}

impl Decimal {
    pub(crate) const ZERO: Decimal = Decimal { mantissa: Natural::ZERO, scale: 0 };
    pub(crate) const ONE: Decimal = Decimal { mantissa: Natural::ONE, scale: 0 };

    /// `mantissa / 10^scale` with the trailing zeros behind the point taken off.
    pub(crate) fn new(mantissa: Natural, scale: u32) -> Decimal {
        let (mut mantissa, mut scale) = (mantissa, scale);
        if mantissa.is_zero() {
            return Decimal::ZERO;
        }
        while scale > 0 {
            let (quotient, rest) = mantissa.div_rem(10);
            if rest != 0 {
                break;
            }
            mantissa = quotient;
            scale -= 1;
        }
        Decimal { mantissa, scale }
    }
}

/// Why the text of a number is not one that can be used here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberError {
    /// Not a number as JSON writes it (`NaN` and `Infinity` are not numbers of JSON).
    Syntax,
    /// Below zero.
    Negative,
    /// 10^309 or more, which no finite 64-bit float reaches.
    TooLarge,
    /// More than 400 digits behind the decimal point.
    TooPrecise,
    /// Above 1, where a score was expected.
    AboveOne,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberError::Syntax => "it is not a JSON number",
            NumberError::Negative => "it is negative",
            NumberError::TooLarge => "it is too large to be a finite number (10^309 or more)",
            NumberError::TooPrecise => "it has more than 400 digits behind the decimal point",
            NumberError::AboveOne => "it is above 1",
        })
    }
}

impl std::error::Error for NumberError {}

/// The three parts of a JSON number, as written.
struct Parts<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    exponent: &'a str,
}

/// Splits by the grammar of RFC 8259 section 6.
fn parts(text: &str) -> Option<Parts<'_>> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((integer, fraction)) => (integer, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = integer.len() > 1 && integer.starts_with('0');
    let unsigned = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
    let ok = digits(integer) && !leading_zero && fraction.is_none_or(digits) && unsigned.is_none_or(digits);
    ok.then(|| Parts { negative, integer, fraction: fraction.unwrap_or(""), exponent: exponent.unwrap_or("0") })
}

impl FromStr for Decimal {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Most weights.
        if let [digit @ b'0'..=b'9'] = text.as_bytes() {
            return Ok(Decimal { mantissa: Natural::from(u64::from(digit - b'0')), scale: 0 });
        }
        let parts = parts(text).ok_or(NumberError::Syntax)?;
        let zero = |s: &str| s.bytes().all(|b| b == b'0');
        if zero(parts.integer) && zero(parts.fraction) {
            return Ok(Decimal::ZERO);
        }
        if parts.negative {
            return Err(NumberError::Negative);
        }
        let fraction = parts.fraction.trim_end_matches('0');
        let length = |s: &str| i64::try_from(s.len()).unwrap_or(i64::MAX);
        // An exponent of 19 digits and more only overflows; its sign says to which side.
        let exponent = parts.exponent.parse::<i64>().unwrap_or(if parts.exponent.starts_with('-') {
            i64::MIN / 4
        } else {
            i64::MAX / 4
        });
        let exponent = exponent.clamp(i64::MIN / 4, i64::MAX / 4);
        let (scale, leading) = if parts.integer == "0" {
            let zeros = length(fraction) - length(fraction.trim_start_matches('0'));
            (length(fraction) - exponent, exponent - zeros)
        } else {
            (length(fraction) - exponent, length(parts.integer) + exponent)
        };
        if leading > MAX_INTEGER_DIGITS {
            return Err(NumberError::TooLarge);
        }
        // Trailing zeros of the integer part are not digits behind the point when a negative
        // exponent moves it there: 100e-402 is 1e-400.
        let integer_zeros =
            if fraction.is_empty() { length(parts.integer) - length(parts.integer.trim_end_matches('0')) } else { 0 };
        if scale - integer_zeros > MAX_FRACTION_DIGITS {
            return Err(NumberError::TooPrecise);
        }
        let kept_integer = parts.integer.get(..parts.integer.len() - usize::try_from(integer_zeros).unwrap_or(0));
        let mantissa = digits_of(kept_integer.unwrap_or(parts.integer), fraction)?;
        let scale = scale - integer_zeros;
        Ok(match u32::try_from(scale) {
            Ok(scale) => Decimal::new(mantissa, scale),
            Err(_) => {
                let power = u32::try_from(scale.unsigned_abs()).unwrap_or(0);
                Decimal { mantissa: mantissa.scaled(power), scale: 0 }
            }
        })
    }
}

/// The digits of both parts read as one number.
fn digits_of(integer: &str, fraction: &str) -> Result<Natural, NumberError> {
    if integer.len() + fraction.len() <= 38 {
        let value =
            integer.bytes().chain(fraction.bytes()).fold(0_u128, |value, digit| value * 10 + u128::from(digit - b'0'));
        return Ok(Natural::Small(value));
    }
    let digits = [integer, fraction].concat();
    // Without its leading zeros a number within the limits above has at most 709 digits, however
    // long its text; reading digits takes time that grows with their square.
    BigUint::parse_bytes(digits.trim_start_matches('0').as_bytes(), 10).map(Natural::from).ok_or(NumberError::Syntax)
}

/// The decimal that the shortest text of a float shows (the text that reads back as that float).
///
/// `None` for what is not a finite number at or above zero.
pub(crate) fn decimal_from_f64(value: f64) -> Option<Decimal> {
    // `{:e}` writes the shortest digits with an exponent, which is a JSON number.
    value.is_finite().then(|| format!("{value:e}")).and_then(|text| text.parse().ok())
}

impl fmt::Display for Decimal {
    /// A JSON number: plain digits where that is short, an exponent where it is not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.to_big().to_string();
        let scale = usize::try_from(self.scale).unwrap_or(usize::MAX);
        if digits.len().max(scale) > 40 {
            let kept = digits.trim_end_matches('0');
            let exponent = (digits.len() - kept.len()).cast_signed() - scale.cast_signed();
            return match exponent {
                0 => f.write_str(&digits),
                _ => write!(f, "{kept}e{exponent}"),
            };
        }
        if scale == 0 {
            return f.write_str(&digits);
        }
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (integer, fraction) = padded.split_at(padded.len() - scale);
        write!(f, "{integer}.{fraction}")
    }
}
