//! Exact, non-negative arithmetic: naturals, decimals, fractions and their sums.
//!
//! Nothing in here rounds. A value becomes a binary floating-point number in one place only,
//! [`Fraction::to_f64`], when a result is written down.

mod decimal;
mod fraction;
mod natural;
mod sum;

pub use decimal::NumberError;
pub(crate) use decimal::{Decimal, decimal_from_f64};
pub use fraction::Fraction;
pub(crate) use natural::Natural;
pub(crate) use sum::{DecimalSum, FractionSum};
