//! Comparison of one value with what was expected.

mod calendar;
mod date;
mod decimal;
mod money;
mod quantity;
mod rules;
mod zone;
