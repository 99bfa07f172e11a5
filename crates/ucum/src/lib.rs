//! The Unified Code for Units of Measure (UCUM): units are parsed, reduced to base units, converted and compared with
//! fractions, never through binary floating point. Case-sensitive codes, as FHIR uses them.
//!
//! Nothing here knows FHIR, JSON or a check; it does no I/O. Source of every rule: The UCUM Specification 2.2.
//!
//! ```
//! use candor_ucum::{Unit, compare};
//! use num_rational::BigRational;
//! let number = |n: i64| BigRational::from_integer(n.into());
//! assert!(compare(&number(1), "g/L", &number(100), "mg/dL").unwrap().is_eq());
//! assert!(compare(&number(98), "[degF]", &number(37), "Cel").unwrap().is_lt());
//! assert!(Unit::parse("mg/{tablet}").unwrap().is_comparable(&Unit::parse("g").unwrap()));
//! assert!(compare(&number(1), "[iU]", &number(1), "mg").is_err());
//! ```

mod calendar;
mod dimension;
mod error;
mod parse;
mod table;
mod unit;

pub use calendar::{Calendar, calendar};
pub use dimension::Dimension;
pub use error::{CompareError, ParseError};
pub use unit::{Canonical, Unit};

use std::cmp::Ordering;

use num_rational::BigRational;

/// The system URI of UCUM codes in FHIR.
pub const SYSTEM: &str = "http://unitsofmeasure.org";

/// A value with a unit in base units: what equal quantities have in common.
///
/// # Errors
/// When the unit is not a UCUM unit.
///
/// ```
/// use num_rational::BigRational;
/// let value = BigRational::from_integer(5.into());
/// let canonical = candor_ucum::canonical(&value, "mm[Hg]").unwrap();
/// assert_eq!(canonical.dimension.to_string(), "g.m-1.s-2");
/// ```
pub fn canonical(value: &BigRational, unit: &str) -> Result<Canonical, ParseError> {
    Ok(Unit::parse(unit)?.canonical(value))
}

/// The value in another unit.
///
/// # Errors
/// When one of the units is not a UCUM unit, or they measure different things.
///
/// ```
/// use num_rational::BigRational;
/// let twelve = BigRational::from_integer(12.into());
/// assert_eq!(candor_ucum::convert(&twelve, "[in_i]", "[ft_i]").unwrap(), BigRational::from_integer(1.into()));
/// ```
pub fn convert(value: &BigRational, from: &str, to: &str) -> Result<BigRational, CompareError> {
    let to = Unit::parse(to)?;
    let canonical = canonical(value, from)?;
    to.value_of(&canonical)
        .ok_or_else(|| CompareError::Incomparable { left: canonical.dimension, right: to.dimension().clone() })
}

/// Which of two quantities is the greater.
///
/// # Errors
/// When one of the units is not a UCUM unit, or they measure different things.
pub fn compare(
    left: &BigRational,
    left_unit: &str,
    right: &BigRational,
    right_unit: &str,
) -> Result<Ordering, CompareError> {
    let (left, right) = (canonical(left, left_unit)?, canonical(right, right_unit)?);
    if left.dimension == right.dimension {
        Ok(left.value.cmp(&right.value))
    } else {
        Err(CompareError::Incomparable { left: left.dimension, right: right.dimension })
    }
}

/// Compiles and runs the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
