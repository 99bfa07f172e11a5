//! Decimals, never through floating point.

use candor_check::compare::Decimal;
use candor_json::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero as _;

pub(super) fn decimal(value: &Value) -> Option<BigRational> {
    match value {
        Value::Number(number) => Decimal::json(&number.to_string()),
        Value::String(text) => Decimal::plain(text),
        _ => None,
    }?
    .to_fraction()
}

pub(super) fn shown_exactly(value: &BigRational) -> Value {
    const MOST: usize = 4000;
    let ten = BigInt::from(10);
    let (mut digits, mut places) = (value.clone(), 0);
    while !digits.is_integer() && places < MOST {
        digits *= BigRational::from_integer(ten.clone());
        places += 1;
    }
    let digits = digits.to_integer();
    let sign = if digits < BigInt::zero() { "-" } else { "" };
    let text = digits.magnitude().to_string();
    let padded = format!("{text:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at_checked(padded.len() - places).unwrap_or((&padded, ""));
    let decimal = if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
    decimal.parse::<candor_json::Number>().map_or(Value::String(decimal), Value::Number)
}
