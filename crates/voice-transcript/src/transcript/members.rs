//! Members of a JSON object in order, with their raw text: the place of a value in the file and a key that occurs twice
//! both matter, and a map would lose both.

use std::fmt;

use candor_json::value::RawValue;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

pub(super) struct Members<'a>(Vec<(String, RawValue<'a>)>);

/// A key that occurs twice.
pub(super) struct Twice;

impl<'a> Members<'a> {
    /// Reads an object; `None` when the text is not one.
    pub(super) fn read(raw: RawValue<'a>) -> Option<Self> {
        raw.get().starts_with('{').then(|| candor_json::from_str(raw.get()).ok())?
    }

    pub(super) fn get(&self, key: &str) -> Result<Option<RawValue<'a>>, Twice> {
        let mut found = None;
        for (name, value) in &self.0 {
            if name == key {
                if found.is_some() {
                    return Err(Twice);
                }
                found = Some(*value);
            }
        }
        Ok(found)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
