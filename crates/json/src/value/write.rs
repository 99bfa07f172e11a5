//! A value into any serializer, and anything into a value.

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{Map, Number, Value};
use crate::error::code;
use crate::exact::{Foreign, NUMBER, RAW};
use crate::{Error, Result, probe};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => items.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

pub(super) struct ToValue;

macro_rules! converted {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<Value> {
            Ok(value.into())
        })*
    };
}

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Object;
    type SerializeStruct = Object;
    type SerializeStructVariant = Object;

    converted! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_bool: bool, serialize_str: &str, serialize_bytes: &[u8]
    }

    fn serialize_char(self, value: char) -> Result<Value> {
        Ok(String::from(value).into())
    }

    fn serialize_none(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<Value> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<Value> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<Value> {
        match name {
            NUMBER => probe::exact(value, |text| Ok(Value::Number(Number::known(text)))),
            RAW => probe::exact(value, |text: &str| crate::from_str(text)),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value> {
        Ok(within(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List> {
        Ok(List { variant: None, items: Vec::with_capacity(length.unwrap_or(0)) })
    }

    fn serialize_tuple(self, length: usize) -> Result<List> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<List> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, variant: &'static str, length: usize) -> Result<List> {
        Ok(List { variant: Some(variant), items: Vec::with_capacity(length) })
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Object> {
        Ok(Object { variant: None, members: Map::with_capacity(length.unwrap_or(0)), key: None, foreign: None })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Object> {
        Ok(Object { foreign: Foreign::of(name), ..self.serialize_map(Some(length))? })
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, variant: &'static str, length: usize) -> Result<Object> {
        Ok(Object { variant: Some(variant), ..self.serialize_map(Some(length))? })
    }
}

/// A value as the content of a variant, if it is that of one.
fn within(variant: Option<&str>, value: Value) -> Value {
    match variant {
        None => value,
        Some(variant) => [(variant, value)].into_iter().collect(),
    }
}

pub(super) struct List {
    variant: Option<&'static str>,
    items: Vec<Value>,
}

macro_rules! list {
    ($($trait:ident $method:ident)*) => {
        $(impl $trait for List {
            type Ok = Value;
            type Error = Error;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
                self.items.push(value.serialize(ToValue)?);
                Ok(())
            }

            fn end(self) -> Result<Value> {
                Ok(within(self.variant, Value::Array(self.items)))
            }
        })*
    };
}

list! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

pub(super) struct Object {
    variant: Option<&'static str>,
    members: Map<String, Value>,
    key: Option<String>,
    /// A number or a raw value of `serde_json`: its one member is the text.
    foreign: Option<Foreign>,
}

impl SerializeMap for Object {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        self.key = Some(probe::key(key, |text| Ok(text.to_owned()))?);
        Ok(())
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        let key = self.key.take().ok_or_else(|| Error::custom("a value of a map without a key"))?;
        self.members.insert(key, value.serialize(ToValue)?);
        Ok(())
    }

    fn end(self) -> Result<Value> {
        if let Some(foreign) = self.foreign {
            let text = self.members.into_values().next();
            let text = text.as_ref().and_then(Value::as_str).ok_or_else(|| Error::nowhere(code::NUMBER))?;
            return match foreign {
                Foreign::Number => text.parse().map(Value::Number),
                Foreign::Raw => crate::from_str(text),
            };
        }
        Ok(within(self.variant, Value::Object(self.members)))
    }
}

macro_rules! object {
    ($($trait:ident)*) => {
        $(impl $trait for Object {
            type Ok = Value;
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
                self.members.insert(key.to_owned(), value.serialize(ToValue)?);
                Ok(())
            }

            fn end(self) -> Result<Value> {
                SerializeMap::end(self)
            }
        })*
    };
}

object!(SerializeStruct SerializeStructVariant);
