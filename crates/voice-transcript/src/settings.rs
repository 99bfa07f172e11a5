//! The assertion's members, read into a type that cannot be invalid.

use std::collections::BTreeMap;
use std::fmt;

use candor_check::NotYet;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::matching::{Mode, Phrase, Speakers};

/// What is asserted of the calls.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) call: Option<String>,
    pub(crate) speakers: Speakers,
    pub(crate) contains: Vec<Asserted>,
    pub(crate) not_contains: Vec<Asserted>,
    pub(crate) ordered: bool,
}

/// One phrase that is asserted.
#[derive(Debug)]
pub(crate) struct Asserted {
    /// As the author wrote it.
    pub(crate) text: String,
    pub(crate) phrase: Phrase,
    /// The role that must, or must not, say it.
    pub(crate) role: Option<String>,
    /// Whether it is meant under a negation.
    pub(crate) negated: bool,
}

/// The members as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Members {
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    speakers: BTreeMap<String, String>,
    #[serde(default)]
    contains: Vec<Written>,
    #[serde(default)]
    not_contains: Vec<Written>,
    #[serde(default)]
    ordered: bool,
    #[serde(default, rename = "threshold")]
    _threshold: NotYet,
    #[serde(default, rename = "format")]
    _format: NotYet,
    #[serde(default, rename = "value")]
    _value: NotYet,
    #[serde(default, rename = "any_of")]
    _any_of: NotYet,
    #[serde(default, rename = "all_of")]
    _all_of: NotYet,
    #[serde(default, rename = "near")]
    _near: NotYet,
    #[serde(default, rename = "within")]
    _within: NotYet,
    #[serde(default, rename = "exclusive")]
    _exclusive: NotYet,
    #[serde(default, rename = "min_confidence")]
    _min_confidence: NotYet,
}

/// A phrase: its text, or an object.
pub(crate) struct Written(Parts);

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    phrase: String,
    #[serde(default)]
    mode: WrittenMode,
    #[serde(default)]
    speaker: Option<String>,
    #[serde(default)]
    negated: bool,
    #[serde(default, rename = "threshold")]
    _threshold: NotYet,
    #[serde(default, rename = "any_of")]
    _any_of: NotYet,
    #[serde(default, rename = "all_of")]
    _all_of: NotYet,
    #[serde(default, rename = "near")]
    _near: NotYet,
    #[serde(default, rename = "before")]
    _before: NotYet,
    #[serde(default, rename = "after")]
    _after: NotYet,
    #[serde(default, rename = "within")]
    _within: NotYet,
    #[serde(default, rename = "at_most")]
    _at_most: NotYet,
    #[serde(default, rename = "value")]
    _value: NotYet,
    #[serde(default, rename = "exclusive")]
    _exclusive: NotYet,
    #[serde(default, rename = "min_confidence")]
    _min_confidence: NotYet,
}

#[derive(Clone, Copy, Default)]
struct WrittenMode(Mode);

impl<'de> Deserialize<'de> for WrittenMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "normalized" => Ok(Self(Mode::Normalized)),
            "exact" => Ok(Self(Mode::Exact)),
            "regex" => Ok(Self(Mode::Regex)),
            mode @ ("fuzzy" | "semantic") => Err(D::Error::custom(format!(
                "mode `{mode}` is not supported by this version; use normalized, exact or regex"
            ))),
            mode => Err(D::Error::custom(format!("mode is `{mode}`; expected one of `normalized`, `exact`, `regex`"))),
        }
    }
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrObject;
        impl<'de> Visitor<'de> for TextOrObject {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a phrase: a text, or {phrase, mode, speaker, negated}")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Written, E> {
                Ok(Written(Parts { phrase: text.to_owned(), ..Parts::default() }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Written, A::Error> {
                Parts::deserialize(MapAccessDeserializer::new(map)).map(Written)
            }
        }
        deserializer.deserialize_any(TextOrObject)
    }
}

impl TryFrom<Members> for Settings {
    type Error = String;

    fn try_from(members: Members) -> Result<Self, String> {
        if members.contains.is_empty() && members.not_contains.is_empty() {
            return Err("nothing is asserted; give `contains` or `not_contains` at least one phrase".to_owned());
        }
        if members.call.as_deref().is_some_and(|call| call.trim().is_empty()) {
            return Err("call is empty; give a call's id, or leave it out".to_owned());
        }
        let pairs = members.speakers.iter().map(|(label, role)| (label.as_str(), role.as_str()));
        if pairs.clone().any(|(label, role)| label.trim().is_empty() || role.trim().is_empty()) {
            return Err("speakers: a label or a role is empty".to_owned());
        }
        let speakers = Speakers::new(pairs).map_err(|error| format!("speakers: {error}"))?;
        let common = role(&speakers, "speaker", members.speaker.as_deref())?;
        let read = |member: &str, list: Vec<Written>| {
            let one = |(index, written)| asserted(written, &speakers, common.as_deref(), &format!("{member}[{index}]"));
            list.into_iter().enumerate().map(one).collect::<Result<Vec<_>, String>>()
        };
        let contains = read("contains", members.contains)?;
        let not_contains = read("not_contains", members.not_contains)?;
        Ok(Self { call: members.call, speakers, contains, not_contains, ordered: members.ordered })
    }
}

fn asserted(written: Written, speakers: &Speakers, common: Option<&str>, place: &str) -> Result<Asserted, String> {
    let Written(parts) = written;
    let phrase = Phrase::new(&parts.phrase, parts.mode.0).map_err(|error| format!("{place}: {error}"))?;
    let own = role(speakers, &format!("{place}.speaker"), parts.speaker.as_deref())?;
    let role = own.or_else(|| common.map(str::to_owned));
    Ok(Asserted { text: parts.phrase, phrase, role, negated: parts.negated })
}

fn role(speakers: &Speakers, place: &str, label: Option<&str>) -> Result<Option<String>, String> {
    let Some(label) = label else { return Ok(None) };
    if label.trim().is_empty() {
        return Err(format!("{place} is empty; give a speaker, or leave it out"));
    }
    if speakers.is_unread(label) {
        return Err(format!("{place} is `{label}`, whose turns are not read, so it can say nothing"));
    }
    Ok(Some(speakers.role(label)))
}
