//! The text around the rows in an answer: the members that lead to them, to the next page, to the number of rows.

use std::collections::BTreeMap;
use std::fmt;

use candor_check::settings::nearest;
use candor_json::Value;
use candor_json::value::RawValue;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// A value in an answer, as it is written there; nothing where a member that leads to it is not there or null.
///
/// # Errors
/// The obstacle to finding it, as the end of a sentence.
pub(super) fn at<'a>(answer: &'a str, members: &[String]) -> Result<Option<&'a str>, String> {
    let mut value = candor_json::from_str::<RawValue<'_>>(answer).map_err(|error| no_json(&error))?.get();
    for (depth, name) in members.iter().enumerate() {
        let path = || members.get(..depth).unwrap_or_default().join(".");
        match value.as_bytes().first() {
            Some(b'{') => {}
            Some(b'n') => return Ok(None),
            _ if depth == 0 => return Err(format!("no object, that `{name}` could be a member of")),
            _ => return Err(format!("no object in `{}`, that `{name}` could be a member of", path())),
        }
        let mut deserializer = candor_json::Deserializer::from_str(value);
        let found = deserializer.deserialize_map(Member(name)).map_err(|error| no_json(&error))?;
        match found {
            Found::Once(inner) => value = inner.get(),
            Found::Never => return Ok(None),
            Found::Twice => return Err(format!("the member `{name}` twice")),
        }
    }
    Ok(Some(value).filter(|value| *value != "null"))
}

fn no_json(error: &candor_json::Error) -> String {
    format!("no JSON, from line {} column {} on", error.line(), error.column())
}

/// A scalar in an answer as text; nothing where it is not there, null or empty.
///
/// # Errors
/// As [`at`], and when it is neither text nor a number.
pub(super) fn text(answer: &str, members: &[String]) -> Result<Option<String>, String> {
    let Some(json) = at(answer, members)? else { return Ok(None) };
    match candor_json::from_str::<Value>(json) {
        Ok(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
        Ok(Value::Number(number)) => Ok(Some(number.to_string())),
        _ => Err(format!("no text and no number in `{}`", members.join("."))),
    }
}

/// A member that an answer has in the place of one that leads on and is not there, where their names are alike.
pub(super) fn misspelt(answer: &str, members: &[String]) -> Option<(String, String)> {
    for (depth, name) in members.iter().enumerate() {
        let above = members.get(..depth)?;
        let object = at(answer, above).ok()??;
        let names: BTreeMap<String, IgnoredAny> = candor_json::from_str(object).ok()?;
        if names.contains_key(name) {
            continue;
        }
        let path = |name: &str| [above, &[name.to_owned()]].concat().join(".");
        let names: Vec<&str> = names.keys().map(String::as_str).collect();
        return nearest(name, &names).map(|near| (path(name), path(near)));
    }
    None
}

/// The members of an object, as they are written; none of what is not an object.
pub(super) fn members(object: &str) -> Vec<(String, &str)> {
    let mut deserializer = candor_json::Deserializer::from_str(object);
    let found = deserializer.deserialize_map(AllMembers).unwrap_or_default();
    found.into_iter().map(|(name, value)| (name, value.get())).collect()
}

struct AllMembers;

impl<'de> Visitor<'de> for AllMembers {
    type Value = Vec<(String, RawValue<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = members.next_entry()? {
            all.push(member);
        }
        Ok(all)
    }
}

enum Found<'a> {
    Never,
    Once(RawValue<'a>),
    Twice,
}

struct Member<'n>(&'n str);

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Found<'de>, A::Error> {
        let mut found = Found::Never;
        while let Some(Name(name)) = members.next_key()? {
            if name != self.0 {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = members.next_value::<RawValue<'de>>()?;
            found = if matches!(found, Found::Never) { Found::Once(value) } else { Found::Twice };
        }
        Ok(found)
    }
}

struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}
