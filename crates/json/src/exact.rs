//! How exact numbers and unread texts get through serde, whose data model has neither.
//!
//! **Reading.** [`Number`](crate::Number) and [`Value`](crate::Value) ask for a newtype struct named [`EXACT`]. The reader of
//! this crate then hands over numbers as text; any other deserializer passes the name over. serde's own buffer, which
//! untagged, tagged and flattened types are read through, can hold neither: a number that no `u64`, `i64` or `f64` prints
//! as it is written goes through it as a map with the one key [`TOKEN`]. The key is known by its address, not by its
//! letters, so that no text can have it. It is a newtype struct in a newtype struct, so that no map, no struct and no
//! other kind of value takes the number for one of its own.
//!
//! **Writing.** A number is written as a newtype struct named [`NUMBER`] around a [`Plain`]. Other serializers write a
//! newtype struct as its content, and `Plain` gives them a plain `u64`, `i64` or `f64`. The serializers of this crate take
//! the content with a [`probe`](crate::probe), which differs from them in [`Serializer::is_human_readable`]. `Plain` knows
//! what the answer was around it; where it is another one inside, a probe asks, and `Plain` gives its text. The names of
//! types (`std::any::type_name`) would do for the serializers of this crate themselves, but not if another one is around
//! them, such as those of `serde_path_to_error` or `erased_serde`: they hand on both the name and the answer. serde's own
//! buffer, which tagged and flattened enums are written through, gives the answer that it gives always. It is known by its
//! name, and by the error of this crate.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Serialize, Serializer};

use crate::{Error, Result};

/// The name of the newtype struct as which exact values are read.
pub(crate) const EXACT: &str = "$candor_json::Exact";

/// The name of the newtype struct as which a raw value is read and written.
pub(crate) const RAW: &str = "$candor_json::RawValue";

/// The name of the newtype struct as which a number is written.
pub(crate) const NUMBER: &str = "$candor_json::Number";

/// A struct with one member, the text, as which `serde_json` writes a value that serde does not have.
#[derive(Clone, Copy)]
pub(crate) enum Foreign {
    /// A number, where a program turned on `arbitrary_precision`.
    Number,
    Raw,
}

impl Foreign {
    /// By the name of the struct, which is that of a type: data cannot have it.
    pub(crate) fn of(name: &'static str) -> Option<Self> {
        match name {
            "$serde_json::private::Number" => Some(Self::Number),
            "$serde_json::private::RawValue" => Some(Self::Raw),
            _ => None,
        }
    }
}

/// The name of the newtype struct as which the first key of a map is read.
const KEY: &str = "$candor_json::Key";

/// The number of newtype structs around a token.
const WRAPS: u8 = 2;

// A static has an address of its own, but a constant with the same bytes may share it. No text has these: the first one
// is not UTF-8.
static TOKEN_BYTES: [u8; 19] = *b"\xffcandor_json::exact";

static TOKEN: &str = match TOKEN_BYTES.split_first() {
    Some((_, token)) => match std::str::from_utf8(token) {
        Ok(token) => token,
        Err(_) => "",
    },
    None => "",
};

/// True for the token itself. An empty text may have any address, so that the length counts too.
fn is_token(key: &str) -> bool {
    std::ptr::eq(key, TOKEN)
}

/// The first key of a map: that of an exact text, or a member's name.
pub(crate) enum Key {
    Token,
    Name(String),
}

pub(crate) struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_newtype_struct(KEY, KeyVisitor { wraps: WRAPS })
    }
}

struct KeyVisitor {
    /// The number of newtype structs that may be around the key.
    wraps: u8,
}

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        match self.wraps.saturating_sub(1) {
            0 => deserializer.deserialize_str(self),
            wraps => deserializer.deserialize_newtype_struct(KEY, Self { wraps }),
        }
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key, E> {
        if is_token(key) { Ok(Key::Token) } else { Ok(Key::Name(key.to_owned())) }
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(Key::Name(key.to_owned()))
    }

    fn visit_string<E>(self, key: String) -> Result<Key, E> {
        Ok(Key::Name(key))
    }
}

/// Reads the text that follows a token.
pub(crate) struct CowSeed;

impl<'de> DeserializeSeed<'de> for CowSeed {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for CowSeed {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text))
    }
}

/// Reads the exact text that a map is.
pub(crate) fn text<'de, A: MapAccess<'de>>(mut map: A, expected: &dyn Expected) -> Result<Cow<'de, str>, A::Error> {
    match map.next_key_seed(KeySeed)? {
        Some(Key::Token) => map.next_value_seed(CowSeed),
        _ => Err(de::Error::invalid_type(Unexpected::Map, expected)),
    }
}

struct TokenKey {
    /// The number of newtype structs around it.
    wraps: u8,
}

impl<'de> Deserializer<'de> for TokenKey {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.wraps.checked_sub(1) {
            Some(wraps) => visitor.visit_newtype_struct(Self { wraps }),
            None => visitor.visit_borrowed_str(TOKEN),
        }
    }

    // Only a struct asks so, or as below a map, which a number is not.
    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(de::Error::invalid_type(Unexpected::Other("number"), &"a map"))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_identifier(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum ignored_any
    }
}

/// A map of one entry: the token, and an exact text.
pub(crate) struct Exact<'de>(Option<Cow<'de, str>>);

impl<'de> Exact<'de> {
    pub(crate) fn new(text: impl Into<Cow<'de, str>>) -> Self {
        Self(Some(text.into()))
    }
}

impl<'de> MapAccess<'de> for Exact<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.0 {
            Some(_) => seed.deserialize(TokenKey { wraps: WRAPS }).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match self.0.take() {
            Some(Cow::Borrowed(text)) => seed.deserialize(de::value::BorrowedStrDeserializer::new(text)),
            Some(Cow::Owned(text)) => seed.deserialize(text.into_deserializer()),
            None => Err(de::Error::custom("value is missing")),
        }
    }
}

/// An exact text on its way to a serializer.
struct Plain<'a, T> {
    text: &'a str,
    /// The content for a serializer that does not take the text.
    other: T,
    /// The answer of the serializer around it.
    is_human_readable: bool,
}

/// Writes an exact text as a newtype struct. A serializer of another crate gets `other` as its content.
pub(crate) fn serialize<S: Serializer>(
    name: &'static str,
    text: &str,
    other: impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let is_human_readable = serializer.is_human_readable();
    serializer.serialize_newtype_struct(name, &Plain { text, other, is_human_readable })
}

/// True for the buffer of serde through which a value gets to a serializer of this crate. It keeps the newtype struct.
fn is_own_buffer<S: Serializer>() -> bool {
    let inside = || std::any::type_name::<S>().strip_suffix('>')?.strip_suffix(std::any::type_name::<S::Error>());
    std::any::type_name::<S::Error>() == std::any::type_name::<Error>()
        && inside().is_some_and(|buffer| buffer.starts_with("serde::") && buffer.ends_with("::ContentSerializer<"))
}

impl<T: Serialize> Serialize for Plain<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() != self.is_human_readable || is_own_buffer::<S>() {
            true => serializer.serialize_str(self.text),
            false => self.other.serialize(serializer),
        }
    }
}

/// A number as a program without exact numbers holds it.
pub(crate) enum Parsed {
    Unsigned(u64),
    Signed(i64),
    /// Infinite if the number is out of range.
    Float(f64),
}

impl Parsed {
    /// The number that `text` is, which is known to be one.
    pub(crate) fn of(text: &str) -> Self {
        let integer = match text.as_bytes().first() {
            Some(b'-') if text != "-0" => text.parse().ok().map(Self::Signed),
            Some(b'-') => None,
            _ => text.parse().ok().map(Self::Unsigned),
        };
        integer.unwrap_or_else(|| Self::Float(text.parse().unwrap_or(f64::INFINITY)))
    }

    /// True if the number is read back as `text`, so that nothing is lost without it.
    pub(crate) fn is_exact(&self, text: &str) -> bool {
        match self {
            Self::Unsigned(_) | Self::Signed(_) => true,
            Self::Float(number) => number.is_finite() && normal(zmij::Buffer::new().format_finite(*number)) == text,
        }
    }
}

/// The text of a number as [`Number`](crate::Number) has it: an exponent with a small `e` and a sign.
pub(crate) fn normal(text: &str) -> Cow<'_, str> {
    let parts = text.bytes().position(|byte| matches!(byte, b'e' | b'E')).and_then(|at| text.split_at_checked(at));
    let Some((before, after)) = parts else { return Cow::Borrowed(text) };
    let exponent = after.trim_start_matches(['e', 'E']);
    match exponent.starts_with(['+', '-']) {
        true if after.starts_with('e') => Cow::Borrowed(text),
        true => Cow::Owned(format!("{before}e{exponent}")),
        false => Cow::Owned(format!("{before}e+{exponent}")),
    }
}
