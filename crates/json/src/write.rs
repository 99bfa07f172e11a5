//! JSON from anything, compact or indented.

use std::fmt::{self, Display, Write as _};
use std::io;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use crate::exact::{Foreign, NUMBER, RAW};
use crate::scan::{Scanner, plain_until};
use crate::{Error, Number, Result, probe};

/// Writes a value as compact JSON.
///
/// ```
/// assert_eq!(candor_json::to_string(&("a", 1, 1.0)).unwrap(), r#"["a",1,1.0]"#);
/// ```
///
/// # Errors
/// A map has a key that is not a text, a number, a boolean or the name of a variant; or a `Serialize` of a type fails.
pub fn to_string<T: ?Sized + Serialize>(value: &T) -> Result<String> {
    let mut text = String::with_capacity(128);
    write(&mut text, value, false)?;
    Ok(text)
}

/// Writes a value as JSON, indented by two spaces.
///
/// ```
/// assert_eq!(candor_json::to_string_pretty(&[1, 2]).unwrap(), "[\n  1,\n  2\n]");
/// ```
///
/// # Errors
/// As [`to_string`].
pub fn to_string_pretty<T: ?Sized + Serialize>(value: &T) -> Result<String> {
    let mut text = String::with_capacity(128);
    write(&mut text, value, true)?;
    Ok(text)
}

/// Writes a value as compact JSON, in bytes.
///
/// # Errors
/// As [`to_string`].
pub fn to_vec<T: ?Sized + Serialize>(value: &T) -> Result<Vec<u8>> {
    to_string(value).map(String::into_bytes)
}

/// Writes a value as JSON, indented by two spaces, in bytes.
///
/// # Errors
/// As [`to_string`].
pub fn to_vec_pretty<T: ?Sized + Serialize>(value: &T) -> Result<Vec<u8>> {
    to_string_pretty(value).map(String::into_bytes)
}

/// Writes a value as compact JSON to `writer`, in many small pieces.
///
/// # Errors
/// As [`to_string`]; and if `writer` fails.
pub fn to_writer<W: io::Write, T: ?Sized + Serialize>(writer: W, value: &T) -> Result<()> {
    write(&mut Bytes(writer), value, false)
}

/// Writes a value as JSON to `writer`, indented by two spaces, in many small pieces.
///
/// # Errors
/// As [`to_writer`].
pub fn to_writer_pretty<W: io::Write, T: ?Sized + Serialize>(writer: W, value: &T) -> Result<()> {
    write(&mut Bytes(writer), value, true)
}

pub(crate) fn write<O: Out, T: ?Sized + Serialize>(out: &mut O, value: &T, is_pretty: bool) -> Result<()> {
    value.serialize(&mut Writer { out, is_pretty, depth: 0 })
}

pub(crate) trait Out {
    fn text(&mut self, text: &str) -> Result<()>;
}

impl Out for String {
    fn text(&mut self, text: &str) -> Result<()> {
        self.push_str(text);
        Ok(())
    }
}

impl Out for fmt::Formatter<'_> {
    fn text(&mut self, text: &str) -> Result<()> {
        self.write_str(text).map_err(|error| Error::io(io::Error::other(error)))
    }
}

struct Bytes<W>(W);

impl<W: io::Write> Out for Bytes<W> {
    fn text(&mut self, text: &str) -> Result<()> {
        self.0.write_all(text.as_bytes()).map_err(Error::io)
    }
}

struct Writer<'o, O> {
    out: &'o mut O,
    is_pretty: bool,
    depth: usize,
}

impl<O: Out> Writer<'_, O> {
    fn string(&mut self, text: &str) -> Result<()> {
        self.out.text("\"")?;
        self.escaped(text)?;
        self.out.text("\"")
    }

    /// Writes what is between the quotation marks of a string.
    fn escaped(&mut self, text: &str) -> Result<()> {
        let mut rest = text;
        loop {
            let at = plain_until(rest.as_bytes(), 0);
            let (plain, special) = rest.split_at_checked(at).unwrap_or((rest, ""));
            if !plain.is_empty() {
                self.out.text(plain)?;
            }
            let Some(byte) = special.bytes().next() else { return Ok(()) };
            self.escape(byte)?;
            rest = special.get(1..).unwrap_or_default();
        }
    }

    #[inline(never)]
    fn escape(&mut self, byte: u8) -> Result<()> {
        self.out.text(match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            control => return self.out.text(&format!("\\u{control:04x}")),
        })
    }

    fn line(&mut self) -> Result<()> {
        self.out.text("\n")?;
        (0..self.depth).try_for_each(|_| self.out.text("  "))
    }

    /// Writes the comma and the new line before an item or a member.
    fn before(&mut self, is_first: bool) -> Result<()> {
        if !is_first {
            self.out.text(",")?;
        }
        if self.is_pretty { self.line() } else { Ok(()) }
    }

    fn colon(&mut self) -> Result<()> {
        self.out.text(if self.is_pretty { ": " } else { ":" })
    }

    fn open(&mut self, bracket: &str) -> Result<()> {
        self.depth += 1;
        self.out.text(bracket)
    }

    fn close(&mut self, bracket: &str, is_empty: bool) -> Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.is_pretty && !is_empty {
            self.line()?;
        }
        self.out.text(bracket)
    }

    /// Opens the object of a variant, up to its content.
    fn variant(&mut self, variant: &str) -> Result<()> {
        self.open("{")?;
        self.before(true)?;
        self.string(variant)?;
        self.colon()
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<()> {
            self.out.text(itoa::Buffer::new().format(value))
        })*
    };
}

macro_rules! floats {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<()> {
            match value.is_finite() {
                true => self.out.text(zmij::Buffer::new().format_finite(value)),
                false => self.out.text("null"),
            }
        })*
    };
}

impl<'w, 'o, O: Out> Serializer for &'w mut Writer<'o, O> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'w, 'o, O>;
    type SerializeTuple = Compound<'w, 'o, O>;
    type SerializeTupleStruct = Compound<'w, 'o, O>;
    type SerializeTupleVariant = Compound<'w, 'o, O>;
    type SerializeMap = Compound<'w, 'o, O>;
    type SerializeStruct = Compound<'w, 'o, O>;
    type SerializeStructVariant = Compound<'w, 'o, O>;

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }

    floats!(serialize_f32: f32, serialize_f64: f64);

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.out.text(if value { "true" } else { "false" })
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.string(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.string(value)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        let mut list = self.serialize_seq(Some(value.len()))?;
        for byte in value {
            SerializeSeq::serialize_element(&mut list, byte)?;
        }
        SerializeSeq::end(list)
    }

    fn serialize_none(self) -> Result<()> {
        self.out.text("null")
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.out.text("null")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.out.text("null")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.string(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, name: &'static str, value: &T) -> Result<()> {
        match name {
            NUMBER | RAW => probe::exact(value, |text| self.out.text(text)),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant)?;
        value.serialize(&mut *self)?;
        self.close("}", false)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        self.open("[")?;
        Ok(Compound { writer: self, is_empty: true, end: "]", is_variant: false, foreign: None })
    }

    fn serialize_tuple(self, length: usize) -> Result<Self::SerializeTuple> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Self::SerializeTupleStruct> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        self.variant(variant)?;
        Ok(Compound { is_variant: true, ..self.serialize_seq(Some(length))? })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        self.open("{")?;
        Ok(Compound { writer: self, is_empty: true, end: "}", is_variant: false, foreign: None })
    }

    fn serialize_struct(self, name: &'static str, length: usize) -> Result<Self::SerializeStruct> {
        match Foreign::of(name) {
            None => self.serialize_map(Some(length)),
            foreign => Ok(Compound { writer: self, is_empty: true, end: "", is_variant: false, foreign }),
        }
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Self::SerializeStructVariant> {
        self.variant(variant)?;
        Ok(Compound { is_variant: true, ..self.serialize_map(Some(length))? })
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<()> {
        struct Escaped<'a, 'o, O>(&'a mut Writer<'o, O>, Result<()>);

        impl<O: Out> fmt::Write for Escaped<'_, '_, O> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                self.1 = self.0.escaped(text);
                if self.1.is_ok() { Ok(()) } else { Err(fmt::Error) }
            }
        }

        self.out.text("\"")?;
        let mut escaped = Escaped(self, Ok(()));
        if write!(escaped, "{value}").is_err() {
            escaped.1?;
            return Err(Error::io(io::Error::other(fmt::Error)));
        }
        self.out.text("\"")
    }
}

/// A list or an object that is being written.
struct Compound<'w, 'o, O> {
    writer: &'w mut Writer<'o, O>,
    is_empty: bool,
    end: &'static str,
    /// True for the content of a variant, whose object ends with it.
    is_variant: bool,
    /// A number or a raw value of `serde_json`, which has no brackets.
    foreign: Option<Foreign>,
}

impl<O: Out> Compound<'_, '_, O> {
    fn item<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.writer.before(self.is_empty)?;
        self.is_empty = false;
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Result<()> {
        if self.foreign.is_some() {
            return Ok(());
        }
        self.writer.close(self.end, self.is_empty)?;
        if self.is_variant { self.writer.close("}", false) } else { Ok(()) }
    }
}

macro_rules! list {
    ($($trait:ident $method:ident)*) => {
        $(impl<O: Out> $trait for Compound<'_, '_, O> {
            type Ok = ();
            type Error = Error;

            fn $method<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
                self.item(value)
            }

            fn end(self) -> Result<()> {
                self.close()
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

impl<O: Out> SerializeMap for Compound<'_, '_, O> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<()> {
        self.writer.before(self.is_empty)?;
        self.is_empty = false;
        probe::key(key, |text| self.writer.string(text))
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<()> {
        self.writer.colon()?;
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

macro_rules! object {
    ($($trait:ident)*) => {
        $(impl<O: Out> $trait for Compound<'_, '_, O> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, key: &'static str, value: &T) -> Result<()> {
                let out = &mut *self.writer.out;
                match self.foreign {
                    None => SerializeMap::serialize_entry(self, key, value),
                    Some(Foreign::Number) => probe::exact(value, |text| out.text(text.parse::<Number>()?.as_str())),
                    Some(Foreign::Raw) => probe::exact(value, |text| {
                        let mut scanner = Scanner::of_text(text);
                        let raw = scanner.raw_value()?;
                        scanner.end()?;
                        out.text(raw)
                    }),
                }
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

object!(SerializeStruct SerializeStructVariant);
