//! Any type out of a text.

use std::marker::PhantomData;

use serde::de::{
    self, Deserialize, DeserializeSeed, EnumAccess, Error as _, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::error::code;
use crate::exact::{EXACT, Exact, Parsed, RAW, normal};
use crate::scan::{Scanner, Text};
use crate::{Error, Result, number};

/// The deepest nesting that is read: one level less than this.
const TOO_DEEP: u8 = 128;

/// Reads a value of type `T` from a text that holds nothing else.
///
/// ```
/// let numbers: Vec<f64> = candor_json::from_str("[1, 2.50]").unwrap();
/// assert_eq!(numbers, [1.0, 2.5]);
/// ```
///
/// # Errors
/// The text is not one JSON value, it is nested 128 levels deep, or it does not have the shape of `T`.
pub fn from_str<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    whole(Deserializer::from_str(text))
}

/// Reads a value of type `T` from bytes that hold nothing else.
///
/// ```
/// let names: Vec<&str> = candor_json::from_slice(br#"["a", "b"]"#).unwrap();
/// assert_eq!(names, ["a", "b"]);
/// ```
///
/// # Errors
/// As [`from_str`]; and if a string is not UTF-8.
pub fn from_slice<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    whole(Deserializer::from_slice(bytes))
}

fn whole<'a, T: Deserialize<'a>>(mut reader: Deserializer<'a>) -> Result<T> {
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// A reader of JSON.
///
/// ```
/// use serde::Deserialize;
/// let mut reader = candor_json::Deserializer::from_str("[1] [2]");
/// assert_eq!(Vec::<u8>::deserialize(&mut reader).unwrap(), [1]);
/// assert!(reader.end().is_err());
/// ```
pub struct Deserializer<'de> {
    scanner: Scanner<'de>,
    depth_left: u8,
}

impl<'de> Deserializer<'de> {
    /// A reader of a text.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "it borrows the text, and cannot fail")]
    pub fn from_str(text: &'de str) -> Self {
        Self { scanner: Scanner::of_text(text), depth_left: TOO_DEEP }
    }

    /// A reader of bytes.
    #[must_use]
    pub fn from_slice(bytes: &'de [u8]) -> Self {
        Self { scanner: Scanner::of_bytes(bytes), depth_left: TOO_DEEP }
    }

    /// Checks that only space is left.
    ///
    /// # Errors
    /// Something else is left.
    pub fn end(&mut self) -> Result<()> {
        self.scanner.end()
    }

    /// Reads one value after the other, with space between them where they would run together.
    ///
    /// ```
    /// let values = candor_json::Deserializer::from_str("1 2[3]").into_iter::<candor_json::Value>();
    /// assert_eq!(values.map(Result::unwrap).count(), 3);
    /// ```
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "the caller chooses the type of the values")]
    pub fn into_iter<T: Deserialize<'de>>(self) -> StreamDeserializer<'de, T> {
        StreamDeserializer { offset: self.scanner.offset(), reader: self, has_failed: false, values: PhantomData }
    }

    /// True if nothing is left, not even space.
    pub(crate) fn is_at_end(&self) -> bool {
        self.scanner.peek().is_none()
    }

    /// The same result, with the place of the reader if an error does not have one.
    fn placed<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| error.placed(|| self.scanner.position()))
    }

    /// The next byte that is not space, which must begin a value.
    fn ahead(&mut self) -> Result<u8> {
        self.scanner.value_ahead()
    }

    fn word(&mut self, rest: &[u8]) -> Result<()> {
        self.scanner.skip_byte();
        self.scanner.word(rest)
    }

    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.scanner.skip_byte();
        self.scanner.string(|text| match text {
            Text::Borrowed(text) => visitor.visit_borrowed_str(text),
            Text::Copied(text) => visitor.visit_str(text),
        })
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Result<T> {
        // Left as it is by an error, after which a caller may go on.
        if self.depth_left <= 1 {
            return Err(self.scanner.error_ahead(code::RECURSION));
        }
        self.depth_left -= 1;
        self.scanner.skip_byte();
        let value = read(self);
        self.depth_left += 1;
        Ok(value)
    }

    fn visit_list<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let value = self.deeper(|reader| visitor.visit_seq(Items { reader, is_first: true }))?;
        // Read to its end before an error gets its place.
        let end = self.end_list();
        let value = value?;
        end.map(|()| value)
    }

    fn end_list(&mut self) -> Result<()> {
        match self.scanner.after_space() {
            Some(b']') => {
                self.scanner.skip_byte();
                Ok(())
            }
            Some(b',') => {
                self.scanner.skip_byte();
                let is_last = self.scanner.after_space() == Some(b']');
                Err(self.scanner.error_ahead(if is_last { code::TRAILING_COMMA } else { code::TRAILING }))
            }
            Some(_) => Err(self.scanner.error_ahead(code::TRAILING)),
            None => Err(self.scanner.error_ahead(code::EOF_LIST)),
        }
    }

    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let value = self.deeper(|reader| visitor.visit_map(Members { reader, is_first: true }))?;
        let end = self.end_object();
        let value = value?;
        end.map(|()| value)
    }

    fn end_object(&mut self) -> Result<()> {
        match self.scanner.after_space() {
            Some(b'}') => {
                self.scanner.skip_byte();
                Ok(())
            }
            Some(b',') => Err(self.scanner.error_ahead(code::TRAILING_COMMA)),
            Some(_) => Err(self.scanner.error_ahead(code::TRAILING)),
            None => Err(self.scanner.error_ahead(code::EOF_OBJECT)),
        }
    }

    /// Reads any value. With `is_exact`, numbers are handed over as texts.
    fn any<V: Visitor<'de>>(&mut self, visitor: V, is_exact: bool) -> Result<V::Value> {
        let value = match self.ahead()? {
            b'n' => {
                self.word(b"ull")?;
                visitor.visit_unit()
            }
            b't' => {
                self.word(b"rue")?;
                visitor.visit_bool(true)
            }
            b'f' => {
                self.word(b"alse")?;
                visitor.visit_bool(false)
            }
            b'-' | b'0'..=b'9' => {
                let text = normal(self.scanner.number()?);
                if is_exact { visitor.visit_map(Exact::new(text)) } else { number::visit(text, visitor) }
            }
            b'"' => self.visit_string(visitor),
            b'[' => self.visit_list(visitor),
            b'{' => self.visit_object(visitor),
            _ => return Err(self.scanner.error_ahead(code::VALUE)),
        };
        self.placed(value)
    }

    /// Reads a list or an object, if its bracket is one of `brackets`.
    fn nested<V: Visitor<'de>>(&mut self, brackets: &[u8], visitor: V) -> Result<V::Value> {
        let value = match self.ahead()? {
            b'[' if brackets.contains(&b'[') => self.visit_list(visitor),
            b'{' if brackets.contains(&b'{') => self.visit_object(visitor),
            _ => Err(self.wrong_type(&visitor)),
        };
        self.placed(value)
    }

    pub(crate) fn typed_number<'any, V: Visitor<'any>>(&mut self, visitor: V) -> Result<V::Value> {
        let value = match self.ahead()? {
            b'-' | b'0'..=b'9' => match Parsed::of(self.scanner.number()?) {
                Parsed::Unsigned(number) => visitor.visit_u64(number),
                Parsed::Signed(number) => visitor.visit_i64(number),
                Parsed::Float(number) if number.is_finite() => visitor.visit_f64(number),
                Parsed::Float(_) => return Err(self.scanner.error(code::OUT_OF_RANGE)),
            },
            _ => Err(self.wrong_type(&visitor)),
        };
        self.placed(value)
    }

    #[cold]
    fn wrong_type(&mut self, expected: &dyn Expected) -> Error {
        let found = match self.scanner.peek() {
            Some(b'n') => self.word(b"ull").map(|()| Unexpected::Unit),
            Some(b't') => self.word(b"rue").map(|()| Unexpected::Bool(true)),
            Some(b'f') => self.word(b"alse").map(|()| Unexpected::Bool(false)),
            Some(b'-' | b'0'..=b'9') => self.scanner.number().map(|text| match Parsed::of(text) {
                Parsed::Unsigned(number) => Unexpected::Unsigned(number),
                Parsed::Signed(number) => Unexpected::Signed(number),
                Parsed::Float(_) => Unexpected::Other("number"),
            }),
            Some(b'"') => {
                self.scanner.skip_byte();
                let error = self.scanner.string(|text| {
                    let (Text::Borrowed(text) | Text::Copied(text)) = text;
                    Ok(Error::invalid_type(Unexpected::Str(text), expected))
                });
                return error.unwrap_or_else(|error| error).placed(|| self.scanner.position());
            }
            Some(b'[') => Ok(Unexpected::Seq),
            Some(b'{') => Ok(Unexpected::Map),
            _ => Err(self.scanner.error_ahead(code::VALUE)),
        };
        match found {
            Ok(found) => Error::invalid_type(found, expected).placed(|| self.scanner.position()),
            Err(error) => error,
        }
    }
}

macro_rules! forwarded {
    ($($method:ident($($argument:ty),*) => $to:ident($($given:expr)?);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $argument,)* visitor: V) -> Result<V::Value> {
            self.$to($($given,)? visitor)
        })*
    };
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.typed_number(visitor)
        })*
    };
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.any(visitor, false)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match name {
            EXACT => self.any(visitor, true),
            RAW => visitor.visit_map(Exact::new(self.scanner.raw_value()?)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.ahead()? {
            b't' | b'f' => self.any(visitor, false),
            _ => Err(self.wrong_type(&visitor)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.ahead()? {
            b'"' => {
                let value = self.visit_string(visitor);
                self.placed(value)
            }
            _ => Err(self.wrong_type(&visitor)),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = match self.ahead()? {
            b'"' => {
                self.scanner.skip_byte();
                self.scanner.string(|text| match text {
                    Text::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                    Text::Copied(text) => visitor.visit_bytes(text.as_bytes()),
                })
            }
            b'[' => self.visit_list(visitor),
            _ => Err(self.wrong_type(&visitor)),
        };
        self.placed(value)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.scanner.after_space() {
            Some(b'n') => {
                self.word(b"ull")?;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.ahead()? {
            b'n' => self.any(visitor, false),
            _ => Err(self.wrong_type(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.ahead()? {
            b'{' => {
                let value = self.deeper(|reader| visitor.visit_enum(Variant(reader)))??;
                match self.scanner.after_space() {
                    Some(b'}') => {
                        self.scanner.skip_byte();
                        Ok(value)
                    }
                    Some(_) => Err(self.scanner.error(code::VALUE)),
                    None => Err(self.scanner.error(code::EOF_OBJECT)),
                }
            }
            b'"' => visitor.visit_enum(UnitVariant(self)),
            _ => Err(self.scanner.error_ahead(code::VALUE)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.scanner.skip_value()?;
        visitor.visit_unit()
    }

    forwarded! {
        deserialize_char() => deserialize_str();
        deserialize_string() => deserialize_str();
        deserialize_identifier() => deserialize_str();
        deserialize_byte_buf() => deserialize_bytes();
        deserialize_unit_struct(&'static str) => deserialize_unit();
        deserialize_seq() => nested(b"[");
        deserialize_tuple(usize) => nested(b"[");
        deserialize_tuple_struct(&'static str, usize) => nested(b"[");
        deserialize_map() => nested(b"{");
        deserialize_struct(&'static str, &'static [&'static str]) => nested(b"[{");
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64
    }
}

struct Items<'r, 'de> {
    reader: &'r mut Deserializer<'de>,
    is_first: bool,
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let scanner = &mut self.reader.scanner;
        match scanner.after_space() {
            Some(b']') => return Ok(None),
            Some(_) if self.is_first => self.is_first = false,
            Some(b',') => {
                scanner.skip_byte();
                if scanner.value_ahead()? == b']' {
                    return Err(scanner.error_ahead(code::TRAILING_COMMA));
                }
            }
            Some(_) => return Err(scanner.error_ahead(code::COMMA_OR_BRACKET)),
            None => return Err(scanner.error_ahead(code::EOF_LIST)),
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

struct Members<'r, 'de> {
    reader: &'r mut Deserializer<'de>,
    is_first: bool,
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let scanner = &mut self.reader.scanner;
        let key = match scanner.after_space() {
            Some(b'}') => return Ok(None),
            Some(byte) if self.is_first => byte,
            Some(b',') => {
                scanner.skip_byte();
                match scanner.value_ahead()? {
                    b'}' => return Err(scanner.error_ahead(code::TRAILING_COMMA)),
                    byte => byte,
                }
            }
            Some(_) => return Err(scanner.error_ahead(code::COMMA_OR_BRACE)),
            None => return Err(scanner.error_ahead(code::EOF_OBJECT)),
        };
        self.is_first = false;
        match key {
            b'"' => seed.deserialize(Key(&mut *self.reader)).map(Some),
            _ => Err(scanner.error_ahead(code::KEY)),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        self.reader.scanner.colon()?;
        seed.deserialize(&mut *self.reader)
    }
}

/// A variant as an object of one member.
struct Variant<'r, 'de>(&'r mut Deserializer<'de>);

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let scanner = &mut self.0.scanner;
        match scanner.after_space() {
            Some(b'"') => {}
            Some(b'}') => return Err(scanner.error_ahead(code::VALUE)),
            Some(_) => return Err(scanner.error_ahead(code::KEY)),
            None => return Err(scanner.error_ahead(code::EOF_OBJECT)),
        }
        let name = seed.deserialize(Key(&mut *self.0));
        let name = self.0.placed(name)?;
        self.0.scanner.colon()?;
        Ok((name, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Deserialize::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_seq(self.0, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_struct(self.0, "", fields, visitor)
    }
}

/// A variant as its name alone.
struct UnitVariant<'r, 'de>(&'r mut Deserializer<'de>);

impl<'de> EnumAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        Ok((seed.deserialize(&mut *self.0)?, self))
    }
}

fn only_a_name<T>(expected: &'static str) -> Result<T> {
    Err(Error::invalid_type(Unexpected::UnitVariant, &expected))
}

impl<'de> VariantAccess<'de> for UnitVariant<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value> {
        only_a_name("newtype variant")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value> {
        only_a_name("tuple variant")
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value> {
        only_a_name("struct variant")
    }
}

/// A member's name, at its opening quotation mark. It may be read as a number or a boolean.
struct Key<'r, 'de>(&'r mut Deserializer<'de>);

macro_rules! numeric_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.0.scanner.skip_byte();
            if !matches!(self.0.scanner.peek(), Some(b'-' | b'0'..=b'9')) {
                return Err(self.0.scanner.error(code::NUMERIC_KEY));
            }
            let value = self.0.typed_number(visitor)?;
            if self.0.scanner.peek() != Some(b'"') {
                return Err(self.0.scanner.error_ahead(code::QUOTE));
            }
            self.0.scanner.skip_byte();
            Ok(value)
        })*
    };
}

impl<'de> de::Deserializer<'de> for Key<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.visit_string(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.0.scanner.skip_byte();
        let value = match self.0.scanner.next() {
            Some(b't') => {
                self.0.scanner.word(b"rue\"")?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                self.0.scanner.word(b"alse\"")?;
                visitor.visit_bool(false)
            }
            None => return Err(self.0.scanner.error_ahead(code::EOF_VALUE)),
            Some(_) => self.0.scanner.string(|text| {
                let (Text::Borrowed(text) | Text::Copied(text)) = text;
                Err(Error::invalid_type(Unexpected::Str(text), &visitor))
            }),
        };
        self.0.placed(value)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match name {
            RAW => visitor.visit_map(Exact::new(self.0.scanner.raw_value()?)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    numeric_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8 deserialize_u16 deserialize_u32
        deserialize_u64 deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Values that follow each other in a text; the end after the first error.
pub struct StreamDeserializer<'de, T> {
    reader: Deserializer<'de>,
    offset: usize,
    has_failed: bool,
    values: PhantomData<T>,
}

impl<T> StreamDeserializer<'_, T> {
    /// The number of bytes up to the end of the last value that was read; up to the start of one that could not be.
    ///
    /// ```
    /// let mut values = candor_json::Deserializer::from_str("[1] tru").into_iter::<candor_json::Value>();
    /// assert!(values.next().unwrap().is_ok() && values.byte_offset() == 3);
    /// ```
    #[must_use]
    pub fn byte_offset(&self) -> usize {
        self.offset
    }
}

impl<'de, T: Deserialize<'de>> Iterator for StreamDeserializer<'de, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.has_failed {
            return None;
        }
        let first = self.reader.scanner.after_space();
        self.offset = self.reader.scanner.offset();
        let ends_itself = matches!(first?, b'[' | b'"' | b'{');
        let value = T::deserialize(&mut self.reader);
        self.has_failed = value.is_err();
        let value = match value {
            Ok(value) => value,
            Err(error) => return Some(Err(error)),
        };
        self.offset = self.reader.scanner.offset();
        match self.reader.scanner.peek() {
            Some(byte) if !ends_itself && !b" \n\t\r\"[]{},:".contains(&byte) => {
                Some(Err(self.reader.scanner.error_ahead(code::TRAILING)))
            }
            _ => Some(Ok(value)),
        }
    }
}
