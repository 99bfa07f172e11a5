//! Texts and amounts as an author writes them.

use candor_check::compare::Decimal;
use candor_json::Value;
use num_rational::BigRational;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Debug)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) if !text.is_empty() => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            other => Err(D::Error::custom(format!("{other} is not a text; put it in quotation marks"))),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Amount {
    pub(super) written: Value,
    pub(super) value: BigRational,
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(deserializer)?;
        let decimal = match &written {
            Value::String(text) => Decimal::plain(text),
            Value::Number(number) => Decimal::json(&number.to_string()),
            _ => None,
        };
        let value = decimal.and_then(|decimal| decimal.to_fraction());
        let value = value
            .ok_or_else(|| D::Error::custom(format!("{written} is not an amount; expected one such as \"120.50\"")))?;
        Ok(Self { written, value })
    }
}
