//! The members of an object, in their order.

use std::borrow::Borrow;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use indexmap::map::IndexMap;
pub use indexmap::map::{Entry, IntoIter, Iter, IterMut, Keys, OccupiedEntry, VacantEntry, Values, ValuesMut};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Value;

// Boxed, so that a value takes 24 bytes and not 72.
/// The members of an object, in the order in which they were added. Two objects with the same members are equal in any order.
///
/// ```
/// use candor_json::{Map, Value};
/// let mut map = Map::new();
/// map.insert("b".to_owned(), Value::from(1));
/// map.insert("a".to_owned(), Value::from(2));
/// assert_eq!(map.keys().collect::<Vec<_>>(), ["b", "a"]);
/// ```
#[derive(Clone)]
pub struct Map<K = String, V = Value>(Box<IndexMap<K, V>>);

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl Map<String, Value> {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An object without members, with room for `capacity` of them.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Box::new(IndexMap::with_capacity(capacity)))
    }

    /// The value of the member `key`.
    #[must_use]
    pub fn get<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<&Value>
    where
        String: Borrow<Q>,
    {
        self.0.get(key)
    }

    /// The value of the member `key`, to change it.
    pub fn get_mut<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<&mut Value>
    where
        String: Borrow<Q>,
    {
        self.0.get_mut(key)
    }

    /// The position of the member `key` among the members, from 0.
    #[must_use]
    pub fn index_of<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> Option<usize>
    where
        String: Borrow<Q>,
    {
        self.0.get_index_of(key)
    }

    /// True if there is a member `key`.
    #[must_use]
    pub fn contains_key<Q: ?Sized + Eq + Hash>(&self, key: &Q) -> bool
    where
        String: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Sets the member `key`, and returns the value that it had. A member that exists keeps its place.
    pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
        self.0.insert(key, value)
    }

    /// Removes the member `key`, and moves the last member to its place.
    pub fn remove<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<Value>
    where
        String: Borrow<Q>,
    {
        self.0.swap_remove(key)
    }

    /// Removes the member `key`, and keeps the order of the others.
    pub fn shift_remove<Q: ?Sized + Eq + Hash>(&mut self, key: &Q) -> Option<Value>
    where
        String: Borrow<Q>,
    {
        self.0.shift_remove(key)
    }

    /// The place of the member `key`, to fill or to change it.
    pub fn entry(&mut self, key: impl Into<String>) -> Entry<'_, String, Value> {
        self.0.entry(key.into())
    }

    /// The number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in their order.
    pub fn iter(&self) -> Iter<'_, String, Value> {
        self.0.iter()
    }

    /// The members in their order, with values to change.
    pub fn iter_mut(&mut self) -> IterMut<'_, String, Value> {
        self.0.iter_mut()
    }

    /// The names of the members in their order.
    pub fn keys(&self) -> Keys<'_, String, Value> {
        self.0.keys()
    }

    /// The values of the members in their order.
    pub fn values(&self) -> Values<'_, String, Value> {
        self.0.values()
    }

    /// The values of the members in their order, to change them.
    pub fn values_mut(&mut self) -> ValuesMut<'_, String, Value> {
        self.0.values_mut()
    }

    /// The values of the members in their order, without the object.
    pub fn into_values(self) -> indexmap::map::IntoValues<String, Value> {
        self.0.into_values()
    }
}

impl PartialEq for Map<String, Value> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Map<String, Value> {}

impl Hash for Map<String, Value> {
    /// Hashes the members by name, because the order does not count for equality.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        members.hash(state);
    }
}

impl Debug for Map<String, Value> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<Q: ?Sized + Eq + Hash> std::ops::Index<&Q> for Map<String, Value>
where
    String: Borrow<Q>,
{
    type Output = Value;

    /// The value of the member `key`.
    ///
    /// # Panics
    /// If there is no such member.
    fn index(&self, key: &Q) -> &Value {
        #[expect(clippy::indexing_slicing, reason = "an index of a map panics where it has no such key")]
        &self.0[key]
    }
}

impl FromIterator<(String, Value)> for Map<String, Value> {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(Box::new(members.into_iter().collect()))
    }
}

impl Extend<(String, Value)> for Map<String, Value> {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, members: I) {
        self.0.extend(members);
    }
}

impl IntoIterator for Map<String, Value> {
    type Item = (String, Value);
    type IntoIter = IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Map<String, Value> {
    type Item = (&'a String, &'a Value);
    type IntoIter = Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map<String, Value> {
    type Item = (&'a String, &'a mut Value);
    type IntoIter = IterMut<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl Serialize for Map<String, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Map<String, Value> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Map<String, Value>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Map::new())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut map = Map::new();
                while let Some((key, value)) = members.next_entry()? {
                    map.insert(key, value);
                }
                Ok(map)
            }
        }

        deserializer.deserialize_map(Members)
    }
}
