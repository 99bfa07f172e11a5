//! The score of one criterion run.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigUint;
use serde::{Serialize, Serializer};

use crate::exact::{Decimal, Fraction, Natural, NumberError, decimal_from_f64};

/// The largest denominator of a score that is kept as a fraction.
///
/// The sum of any number of scores then has a denominator that divides the least common multiple of the numbers up to
/// here, which has 1,438 bits, whatever is summed. Two different fractions with denominators up to here are at least
/// 10^-6 apart, so at most one of them is written as a given float.
pub const MAX_DENOMINATOR: u16 = 1000;

/// The exact score of a criterion run, between 0 and 1.
///
/// The values it can have are those that survive being written down: a fraction whose denominator
/// is at most [`MAX_DENOMINATOR`], or a decimal. A score made from any other fraction is the
/// decimal that its JSON text will show. A result computed from stored scores is for that reason
/// the result that was computed when they were written.
///
/// ```
/// use candor_scoring::Score;
/// let written = candor_json::to_string(&Score::of(2, 3).unwrap()).unwrap();
/// assert_eq!(written, "0.6666666666666666");
/// assert_eq!(written.parse::<Score>().unwrap(), Score::of(2, 3).unwrap());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Score(Repr);

/// Both kinds are in lowest terms, and a decimal has a denominator above the maximum.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Repr {
    Fraction { numerator: u16, denominator: u16 },
    Decimal(Decimal),
}

impl Score {
    /// 0.
    pub const ZERO: Score = Score(Repr::Fraction { numerator: 0, denominator: 1 });
    /// 1.
    pub const ONE: Score = Score(Repr::Fraction { numerator: 1, denominator: 1 });

    /// `numerator / denominator`; `None` when that is above 1 or the denominator is 0.
    pub fn of(numerator: u64, denominator: u64) -> Option<Score> {
        Fraction::of(numerator, denominator).map(|fraction| Score::from(&fraction))
    }

    /// The score of a fraction whose terms are given in decimal digits, of any length.
    ///
    /// # Errors
    /// When a term is not a number of 0 or more, or the fraction is above 1 or has a denominator of 0.
    pub fn of_digits(numerator: &str, denominator: &str) -> Result<Score, NumberError> {
        let term = |digits: &str| match digits.parse::<BigUint>() {
            Ok(term) => Ok(Natural::from(term)),
            Err(_) if digits.starts_with('-') => Err(NumberError::Negative),
            Err(_) => Err(NumberError::Syntax),
        };
        let fraction = Fraction::new(term(numerator)?, term(denominator)?);
        fraction.map(|fraction| Score::from(&fraction)).ok_or(NumberError::AboveOne)
    }

    fn of_f64(value: f64) -> Option<Score> {
        small_fraction(value).or_else(|| decimal_from_f64(value).map(Score::of_decimal))
    }

    fn of_decimal(decimal: Decimal) -> Score {
        // 1000 has at most three factors of 10, so no decimal with more places has a small
        // denominator in lowest terms but for those of two or five alone: 1/512 has nine places.
        if decimal.scale <= 9
            && let Some(fraction) = Fraction::new(decimal.mantissa.clone(), Natural::ONE.scaled(decimal.scale))
            && let Some(score) = Score::of_small_terms(&fraction)
        {
            return score;
        }
        Score(Repr::Decimal(decimal))
    }

    fn of_small_terms(fraction: &Fraction) -> Option<Score> {
        let (numerator, denominator) = fraction.small_terms()?;
        let numerator = u16::try_from(numerator).ok()?;
        let denominator = u16::try_from(denominator).ok()?;
        (denominator <= MAX_DENOMINATOR).then_some(Score(Repr::Fraction { numerator, denominator }))
    }

    /// The terms `mantissa / 10^scale / denominator`.
    pub(crate) fn terms(&self) -> (Natural, u32, u16) {
        match &self.0 {
            Repr::Fraction { numerator, denominator } => (Natural::from(u64::from(*numerator)), 0, *denominator),
            Repr::Decimal(decimal) => (decimal.mantissa.clone(), decimal.scale, 1),
        }
    }

    /// The exact value.
    pub fn to_fraction(&self) -> Fraction {
        let (mantissa, scale, denominator) = self.terms();
        let denominator = Natural::from(u64::from(denominator)).scaled(scale);
        Fraction::new(mantissa, denominator).unwrap_or(Fraction::ONE)
    }

    /// The float that is written to JSON: [`Fraction::to_f64`].
    pub fn to_f64(&self) -> f64 {
        self.to_fraction().to_f64()
    }

    /// True if this is 0.
    pub fn is_zero(&self) -> bool {
        *self == Score::ZERO
    }

    /// True if this is 1.
    pub fn is_one(&self) -> bool {
        *self == Score::ONE
    }
}

/// The one fraction with a small denominator that is written as this float, if there is one.
///
/// Such a fraction is within half a unit in the last place of the float. At that distance, less than 1 / (2 *
/// denominator^2), it is one of the convergents of the float's continued fraction (Legendre's theorem). A division
/// decides if a candidate is written as the float, since IEEE 754 division of two small integers rounds correctly.
fn small_fraction(value: f64) -> Option<Score> {
    if value == 0.0 {
        return Some(Score::ZERO);
    }
    // Below 1/1024 there is no fraction with a denominator up to 1000 but 0.
    if !(1.0 / 1024.0..=1.0).contains(&value) {
        return None;
    }
    // 2^62 * value is an integer: the smallest value here has its last bit at 2^-62.
    let scale = 1_u64 << 62;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an integer between 2^52 and 2^62, exact both ways"
    )]
    let (mut a, mut b) = ((value * scale as f64) as u64, scale);
    let (mut before, mut last) = ((0_u64, 1_u64), (1_u64, 0_u64));
    while b != 0 {
        let quotient = a / b;
        (a, b) = (b, a % b);
        let next = (
            quotient.checked_mul(last.0)?.checked_add(before.0)?,
            quotient.checked_mul(last.1)?.checked_add(before.1)?,
        );
        if next.1 > u64::from(MAX_DENOMINATOR) {
            return None;
        }
        (before, last) = (last, next);
        let numerator = u16::try_from(last.0).ok()?;
        let denominator = u16::try_from(last.1).ok()?;
        if f64::from(numerator) / f64::from(denominator) == value {
            return Some(Score(Repr::Fraction { numerator, denominator }));
        }
    }
    None
}

impl From<&Fraction> for Score {
    fn from(fraction: &Fraction) -> Self {
        Score::of_small_terms(fraction).or_else(|| Score::of_f64(fraction.to_f64())).unwrap_or(Score::ZERO)
    }
}

impl FromStr for Score {
    type Err = NumberError;

    /// Reads the text of a JSON number.
    ///
    /// Text that is the shortest form of a float, as every JSON writer in use leaves it, is the
    /// fraction with a denominator of at most [`MAX_DENOMINATOR`] that is written so, if there is
    /// one: `0.6666666666666666` is 2/3. All other text is the exact decimal.
    ///
    /// # Errors
    /// If the text is not a JSON number, is below 0 or above 1, or has more than 400 digits after its point.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "0" | "0.0" => return Ok(Score::ZERO),
            "1" | "1.0" => return Ok(Score::ONE),
            _ => {}
        }
        let decimal: Decimal = text.parse()?;
        if decimal.mantissa > Natural::ONE.scaled(decimal.scale) {
            return Err(NumberError::AboveOne);
        }
        // A decimal of up to 12 places is at least 10^-15 from every fraction with a small
        // denominator that it is not itself, and what is written alike is nearer than 2^-53.
        if decimal.scale > 12
            && let Ok(float) = text.parse::<f64>()
            && let Some(score) = small_fraction(float)
            && decimal_from_f64(float).as_ref() == Some(&decimal)
        {
            return Ok(score);
        }
        Ok(Score::of_decimal(decimal))
    }
}

impl fmt::Display for Score {
    /// The number as it is written to JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match candor_json::to_string(self) {
            Ok(text) => f.write_str(&text),
            Err(_) => Err(fmt::Error),
        }
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}
