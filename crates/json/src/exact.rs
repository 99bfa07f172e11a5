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
//! the content with a [`Probe`], which differs from them in [`Serializer::is_human_readable`]. `Plain` knows what the answer
//! was around it; where it is another one inside, a probe asks, and `Plain` gives its text. The names of types
//! (`std::any::type_name`) would do for the serializers of this crate themselves, but not if another one is around them,
//! such as those of `serde_path_to_error` or `erased_serde`: they hand on both the name and the answer. serde's own buffer,
//! which tagged and flattened enums are written through, gives the answer that it gives always. It is known by its name,
//! and by the error of this crate.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde::ser::{Error as _, Impossible, Serialize, Serializer};

use crate::{Error, Result, Value, number};

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
    /// A raw value.
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

/// Reads a [`Key`].
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
pub(crate) struct TextSeed;

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = &'de str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'de str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = &'de str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a borrowed text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<&'de str, E> {
        Ok(text)
    }
}

/// Reads the text that follows a token, borrowed or not.
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

/// The token as a key.
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

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A map of one entry: the token, and an exact text.
pub(crate) struct Exact<T>(Option<T>);

impl<T> Exact<T> {
    pub(crate) fn new(text: T) -> Self {
        Self(Some(text))
    }
}

impl<'de, T: IntoText<'de>> MapAccess<'de> for Exact<T> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.0 {
            Some(_) => seed.deserialize(TokenKey { wraps: WRAPS }).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match self.0.take() {
            Some(text) => text.hand(seed),
            None => Err(de::Error::custom("value is missing")),
        }
    }
}

/// A text that a seed can be given, borrowed where it can be.
pub(crate) trait IntoText<'de> {
    fn hand<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value>;
}

impl<'de> IntoText<'de> for &'de str {
    fn hand<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        seed.deserialize(de::value::BorrowedStrDeserializer::new(self))
    }
}

impl<'de> IntoText<'de> for Cow<'de, str> {
    fn hand<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value> {
        match self {
            Cow::Borrowed(text) => text.hand(seed),
            Cow::Owned(text) => seed.deserialize(text.into_deserializer()),
        }
    }
}

/// An exact text on its way to a serializer.
pub(crate) struct Plain<'a> {
    text: &'a str,
    is_number: bool,
    /// The answer of the serializer around it.
    is_human_readable: bool,
}

/// Writes a number or a raw value, by its exact text if the serializer is one of this crate.
pub(crate) fn serialize<S: Serializer>(text: &str, is_number: bool, serializer: S) -> Result<S::Ok, S::Error> {
    let is_human_readable = serializer.is_human_readable();
    let name = if is_number { NUMBER } else { RAW };
    serializer.serialize_newtype_struct(name, &Plain { text, is_number, is_human_readable })
}

/// True for the buffer of serde through which a value gets to a serializer of this crate. It keeps the newtype struct.
fn is_own_buffer<S: Serializer>() -> bool {
    let inside = || std::any::type_name::<S>().strip_suffix('>')?.strip_suffix(std::any::type_name::<S::Error>());
    std::any::type_name::<S::Error>() == std::any::type_name::<Error>()
        && inside().is_some_and(|buffer| buffer.starts_with("serde::") && buffer.ends_with("::ContentSerializer<"))
}

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() != self.is_human_readable || is_own_buffer::<S>() {
            return serializer.serialize_str(self.text);
        }
        if !self.is_number {
            return crate::from_str::<Value>(self.text).map_err(S::Error::custom)?.serialize(serializer);
        }
        match Parsed::of(self.text) {
            Parsed::Unsigned(number) => serializer.serialize_u64(number),
            Parsed::Signed(number) => serializer.serialize_i64(number),
            Parsed::Float(number) if number.is_finite() => serializer.serialize_f64(number),
            Parsed::Float(_) => Err(S::Error::custom(format_args!("the number {} is out of range", self.text))),
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
            Self::Float(number) => {
                number.is_finite() && number::normal(zmij::Buffer::new().format_finite(*number)) == text
            }
        }
    }
}

/// Takes the exact text out of a [`Plain`].
///
/// A buffer between the two may have asked `Plain` already, and holds a plain number: its text is as good as it gets.
pub(crate) struct Probe<F>(pub(crate) F);

macro_rules! printed {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<T> {
            self.0(&crate::to_string(&value)?)
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$ok> {
            Err(not_exact())
        })*
    };
}

fn not_exact() -> Error {
    Error::nowhere(crate::error::code::NUMBER)
}

impl<T, F: FnOnce(&str) -> Result<T>> Serializer for Probe<F> {
    type Ok = T;
    type Error = Error;
    type SerializeSeq = Impossible<T, Error>;
    type SerializeTuple = Impossible<T, Error>;
    type SerializeTupleStruct = Impossible<T, Error>;
    type SerializeTupleVariant = Impossible<T, Error>;
    type SerializeMap = Impossible<T, Error>;
    type SerializeStruct = Impossible<T, Error>;
    type SerializeStructVariant = Impossible<T, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_str(self, text: &str) -> Result<T> {
        self.0(text)
    }

    printed!(serialize_u64: u64, serialize_i64: i64, serialize_f64: f64);

    refused! {
        serialize_bool(bool) -> T;
        serialize_i8(i8) -> T;
        serialize_i16(i16) -> T;
        serialize_i32(i32) -> T;
        serialize_u8(u8) -> T;
        serialize_u16(u16) -> T;
        serialize_u32(u32) -> T;
        serialize_f32(f32) -> T;
        serialize_char(char) -> T;
        serialize_bytes(&[u8]) -> T;
        serialize_none() -> T;
        serialize_unit() -> T;
        serialize_unit_struct(&'static str) -> T;
        serialize_unit_variant(&'static str, u32, &'static str) -> T;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }

    fn serialize_some<V: ?Sized + Serialize>(self, _: &V) -> Result<T> {
        Err(not_exact())
    }

    fn serialize_newtype_struct<V: ?Sized + Serialize>(self, _: &'static str, value: &V) -> Result<T> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<V: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &V,
    ) -> Result<T> {
        Err(not_exact())
    }
}
