//! Values as they are written in a profile: paths, patterns, texts.

use candor_hl7v2::Path;
use candor_json::Value;
use regex::Regex;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

pub(super) struct Parsed(pub(super) Path);

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Path::parse(&text).map(Self).map_err(|error| {
            let meant = error.suggestion.map(|path| format!("; did you mean `{path}`?")).unwrap_or_default();
            D::Error::custom(format!("`{text}` is not a path: {}{meant}", error.kind))
        })
    }
}

pub(super) struct Pattern(pub(super) Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // By itself first: within the group that makes it whole, a parenthesis too many would end that group.
        let whole = Regex::new(&text).and_then(|_| Regex::new(&format!("^(?:{text})$")));
        whole.map(Self).map_err(|error| {
            let last = error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            D::Error::custom(format!("`{text}` is not a pattern: {last}"))
        })
    }
}

pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            other => Err(D::Error::custom(format!("{other} is not a text; put it in quotation marks"))),
        }
    }
}
