//! Numbers of a database in JSON.

use candor_json::{Number, Value};

/// A number as the database writes it, digits as they are; other text (`NaN`, `Infinity`) stays text.
pub(super) fn number(text: &str) -> Value {
    match candor_json::from_str::<Number>(text) {
        Ok(number) => Value::Number(number),
        Err(_) => Value::String(text.to_owned()),
    }
}

pub(super) fn real(value: f64) -> Value {
    let infinite = if value > 0.0 { "Infinity" } else { "-Infinity" };
    let text = if value.is_nan() { "NaN" } else { infinite };
    Number::from_f64(value).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

pub(super) fn single(value: f32) -> Value {
    if value.is_finite() { number(&format!("{value:?}")) } else { real(f64::from(value)) }
}
