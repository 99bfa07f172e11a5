//! Any JSON value, and what converts to and from it.

mod access;
mod convert;
pub mod map;
mod read;
mod take;
mod write;

use std::fmt::{self, Debug, Display};

use serde::de::DeserializeOwned;
use serde::ser::Serialize;

pub use crate::number::Number;
pub use crate::raw::{RawValue, RawValueBuf, to_raw_value};
pub use access::Index;
pub use map::Map;

use crate::Result;

/// Any JSON value.
///
/// ```
/// use candor_json::{Value, json};
/// let value: Value = candor_json::from_str(r#"{"b": 1.10, "a": [true, null]}"#).unwrap();
/// assert_eq!(value["a"], json!([true, null]));
/// assert_eq!(value.to_string(), r#"{"b":1.10,"a":[true,null]}"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, with its digits.
    Number(Number),
    /// A text.
    String(String),
    /// A list of values.
    Array(Vec<Value>),
    /// Members in their order.
    Object(Map<String, Value>),
}

impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(value) => write!(f, "Bool({value})"),
            Self::Number(number) => Debug::fmt(number, f),
            Self::String(text) => write!(f, "String({text:?})"),
            Self::Array(items) => {
                f.write_str("Array ")?;
                Debug::fmt(items, f)
            }
            Self::Object(members) => {
                f.write_str("Object ")?;
                Debug::fmt(members, f)
            }
        }
    }
}

impl Display for Value {
    /// Writes the value as JSON: compact, or indented with `{:#}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_pretty = f.alternate();
        crate::write::write(f, self, is_pretty).map_err(|_| fmt::Error)
    }
}

/// Makes a [`Value`] of anything that can be written as JSON.
///
/// ```
/// let value = candor_json::to_value(vec![Some(1.5), None]).unwrap();
/// assert_eq!(value, candor_json::json!([1.5, null]));
/// ```
///
/// # Errors
/// A map has a key that is not a text, a number, a boolean or the name of a variant; or a `Serialize` of a type fails.
pub fn to_value<T: Serialize>(value: T) -> Result<Value> {
    value.serialize(write::ToValue)
}

/// Makes a value of type `T` of a [`Value`].
///
/// ```
/// let numbers: Vec<u8> = candor_json::from_value(candor_json::json!([1, 2])).unwrap();
/// assert_eq!(numbers, [1, 2]);
/// ```
///
/// # Errors
/// The value does not have the shape of `T`.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T> {
    T::deserialize(value)
}

/// The value of an expression in [`json!`](crate::json).
#[doc(hidden)]
#[expect(clippy::panic, reason = "a macro in the place of a value cannot return an error")]
pub fn of_expression<T: ?Sized + Serialize>(value: &T) -> Value {
    match to_value(value) {
        Ok(value) => value,
        Err(error) => panic!("an expression in json! cannot be written as JSON: {error}"),
    }
}
