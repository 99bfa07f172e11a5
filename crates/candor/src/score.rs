//! Scores: one type for criteria, axes and tasks.

use std::fmt;

use candor_scoring::Fraction;
use serde::{Serialize, Serializer};

/// A score between 0 and 1, exact: two thirds is 2/3, and 0.7 + 0.2 reaches 0.9.
///
/// Scores compare as fractions. JSON has the nearest binary floating-point number.
///
/// ```
/// use candor::Score;
/// let two_thirds = Score::of(2, 3).unwrap();
/// assert!(two_thirds < Score::of(9, 10).unwrap());
/// assert_eq!(two_thirds.to_string(), "0.6666666666666666");
/// assert_eq!(Score::of(3, 2), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(Fraction);

impl Score {
    /// Nothing that was asserted holds, or nothing was verified.
    pub const ZERO: Self = Self(Fraction::ZERO);
    /// Everything that was asserted holds.
    pub const ONE: Self = Self(Fraction::ONE);

    /// The score `numerator / denominator`; `None` above 1, and for a denominator of 0.
    #[must_use]
    pub fn of(numerator: u64, denominator: u64) -> Option<Self> {
        Fraction::of(numerator, denominator).map(Self)
    }

    pub(crate) fn from_fraction(fraction: &Fraction) -> Self {
        Self(fraction.clone())
    }

    /// Numerator and denominator, in decimal digits: `("2", "3")`.
    #[must_use]
    pub fn to_digits(&self) -> (String, String) {
        (self.0.numerator(), self.0.denominator())
    }

    /// The nearest binary floating-point number.
    #[must_use]
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64()
    }
}

impl fmt::Display for Score {
    /// The nearest decimal number, as JSON has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f64().fmt(f)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
