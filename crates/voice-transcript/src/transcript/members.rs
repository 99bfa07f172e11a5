//! Members of a JSON object in order, with their raw text: the place of a value in the file and a key that occurs twice
//! both matter, and a map would lose both.

use std::borrow::Cow;

use candor_json::text::{unquoted, written_members};
use candor_json::value::RawValue;

pub(super) struct Members<'a>(Vec<(Cow<'a, str>, RawValue<'a>)>);

/// A key that occurs twice.
pub(super) struct Twice;

impl<'a> Members<'a> {
    /// Reads an object; `None` when the text is not one.
    pub(super) fn read(raw: RawValue<'a>) -> Option<Self> {
        let member = |(name, value)| Some((unquoted(name)?, candor_json::from_str::<RawValue<'a>>(value).ok()?));
        raw.get().starts_with('{').then(|| written_members(raw.get()).map(member).collect::<Option<_>>().map(Self))?
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
