//! The weight of a criterion.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::exact::{Decimal, NumberError};

/// An exact decimal at or above 0, read from the text of a JSON number.
///
/// ```
/// use candor_scoring::Weight;
/// let weight: Weight = "0.70".parse().unwrap();
/// assert_eq!(weight.to_string(), "0.7");
/// assert!("-1".parse::<Weight>().is_err());
/// assert!("1e999".parse::<Weight>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Weight(pub(crate) Decimal);

impl Weight {
    /// The weight 0: the criterion runs, and counts for nothing in the score.
    pub const ZERO: Weight = Weight(Decimal::ZERO);
    /// The weight 1, which a criterion has when its task says none.
    pub const ONE: Weight = Weight(Decimal::ONE);

    /// True if this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.mantissa.is_zero()
    }
}

impl Default for Weight {
    fn default() -> Self {
        Weight::ONE
    }
}

impl FromStr for Weight {
    type Err = NumberError;

    /// Reads a JSON number.
    ///
    /// # Errors
    /// If the text is not a JSON number, is negative, is not a finite number, or has more than 400 digits after its
    /// point.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Weight)
    }
}

impl fmt::Display for Weight {
    /// The exact value, as a JSON number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Weight {
    /// Writes the exact decimal as a JSON number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        candor_json::Number::from_str(&self.to_string()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}
