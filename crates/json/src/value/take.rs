//! Any type out of a value, owned or borrowed.

use std::borrow::Cow;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess, Unexpected,
    VariantAccess, Visitor, value::SeqDeserializer,
};
use serde::forward_to_deserialize_any;

use super::{Map, Number, Value};
use crate::error::code;
use crate::exact::{EXACT, Exact, RAW};
use crate::{Error, Result};

/// An owned or a borrowed value.
trait Node<'de>: Deserializer<'de, Error = Error> + IntoDeserializer<'de, Error> + AsRef<Value> {
    type Number: Deserializer<'de, Error = Error>;
    type Items: ExactSizeIterator<Item = Self>;
    type Members: ExactSizeIterator<Item = (Cow<'de, str>, Self)>;

    fn parts(self) -> Parts<'de, Self>;
}

enum Parts<'de, N: Node<'de>> {
    Null,
    Bool(bool),
    Number(N::Number),
    String(Cow<'de, str>),
    Array(N::Items),
    Object(N::Members),
}

type OwnedMembers<'de> =
    std::iter::Map<super::map::IntoIter<String, Value>, fn((String, Value)) -> (Cow<'de, str>, Value)>;
type BorrowedMembers<'de> =
    std::iter::Map<super::map::Iter<'de, String, Value>, fn((&'de String, &'de Value)) -> (Cow<'de, str>, &'de Value)>;

impl AsRef<Value> for Value {
    fn as_ref(&self) -> &Value {
        self
    }
}

impl<'de> Node<'de> for Value {
    type Number = Number;
    type Items = std::vec::IntoIter<Value>;
    type Members = OwnedMembers<'de>;

    fn parts(self) -> Parts<'de, Self> {
        match self {
            Self::Null => Parts::Null,
            Self::Bool(value) => Parts::Bool(value),
            Self::Number(number) => Parts::Number(number),
            Self::String(text) => Parts::String(Cow::Owned(text)),
            Self::Array(items) => Parts::Array(items.into_iter()),
            Self::Object(members) => Parts::Object(owned(members)),
        }
    }
}

fn owned<'de>(members: Map<String, Value>) -> OwnedMembers<'de> {
    members.into_iter().map(|(key, value)| (Cow::Owned(key), value))
}

fn borrowed(members: &Map<String, Value>) -> BorrowedMembers<'_> {
    members.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), value))
}

impl<'de> Node<'de> for &'de Value {
    type Number = &'de Number;
    type Items = std::slice::Iter<'de, Value>;
    type Members = BorrowedMembers<'de>;

    fn parts(self) -> Parts<'de, Self> {
        match self {
            Value::Null => Parts::Null,
            Value::Bool(value) => Parts::Bool(*value),
            Value::Number(number) => Parts::Number(number),
            Value::String(text) => Parts::String(Cow::Borrowed(text)),
            Value::Array(items) => Parts::Array(items.iter()),
            Value::Object(members) => Parts::Object(borrowed(members)),
        }
    }
}

impl Value {
    #[cold]
    fn invalid_type(&self, expected: &dyn Expected) -> Error {
        Error::invalid_type(self.unexpected(), expected)
    }

    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Number(_) => Unexpected::Other("number"),
            Self::String(text) => Unexpected::Str(text),
            Self::Array(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        }
    }
}

fn visit_text<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value> {
    match text {
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
        Cow::Owned(text) => visitor.visit_string(text),
    }
}

fn visit_array<'de, N: Node<'de>, V: Visitor<'de>>(items: N::Items, visitor: V) -> Result<V::Value> {
    let length = items.len();
    let mut items = SeqDeserializer::<_, Error>::new(items);
    let value = visitor.visit_seq(&mut items)?;
    match items.end() {
        Ok(()) => Ok(value),
        Err(_) => Err(Error::invalid_length(length, &"fewer elements in array")),
    }
}

fn visit_object<'de, N: Node<'de>, V: Visitor<'de>>(members: N::Members, visitor: V) -> Result<V::Value> {
    let length = members.len();
    let mut members = Members::<N, _> { members, value: None };
    let value = visitor.visit_map(&mut members)?;
    match members.members.len() {
        0 => Ok(value),
        _ => Err(Error::invalid_length(length, &"fewer elements in map")),
    }
}

fn visit_enum<'de, N: Node<'de>, V: Visitor<'de>>(mut members: N::Members, visitor: V) -> Result<V::Value> {
    match (members.next(), members.next()) {
        (Some((name, value)), None) => visitor.visit_enum(Variant { name, value: Some(value) }),
        _ => Err(Error::invalid_value(Unexpected::Map, &"map with a single key")),
    }
}

/// Reads any value. With `is_exact`, a number is handed over as a text.
fn visit_any<'de, N: Node<'de>, V: Visitor<'de>>(node: N, visitor: V, is_exact: bool) -> Result<V::Value> {
    match node.parts() {
        Parts::Null => visitor.visit_unit(),
        Parts::Bool(value) => visitor.visit_bool(value),
        Parts::Number(number) if is_exact => number.deserialize_newtype_struct(EXACT, visitor),
        Parts::Number(number) => number.deserialize_any(visitor),
        Parts::String(text) => visit_text(text, visitor),
        Parts::Array(items) => visit_array::<N, V>(items, visitor),
        Parts::Object(members) => visit_object::<N, V>(members, visitor),
    }
}

macro_rules! checked {
    ($($method:ident($($argument:ty),*) $($is:ident)+;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $argument,)* visitor: V) -> Result<V::Value> {
            if $(self.$is())||+ { self.deserialize_any(visitor) } else { Err(self.invalid_type(&visitor)) }
        })*
    };
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self {
                Value::Number(number) => number.$method(visitor),
                other => other.deserialize_any(visitor),
            }
        })*
    };
}

macro_rules! deserializer {
    ($type:ty) => {
        impl<'de> Deserializer<'de> for $type {
            type Error = Error;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visit_any(self, visitor, false)
            }

            fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
                match name {
                    RAW => visitor.visit_map(Exact::new(self.to_string())),
                    EXACT => visit_any(self, visitor, true),
                    _ => visitor.visit_newtype_struct(self),
                }
            }

            fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
            }

            fn deserialize_enum<V: Visitor<'de>>(
                self,
                _: &'static str,
                _: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value> {
                if !self.is_string() && !self.is_object() {
                    return Err(self.invalid_type(&"string or map"));
                }
                match self.parts() {
                    Parts::Object(members) => visit_enum::<Self, V>(members, visitor),
                    Parts::String(name) => visitor.visit_enum(Variant::<Self> { name, value: None }),
                    _ => Err(Error::invalid_type(Unexpected::Other("value"), &"string or map")),
                }
            }

            fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
                visitor.visit_unit()
            }

            checked! {
                deserialize_bool() is_boolean;
                deserialize_char() is_string;
                deserialize_str() is_string;
                deserialize_string() is_string;
                deserialize_identifier() is_string;
                deserialize_bytes() is_string is_array;
                deserialize_byte_buf() is_string is_array;
                deserialize_unit() is_null;
                deserialize_unit_struct(&'static str) is_null;
                deserialize_seq() is_array;
                deserialize_tuple(usize) is_array;
                deserialize_tuple_struct(&'static str, usize) is_array;
                deserialize_map() is_object;
                deserialize_struct(&'static str, &'static [&'static str]) is_array is_object;
            }

            numbers! {
                deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
                deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
            }
        }
    };
}

deserializer!(Value);
deserializer!(&'de Value);

impl<'de> Deserializer<'de> for Map<String, Value> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit_object::<Value, V>(owned(self), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visit_enum::<Value, V>(owned(self), visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Members<N, I> {
    members: I,
    value: Option<N>,
}

impl<'de, N: Node<'de>, I: ExactSizeIterator<Item = (Cow<'de, str>, N)>> MapAccess<'de> for Members<N, I> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some((key, value)) = self.members.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(Key(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(Error::custom("value is missing")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}

struct Variant<'de, N> {
    name: Cow<'de, str>,
    value: Option<N>,
}

impl<'de, N: Node<'de>> EnumAccess<'de> for Variant<'de, N> {
    type Error = Error;
    type Variant = Content<N>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant)> {
        let name = seed.deserialize(self.name.into_deserializer())?;
        Ok((name, Content(self.value)))
    }
}

/// The content of a variant; `None` for a name alone.
struct Content<N>(Option<N>);

impl<N> Content<N> {
    fn of(self, expected: &'static str) -> Result<N> {
        self.0.ok_or_else(|| Error::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'de, N: Node<'de>> VariantAccess<'de> for Content<N> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        self.0.map_or(Ok(()), de::Deserialize::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.of("newtype variant")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        let expected = "tuple variant";
        let value = self.of(expected)?;
        match value.as_ref() {
            Value::Array(items) if items.is_empty() => visitor.visit_unit(),
            Value::Array(_) => value.deserialize_any(visitor),
            other => Err(other.invalid_type(&expected)),
        }
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let expected = "struct variant";
        let value = self.of(expected)?;
        match value.as_ref() {
            Value::Object(_) => value.deserialize_any(visitor),
            other => Err(other.invalid_type(&expected)),
        }
    }
}

/// A member's name, which may be read as a number or a boolean.
struct Key<'de>(Cow<'de, str>);

macro_rules! numeric_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let mut reader = crate::Deserializer::from_str(&self.0);
            if !self.0.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
                return Err(Error::nowhere(code::NUMERIC_KEY));
            }
            let value = reader.typed_number(visitor)?;
            if reader.is_at_end() { Ok(value) } else { Err(Error::nowhere(code::NUMERIC_KEY)) }
        })*
    };
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visit_text(self.0, visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match &*self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            other => Err(Error::invalid_type(Unexpected::Str(other), &visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.0.into_deserializer().deserialize_enum(name, variants, visitor)
    }

    numeric_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
