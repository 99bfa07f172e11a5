//! The text of resources, which are parsed when they are looked at.
//!
//! A parsed resource takes several times the room of its text, and of a large folder few are ever looked at whole.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::search::Members;

/// One resource in the text of its file.
#[derive(Clone)]
pub(crate) struct Content {
    file: Arc<Vec<u8>>,
    span: Range<usize>,
    parsed: OnceLock<Box<Value>>,
}

impl Content {
    /// The part of a file that was found to be one JSON value.
    pub(super) fn new(file: Arc<Vec<u8>>, span: Range<usize>) -> Self {
        Self { file, span, parsed: OnceLock::new() }
    }

    fn text(&self) -> &[u8] {
        self.file.get(self.span.clone()).unwrap_or_default()
    }

    /// The resource; once parsed it stays.
    pub(super) fn value(&self) -> &Value {
        // What stands here was read before, so that there is no error to tell of.
        self.parsed.get_or_init(|| Box::new(serde_json::from_slice(self.text()).unwrap_or_default()))
    }

    /// Hands over the resource with at least the members asked for; what is parsed for that does not stay.
    pub(super) fn with<T>(&self, members: &Members<'_>, look: impl FnOnce(&Value) -> T) -> T {
        match self.parsed.get() {
            Some(parsed) => look(parsed),
            None => {
                let mut reader = serde_json::Deserializer::from_slice(self.text());
                look(&reader.deserialize_map(Asked(members)).unwrap_or_default())
            }
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Content").field(&self.span).finish()
    }
}

/// Parses an object, passing over the members that are not asked for.
struct Asked<'m>(&'m Members<'m>);

impl<'de> Visitor<'de> for Asked<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key_seed(Name(self.0))? {
            match name {
                Some(name) => drop(members.insert(name, map.next_value()?)),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Value::Object(members))
    }
}

/// The name of a member, if it is asked for.
struct Name<'m>(&'m Members<'m>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<String>, E> {
        Ok(self.0.include(name).then(|| name.to_owned()))
    }
}
