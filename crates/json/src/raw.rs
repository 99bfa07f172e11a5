//! JSON values that are found, but not read.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};

use crate::exact::{self, RAW};
use crate::{Result, Value, to_string};

/// The text of a JSON value inside a larger text, known to be well-formed and not read any further.
///
/// ```
/// use candor_json::value::RawValue;
/// let items: Vec<RawValue<'_>> = candor_json::from_str(r#"[ 1.50 , {"a" : []}]"#).unwrap();
/// assert_eq!(items[0].get(), "1.50");
/// assert_eq!(items[1].get(), r#"{"a" : []}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawValue<'a>(&'a str);

impl<'a> RawValue<'a> {
    /// The text of the value, without space around it.
    #[must_use]
    pub fn get(&self) -> &'a str {
        self.0
    }
}

/// The text of a JSON value, known to be well-formed: an owned [`RawValue`].
///
/// ```
/// use candor_json::value::RawValueBuf;
/// let raw: RawValueBuf = candor_json::from_str(" [1.50]").unwrap();
/// assert_eq!(candor_json::to_string(&[raw]).unwrap(), "[[1.50]]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawValueBuf(Box<str>);

impl RawValueBuf {
    /// The text of the value, without space around it.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// The value, borrowed.
    #[must_use]
    pub fn as_raw(&self) -> RawValue<'_> {
        RawValue(&self.0)
    }
}

/// Writes a value as JSON, to be put into a larger text.
///
/// ```
/// let raw = candor_json::value::to_raw_value(&[1, 2]).unwrap();
/// assert_eq!(raw.get(), "[1,2]");
/// ```
///
/// # Errors
/// The value cannot be written as JSON.
pub fn to_raw_value<T: ?Sized + Serialize>(value: &T) -> Result<RawValueBuf> {
    to_string(value).map(|text| RawValueBuf(text.into()))
}

impl Display for RawValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Display for RawValueBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for RawValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        exact::serialize(RAW, self.0, Read(self.0), serializer)
    }
}

impl Serialize for RawValueBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_raw().serialize(serializer)
    }
}

/// The text of a value, written as the value.
struct Read<'a>(&'a str);

impl Serialize for Read<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::from_str::<Value>(self.0).map_err(S::Error::custom)?.serialize(serializer)
    }
}

struct Text;

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        exact::text(map, &self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_newtype_struct(RAW, Text)? {
            Cow::Borrowed(text) => Ok(Self(text)),
            Cow::Owned(_) => Err(D::Error::custom("a raw value that is not part of a text")),
        }
    }
}

impl<'de> Deserialize<'de> for RawValueBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, Text).map(|text| Self(text.into()))
    }
}
