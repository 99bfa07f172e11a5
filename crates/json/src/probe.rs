//! The text of a map's key, or of an exact value.

use serde::ser::{Impossible, Serialize, Serializer};

use crate::error::code;
use crate::exact::{NUMBER, RAW};
use crate::{Error, Result};

/// Hands on the text of a map's key: a text, a number, a boolean or the name of a variant.
pub(crate) fn key<V: ?Sized + Serialize, T>(value: &V, take: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    value.serialize(Probe { take, is_key: true })
}

/// Hands on the text of an exact value, from the content of its newtype struct.
///
/// A buffer in between may have asked already, and holds a plain number: its text is as good as it gets.
pub(crate) fn exact<V: ?Sized + Serialize, T>(value: &V, take: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    value.serialize(Probe { take, is_key: false })
}

struct Probe<F> {
    take: F,
    is_key: bool,
}

impl<F> Probe<F> {
    fn refused<T>(&self) -> Result<T> {
        Err(Error::nowhere(if self.is_key { code::KEY } else { code::NUMBER }))
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<T> {
            (self.take)(itoa::Buffer::new().format(value))
        })*
    };
}

macro_rules! floats {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<T> {
            match value.is_finite() {
                true => (self.take)(zmij::Buffer::new().format_finite(value)),
                false => Err(Error::nowhere(code::FINITE_KEY)),
            }
        })*
    };
}

macro_rules! refused {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {
        $(fn $method(self, $(_: $argument),*) -> Result<$ok> {
            self.refused()
        })*
    };
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
        self.is_key
    }

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }

    floats!(serialize_f32: f32, serialize_f64: f64);

    fn serialize_str(self, value: &str) -> Result<T> {
        (self.take)(value)
    }

    fn serialize_bool(self, value: bool) -> Result<T> {
        (self.take)(if value { "true" } else { "false" })
    }

    fn serialize_char(self, value: char) -> Result<T> {
        (self.take)(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<T> {
        (self.take)(variant)
    }

    fn serialize_some<V: ?Sized + Serialize>(self, value: &V) -> Result<T> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<V: ?Sized + Serialize>(self, name: &'static str, value: &V) -> Result<T> {
        match name {
            NUMBER | RAW if self.is_key => self.refused(),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<V: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &V,
    ) -> Result<T> {
        self.refused()
    }

    refused! {
        serialize_bytes(&[u8]) -> T;
        serialize_none() -> T;
        serialize_unit() -> T;
        serialize_unit_struct(&'static str) -> T;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
