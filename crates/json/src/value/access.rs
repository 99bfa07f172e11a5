//! Parts of a value.

use std::ops;

use super::{Map, Number, Value};

/// An index into a [`Value`]: a `usize` into an array, a name into an object.
pub trait Index: sealed::Sealed {
    /// The part of `value` at the index.
    #[doc(hidden)]
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value>;

    /// The part of `value` at the index, to change it.
    #[doc(hidden)]
    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;

    /// The part of `value` at the index; a member that is missing is added.
    #[doc(hidden)]
    fn of_or_added<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for str {}
    impl Sealed for String {}
    impl<T: ?Sized + Sealed> Sealed for &T {}
}

impl Index for usize {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_array()?.get(*self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn of_or_added<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.of_mut(value)
    }
}

impl Index for str {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object()?.get(self)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn of_or_added<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        Some(value.as_object_mut()?.entry(self).or_insert(Value::Null))
    }
}

impl Index for String {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.as_str().of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().of_mut(value)
    }

    fn of_or_added<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.as_str().of_or_added(value)
    }
}

impl<T: ?Sized + Index> Index for &T {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).of(value)
    }

    fn of_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_mut(value)
    }

    fn of_or_added<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).of_or_added(value)
    }
}

impl<I: Index> ops::Index<I> for Value {
    type Output = Value;

    /// The part at `index`; `null` if the value does not have it.
    fn index(&self, index: I) -> &Value {
        static NULL: Value = Value::Null;
        index.of(self).unwrap_or(&NULL)
    }
}

impl<I: Index> ops::IndexMut<I> for Value {
    /// The part at `index`. A member that is missing is added; `null` becomes an object.
    ///
    /// # Panics
    /// The value does not have such parts, or the array is too short.
    #[expect(clippy::panic, reason = "an index that can be assigned to has no other way to fail")]
    fn index_mut(&mut self, index: I) -> &mut Value {
        match index.of_or_added(self) {
            Some(value) => value,
            None => panic!("a JSON value has no such part to assign to"),
        }
    }
}

fn array_index(token: &str) -> Option<usize> {
    let is_plain = !token.starts_with('+') && (!token.starts_with('0') || token.len() == 1);
    if is_plain { token.parse().ok() } else { None }
}

/// The parts of a JSON pointer (RFC 6901); `None` if `pointer` is not one.
fn tokens(pointer: &str) -> Option<impl Iterator<Item = String>> {
    let is_pointer = pointer.is_empty() || pointer.starts_with('/');
    is_pointer.then(|| pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")))
}

impl Value {
    /// The part at `index`: a `usize` into an array, a name into an object.
    pub fn get<I: Index>(&self, index: I) -> Option<&Value> {
        index.of(self)
    }

    /// The part at `index`, to change it.
    pub fn get_mut<I: Index>(&mut self, index: I) -> Option<&mut Value> {
        index.of_mut(self)
    }

    /// The part at a JSON pointer (RFC 6901).
    ///
    /// ```
    /// let value = candor_json::json!({"a/b": [1, 2]});
    /// assert_eq!(value.pointer("/a~1b/1"), Some(&candor_json::json!(2)));
    /// ```
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Value::Object(members) => members.get(&token),
            Value::Array(items) => items.get(array_index(&token)?),
            _ => None,
        })
    }

    /// The part at a JSON pointer (RFC 6901), to change it.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        tokens(pointer)?.try_fold(self, |value, token| match value {
            Value::Object(members) => members.get_mut(&token),
            Value::Array(items) => items.get_mut(array_index(&token)?),
            _ => None,
        })
    }

    /// Takes the value, and leaves `null`.
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }

    /// True for `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// True for `true` and `false`.
    #[must_use]
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// True for a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// True for a text.
    #[must_use]
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// True for an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// True for an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// The boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// The number as an `i64`, if it is written as an integer in its range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number as a `u64`, if it is written as an integer in its range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The `f64` closest to the number, unless the number is out of its range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The items of the array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items of the array, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The members of the object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Map<String, Value>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// The members of the object, to change them.
    pub fn as_object_mut(&mut self) -> Option<&mut Map<String, Value>> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}
