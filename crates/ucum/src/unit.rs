//! A unit reduced to base units.

use num_rational::BigRational;
use num_traits::One;

use crate::table::Scale;
use crate::{Dimension, ParseError, parse};

/// A unit of measure.
///
/// Two units are equal here when every value means the same in both: `mL` and `cm3` are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub(crate) scale: Scale,
    pub(crate) dimension: Dimension,
}

/// A quantity in base units.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Canonical {
    /// The dimension; first, so that canonical quantities sort with those they can be compared with.
    pub dimension: Dimension,
    /// The value in base units.
    pub value: BigRational,
}

impl Unit {
    /// The longest unit that is read, in bytes.
    pub const MAX_LENGTH: usize = 512;

    /// Reads a unit: `mg/dL`, `10*3/uL`, `/min`, `{score}`, `[lb_av]`, `Cel`.
    ///
    /// Annotations in braces mean nothing and are skipped. A unit on a scale of its own (`Cel`, `[degF]`, `[pH]`, `dB`)
    /// cannot be part of a term; it may have a prefix.
    ///
    /// # Errors
    /// With the place in the text, when it is not a UCUM unit in case-sensitive form.
    ///
    /// ```
    /// use candor_ucum::{ParseError, Unit};
    /// assert_eq!(Unit::parse("mL").unwrap(), Unit::parse("cm3").unwrap());
    /// assert_eq!(Unit::parse("mg/tablet"), Err(ParseError::Unknown { at: 3, code: "tablet".into() }));
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        parse::unit(text)
    }

    /// The dimension that it measures.
    #[must_use]
    pub fn dimension(&self) -> &Dimension {
        &self.dimension
    }

    /// True if values in the two units can be compared.
    #[must_use]
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.dimension == other.dimension
    }

    /// The value, given in this unit, in base units.
    #[must_use]
    pub fn canonical(&self, value: &BigRational) -> Canonical {
        Canonical { value: self.scale.base_value(value), dimension: self.dimension.clone() }
    }

    /// A quantity's value in this unit; `None` when the unit measures something else.
    ///
    /// ```
    /// use candor_ucum::Unit;
    /// use num_rational::BigRational;
    /// let kelvin = Unit::parse("K").unwrap().canonical(&BigRational::new(5463.into(), 20.into()));
    /// assert_eq!(Unit::parse("Cel").unwrap().value_of(&kelvin), Some(BigRational::from_integer(0.into())));
    /// ```
    #[must_use]
    pub fn value_of(&self, quantity: &Canonical) -> Option<BigRational> {
        (self.dimension == quantity.dimension).then(|| self.scale.own_value(&quantity.value))
    }

    /// The factor to base units of a unit whose zero is the base unit's; `None` of `Cel`, `[degF]` and `[degRe]`.
    #[must_use]
    pub fn factor(&self) -> Option<&BigRational> {
        match &self.scale {
            Scale::Factor(factor) => Some(factor),
            Scale::Offset { .. } => None,
        }
    }

    pub(crate) fn one() -> Self {
        Self { scale: Scale::Factor(BigRational::one()), dimension: Dimension::default() }
    }
}
