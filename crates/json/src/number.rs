//! Numbers that keep their digits.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Error as _, Serialize, Serializer};

use crate::error::code;
use crate::exact::{self, EXACT, Exact, NUMBER, Parsed, normal};
use crate::scan::Scanner;
use crate::{Error, Result};

/// A number with the digits that its text has: `1.10` stays `1.10`, and 40 digits stay 40 digits.
///
/// An exponent is written with a small `e` and a sign, `1E5` as `1e+5`. Numbers are equal if their texts are.
///
/// ```
/// use candor_json::Number;
/// let number: Number = "1.10".parse().unwrap();
/// assert_eq!((number.to_string().as_str(), number.as_f64()), ("1.10", Some(1.1)));
/// assert_ne!(number, "1.1".parse().unwrap());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

impl Number {
    /// The number with the text of another one.
    pub(crate) fn known(text: &str) -> Self {
        Self(text.into())
    }

    /// The number `value` as it is read from another format, by the text that it has in JSON.
    pub(crate) fn read_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(normal(zmij::Buffer::new().format_finite(value)).into()))
    }

    /// The number `value`; `None` if it is infinite or not a number.
    ///
    /// ```
    /// assert_eq!(candor_json::Number::from_f64(1.0).unwrap().to_string(), "1.0");
    /// assert_eq!(candor_json::Number::from_f64(f64::NAN), None);
    /// ```
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(zmij::Buffer::new().format_finite(value).into()))
    }

    /// The number `value`, by the digits that an `f32` needs.
    pub(crate) fn from_f32(value: f32) -> Option<Self> {
        value.is_finite().then(|| Self(zmij::Buffer::new().format_finite(value).into()))
    }

    /// The text of the number.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number as an `i64`, if it is written as an integer in its range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The number as a `u64`, if it is written as an integer in its range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The closest `f64`, unless the number is out of its range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The closest `f32`, unless the number is out of its range.
    pub(crate) fn as_f32(&self) -> Option<f32> {
        self.0.parse().ok().filter(|value: &f32| value.is_finite())
    }

    /// True if the number is written as an integer in the range of an `i64`.
    #[must_use]
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// True if the number is written as an integer in the range of a `u64`.
    #[must_use]
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    pub(crate) fn into_text(self) -> String {
        self.0.into()
    }
}

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

impl FromStr for Number {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Scanner::of_text(text).whole_number().map(|text| Self(normal(text).into()))
    }
}

macro_rules! from_integers {
    ($($type:ty)*) => {
        $(impl From<$type> for Number {
            fn from(value: $type) -> Self {
                Self(itoa::Buffer::new().format(value).into())
            }
        })*
    };
}

from_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        exact::serialize(NUMBER, &self.0, Closest(&self.0), serializer)
    }
}

/// The text of a number, written as a program without exact numbers holds it.
struct Closest<'a>(&'a str);

impl Serialize for Closest<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Parsed::of(self.0) {
            Parsed::Unsigned(number) => serializer.serialize_u64(number),
            Parsed::Signed(number) => serializer.serialize_i64(number),
            Parsed::Float(number) if number.is_finite() => serializer.serialize_f64(number),
            Parsed::Float(_) => Err(S::Error::custom(format_args!("the number {} is out of range", self.0))),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON number")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
                deserializer.deserialize_any(self)
            }

            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(value.into())
            }

            fn visit_i128<E>(self, value: i128) -> Result<Number, E> {
                Ok(value.into())
            }

            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(value.into())
            }

            fn visit_u128<E>(self, value: u128) -> Result<Number, E> {
                Ok(value.into())
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                Number::read_f64(value).ok_or_else(|| E::custom("not a JSON number"))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Number, A::Error> {
                exact::text(map, &self).map(|text| Number::known(&text))
            }
        }

        deserializer.deserialize_newtype_struct(EXACT, Read)
    }
}

/// Hands a number to a visitor that takes anything: a plain number if nothing is lost by it.
pub(crate) fn visit<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value> {
    let parsed = Parsed::of(&text);
    match parsed {
        _ if !parsed.is_exact(&text) => visitor.visit_map(Exact::new(text)),
        Parsed::Unsigned(number) => visitor.visit_u64(number),
        Parsed::Signed(number) => visitor.visit_i64(number),
        Parsed::Float(number) => visitor.visit_f64(number),
    }
}

macro_rules! typed {
    ($($method:ident => $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let parsed = self.0.parse().map_err(|_| Error::nowhere(code::NUMBER))?;
            visitor.$visit(parsed)
        })*
    };
}

macro_rules! typed_floats {
    ($($method:ident => $visit:ident, $value:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.$visit(self.$value().ok_or_else(|| Error::nowhere(code::OUT_OF_RANGE))?)
        })*
    };
}

macro_rules! deserializer {
    ($type:ty, $text:expr) => {
        impl<'de> Deserializer<'de> for $type {
            type Error = Error;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                let text: fn(Self) -> Cow<'de, str> = $text;
                visit(text(self), visitor)
            }

            fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
                let text: fn(Self) -> Cow<'de, str> = $text;
                match name {
                    EXACT => visitor.visit_map(Exact::new(text(self))),
                    _ => visitor.visit_newtype_struct(self),
                }
            }

            typed! {
                deserialize_i8 => visit_i8
                deserialize_i16 => visit_i16
                deserialize_i32 => visit_i32
                deserialize_i64 => visit_i64
                deserialize_i128 => visit_i128
                deserialize_u8 => visit_u8
                deserialize_u16 => visit_u16
                deserialize_u32 => visit_u32
                deserialize_u64 => visit_u64
                deserialize_u128 => visit_u128
            }

            typed_floats! {
                deserialize_f32 => visit_f32, as_f32
                deserialize_f64 => visit_f64, as_f64
            }

            forward_to_deserialize_any! {
                bool char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct map struct enum
                identifier ignored_any
            }
        }
    };
}

deserializer!(Number, |number| Cow::Owned(number.into_text()));
deserializer!(&'de Number, |number| Cow::Borrowed(&number.0));
