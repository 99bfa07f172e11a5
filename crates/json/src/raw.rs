//! JSON values that are found, but not read.

use std::fmt::{self, Display};

use serde::de::{self, Deserialize, Deserializer, MapAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::exact::{self, CowSeed, Key, KeySeed, RAW, TextSeed};
use crate::{Result, to_string};

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

    /// The value with a text of its own.
    #[must_use]
    pub fn to_owned(&self) -> RawValueBuf {
        RawValueBuf(self.0.into())
    }
}

/// The text of a JSON value, known to be well-formed: an owned [`RawValue`].
///
/// ```
/// use candor_json::value::RawValueBuf;
/// let raw = RawValueBuf::from_string("[1.50]".to_owned()).unwrap();
/// assert_eq!(candor_json::to_string(&vec![raw]).unwrap(), "[[1.50]]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawValueBuf(Box<str>);

impl RawValueBuf {
    /// The value that `text` is.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn from_string(text: String) -> Result<Self> {
        let raw: RawValue<'_> = crate::from_str(&text)?;
        if raw.0.len() == text.len() { Ok(Self(text.into())) } else { Ok(raw.to_owned()) }
    }

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
        exact::serialize(self.0, false, serializer)
    }
}

impl Serialize for RawValueBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        exact::serialize(&self.0, false, serializer)
    }
}

struct Borrowed;

impl<'de> Visitor<'de> for Borrowed {
    type Value = RawValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        match map.next_key_seed(KeySeed)? {
            Some(Key::Token) => map.next_value_seed(TextSeed).map(RawValue),
            _ => Err(de::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawValue<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, Borrowed)
    }
}

struct Owned;

impl<'de> Visitor<'de> for Owned {
    type Value = RawValueBuf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        match map.next_key_seed(KeySeed)? {
            Some(Key::Token) => map.next_value_seed(CowSeed).map(|text| RawValueBuf(text.into())),
            _ => Err(de::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

impl<'de> Deserialize<'de> for RawValueBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, Owned)
    }
}
