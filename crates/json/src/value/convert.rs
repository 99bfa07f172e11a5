//! Values from Rust's own types, and comparison with them.

use std::borrow::Cow;
use std::str::FromStr;

use super::{Map, Number, Value};
use crate::Error;

impl FromStr for Value {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        crate::from_str(text)
    }
}

macro_rules! from {
    ($($type:ty: $value:pat => $made:expr;)*) => {
        $(impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        })*
    };
}

macro_rules! from_integers {
    ($($type:ty)*) => {
        from! { $($type: value => Self::Number(value.into());)* }
    };
}

from_integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

from! {
    f32: value => Number::from_f32(value).map_or(Self::Null, Self::Number);
    f64: value => Number::from_f64(value).map_or(Self::Null, Self::Number);
    bool: value => Self::Bool(value);
    String: text => Self::String(text);
    &str: text => Self::String(text.to_owned());
    Cow<'_, str>: text => Self::String(text.into_owned());
    Number: number => Self::Number(number);
    Map<String, Value>: members => Self::Object(members);
    (): () => Self::Null;
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

macro_rules! equal_texts {
    ($($type:ty)*) => {
        $(
            impl PartialEq<$type> for Value {
                fn eq(&self, other: &$type) -> bool {
                    let text: &str = other;
                    self.as_str() == Some(text)
                }
            }

            impl PartialEq<Value> for $type {
                fn eq(&self, other: &Value) -> bool {
                    other == self
                }
            }
        )*
    };
}

equal_texts!(str &str String);

macro_rules! equal {
    ($($type:ty: $value:ident, $other:ident => $equal:expr;)*) => {
        $(
            impl PartialEq<$type> for Value {
                fn eq(&self, other: &$type) -> bool {
                    let ($value, $other) = (self, *other);
                    $equal
                }
            }

            impl PartialEq<$type> for &Value {
                fn eq(&self, other: &$type) -> bool {
                    **self == *other
                }
            }

            impl PartialEq<$type> for &mut Value {
                fn eq(&self, other: &$type) -> bool {
                    **self == *other
                }
            }

            impl PartialEq<Value> for $type {
                fn eq(&self, other: &Value) -> bool {
                    other == self
                }
            }
        )*
    };
}

macro_rules! equal_integers {
    ($($type:ty)*) => {
        equal! { $($type: value, other => value.as_number().is_some_and(|number| number.as_str().parse() == Ok(other));)* }
    };
}

equal_integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

equal! {
    f32: value, other => value.as_number().and_then(Number::as_f32) == Some(other);
    f64: value, other => value.as_f64() == Some(other);
    bool: value, other => value.as_bool() == Some(other);
}
