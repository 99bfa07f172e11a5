//! The assertion's members, read into a type that cannot be invalid.

use std::collections::BTreeMap;
use std::fmt;

use candor_check::settings::NotYet;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};

use crate::constraint::{Anchor, Constraints};
use crate::matching::{Mode, Phrase, Speakers};
use crate::normalize::{As, Language};
use crate::transcript::Format;
use crate::value::{self, Value};
use crate::vocabulary::WrittenVocabulary;

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) call: Option<String>,
    /// The format in which the files are read, whatever they look like.
    pub(crate) format: Option<Format>,
    pub(crate) speakers: Speakers,
    pub(crate) contains: Vec<Asserted>,
    pub(crate) not_contains: Vec<Asserted>,
    pub(crate) ordered: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Asserted {
    pub(crate) place: String,
    pub(crate) text: String,
    /// The phrases to look for: one of these is enough.
    pub(crate) any: Vec<Phrase>,
    pub(crate) constraints: Constraints,
    pub(crate) value: Option<Value>,
    pub(crate) at_most: Option<usize>,
    /// The statements for a judge, one of which is enough; empty if words are looked for.
    pub(crate) statements: Vec<String>,
    pub(crate) role: Option<String>,
    pub(crate) negated: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Members {
    call: Option<String>,
    language: Language,
    vocabulary: WrittenVocabulary,
    speaker: Option<String>,
    speakers: BTreeMap<String, String>,
    contains: Vec<Written>,
    not_contains: Vec<Written>,
    ordered: bool,
    threshold: NotYet,
    format: Option<Format>,
    value: NotYet,
    any_of: NotYet,
    all_of: NotYet,
    near: NotYet,
    within: NotYet,
    exclusive: NotYet,
    min_confidence: Option<f64>,
}

/// A phrase: its text, or an object.
pub(crate) struct Written(Parts);

#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Parts {
    phrase: Option<String>,
    any_of: Option<Vec<String>>,
    all_of: Option<Vec<String>>,
    mode: WrittenMode,
    threshold: Option<f64>,
    speaker: Option<String>,
    negated: bool,
    stated: bool,
    near: Option<Near>,
    before: Option<WrittenAnchor>,
    after: Option<WrittenAnchor>,
    within: Option<String>,
    at_most: Option<usize>,
    exclusive: Vec<String>,
    min_confidence: Option<f64>,
    value: Option<WrittenValue>,
    expected: Option<candor_json::Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenValue {
    after: WrittenAnchor,
    #[serde(rename = "as")]
    kind: As,
    speaker: Option<String>,
    within_turns: Option<usize>,
    #[serde(default)]
    stated: bool,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Near {
    phrase: String,
    within_turns: Option<usize>,
    #[serde(default)]
    mode: WrittenMode,
    speaker: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "expected a phrase: a text, or {phrase, mode, speaker}")]
enum WrittenAnchor {
    Text(String),
    Object(AnchorParts),
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnchorParts {
    phrase: String,
    #[serde(default)]
    mode: WrittenMode,
    speaker: Option<String>,
}

impl WrittenAnchor {
    fn parts(&self) -> AnchorText<'_> {
        match self {
            Self::Text(text) => (text, WrittenMode::Default, None),
            Self::Object(parts) => (&parts.phrase, parts.mode, parts.speaker.as_deref()),
        }
    }
}

#[derive(Clone, Copy, Default)]
enum WrittenMode {
    #[default]
    Default,
    Given(Mode),
    Semantic,
}

impl WrittenMode {
    fn mode(self) -> Mode {
        match self {
            Self::Given(mode) => mode,
            Self::Default | Self::Semantic => Mode::default(),
        }
    }
}

impl<'de> Deserialize<'de> for WrittenMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mode = String::deserialize(deserializer)?;
        if mode == "semantic" {
            return Ok(Self::Semantic);
        }
        let given: Result<Mode, D::Error> = Mode::deserialize(mode.as_str().into_deserializer());
        let expected = "expected one of `normalized`, `exact`, `regex`, `fuzzy`, `semantic`";
        given.map(Self::Given).map_err(|_| D::Error::custom(format!("mode is `{mode}`; {expected}")))
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
                Ok(Written(Parts { phrase: Some(text.to_owned()), ..Parts::default() }))
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
        let speakers = speakers.reading(members.vocabulary.read(members.language)?);
        let common = role(&speakers, "speaker", members.speaker.as_deref())?;
        let read = |member: &str, list: Vec<Written>| {
            let mut all = Vec::new();
            for (index, Written(parts)) in list.into_iter().enumerate() {
                let place = format!("{member}[{index}]");
                if member == "not_contains" {
                    refuse_forbidden(&parts, &place)?;
                }
                if parts.value.is_some() || parts.expected.is_some() {
                    all.push(value(parts, &speakers, member, &place)?);
                    continue;
                }
                for parts in each(parts, &place)? {
                    all.push(asserted(&parts, &speakers, common.as_deref(), members.min_confidence, &place)?);
                }
            }
            Ok::<_, String>(all)
        };
        let contains = read("contains", members.contains)?;
        let not_contains = read("not_contains", members.not_contains)?;
        let (call, format, ordered) = (members.call, members.format, members.ordered);
        Ok(Self { call, format, speakers, contains, not_contains, ordered })
    }
}

/// A value on the call: `{value: {after, as}, expected}`, and nothing else.
fn value(parts: Parts, speakers: &Speakers, member: &str, place: &str) -> Result<Asserted, String> {
    let Parts { value, expected, phrase, any_of, all_of, .. } = &parts;
    let (Some(written), Some(expected)) = (value, expected) else {
        return Err(format!("{place}: `value` and `expected` go together"));
    };
    let others = [
        (phrase.is_some(), "phrase"),
        (any_of.is_some(), "any_of"),
        (all_of.is_some(), "all_of"),
        (!matches!(parts.mode, WrittenMode::Default), "mode"),
        (parts.threshold.is_some(), "threshold"),
        (parts.speaker.is_some(), "speaker (it belongs inside value)"),
        (parts.negated, "negated"),
        (parts.stated, "stated (it belongs inside value)"),
        (parts.near.is_some(), "near"),
        (parts.before.is_some(), "before"),
        (parts.after.is_some(), "after"),
        (parts.within.is_some(), "within"),
        (parts.at_most.is_some(), "at_most"),
        (!parts.exclusive.is_empty(), "exclusive"),
        (parts.min_confidence.is_some(), "min_confidence"),
        (member != "contains", "not_contains"),
    ];
    if let Some((_, other)) = others.into_iter().find(|(given, _)| *given) {
        return Err(format!("{place}: `value` does not go with {other}"));
    }
    let after = written.after.parts();
    let anchor = anchor(speakers, &format!("{place}.value.after"), after)?;
    let own = role(speakers, &format!("{place}.value.speaker"), written.speaker.as_deref())?;
    let expected = match expected {
        candor_json::Value::String(text) => text.clone(),
        candor_json::Value::Number(number) => number.to_string(),
        _ => return Err(format!("{place}.expected is neither a text nor a number")),
    };
    let value = Value {
        after: anchor,
        role: own,
        within_turns: written.within_turns.unwrap_or(3),
        constraints: Constraints { stated: written.stated, ..Constraints::default() },
        kind: written.kind,
        expected: value::expected(written.kind, &expected)
            .ok_or_else(|| format!("{place}.expected is not a value of the kind that `as` names"))?,
    };
    Ok(Asserted {
        place: place.to_owned(),
        text: format!("{expected} after {}", after.0),
        value: Some(value),
        ..Asserted::default()
    })
}

/// `all_of` asserts each of its phrases by itself.
fn each(parts: Parts, place: &str) -> Result<Vec<Parts>, String> {
    let given = [parts.phrase.is_some(), parts.any_of.is_some(), parts.all_of.is_some()];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(format!("{place}: give one of `phrase`, `any_of`, `all_of`"));
    }
    if parts.any_of.as_ref().or(parts.all_of.as_ref()).is_some_and(Vec::is_empty) {
        return Err(format!("{place}: an empty list asserts nothing"));
    }
    let Some(all) = &parts.all_of else { return Ok(vec![parts]) };
    if parts.exclusive.is_empty() && parts.near.is_none() && parts.before.is_none() && parts.after.is_none() {
        let one = |phrase: &String| Parts { phrase: Some(phrase.clone()), all_of: None, ..parts.clone() };
        return Ok(all.iter().map(one).collect());
    }
    Err(format!(
        "{place}: `all_of` goes with no `near`, `before`, `after` or `exclusive`; write its phrases one by one"
    ))
}

/// Refuses members that have no meaning for a phrase that must not be said.
fn refuse_forbidden(parts: &Parts, place: &str) -> Result<(), String> {
    let one = [(parts.all_of.is_some(), "all_of"), (parts.at_most.is_some(), "at_most")];
    match one.into_iter().chain([(!parts.exclusive.is_empty(), "exclusive")]).find(|(given, _)| *given) {
        Some((_, member)) => Err(format!("{place}: `{member}` is for phrases of `contains` only")),
        None => Ok(()),
    }
}

fn asserted(
    parts: &Parts,
    speakers: &Speakers,
    common: Option<&str>,
    min_confidence: Option<f64>,
    place: &str,
) -> Result<Asserted, String> {
    let of_phrase = |error| format!("{place}: {error}");
    if parts.threshold.is_some() && parts.mode.mode() != Mode::Fuzzy {
        return Err(format!("{place}: `threshold` is for mode fuzzy only"));
    }
    let threshold = parts.threshold.map(|threshold| share(threshold, 100.0));
    let threshold = threshold.map(|share| share.ok_or(format!("{place}.threshold is not from 0 to 1"))).transpose()?;
    if threshold.is_some_and(|threshold| threshold < LEAST_THRESHOLD) {
        return Err(format!("{place}.threshold: below 0.5 a phrase would be found where most of it was not said"));
    }
    let phrase = |text: &String| {
        let phrase = Phrase::of(text, parts.mode.mode(), speakers.vocabulary()).map_err(of_phrase)?;
        Ok::<_, String>(match threshold {
            Some(threshold) => phrase.with_threshold(threshold),
            None => phrase,
        })
    };
    let texts: Vec<&String> = parts.phrase.iter().chain(parts.any_of.iter().flatten()).collect();
    let any = texts.iter().map(|text| phrase(text)).collect::<Result<Vec<_>, String>>()?;
    let text = texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(" | ");
    let own = role(speakers, &format!("{place}.speaker"), parts.speaker.as_deref())?;
    let role = own.or_else(|| common.map(str::to_owned));
    let anchor = |member: &str, written: AnchorText<'_>| anchor(speakers, &format!("{place}.{member}"), written);
    let either = |member: &str, written: &Option<WrittenAnchor>| {
        written.as_ref().map(|written| anchor(member, written.parts())).transpose()
    };
    let near = parts.near.as_ref().map(|near| {
        let anchor = anchor("near", (&near.phrase, near.mode, near.speaker.as_deref()))?;
        Ok::<_, String>((anchor, near.within_turns.unwrap_or(1)))
    });
    let near = near.transpose()?;
    let within = parts.within.as_deref().map(candor_check::sandbox::duration).transpose();
    let within = within.map_err(|error| format!("{place}.within: {error}"))?;
    let of_one = |text: &String| Phrase::of(text, Mode::Normalized, speakers.vocabulary()).map_err(of_phrase);
    let exclusive = parts.exclusive.iter().map(of_one).collect::<Result<_, _>>()?;
    let least = parts.min_confidence.or(min_confidence).map(|least| share(least, 1_000_000.0));
    let least = least.map(|share| share.ok_or(format!("{place}: min_confidence is not from 0 to 1")));
    let (stated, min_confidence) = (parts.stated, least.transpose()?);
    if parts.at_most == Some(0) {
        return Err(format!("{place}.at_most: a phrase that must not be said belongs in `not_contains`"));
    }
    let within = within.map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
    let (before, after) = (either("before", &parts.before)?, either("after", &parts.after)?);
    let constraints = Constraints { near, before, after, within, exclusive, stated, min_confidence };
    let mut statements = Vec::new();
    if matches!(parts.mode, WrittenMode::Semantic) {
        if parts.negated {
            return Err(format!(
                "{place}: `negated` does not go with mode `semantic`; write the negation into the phrase"
            ));
        }
        if parts.at_most.is_some() {
            return Err(format!("{place}: `at_most` does not go with mode `semantic`: a judge names one place"));
        }
        statements = texts.into_iter().cloned().collect();
    }
    let (place, at_most, negated) = (place.to_owned(), parts.at_most, parts.negated);
    Ok(Asserted { place, text, any, constraints, value: None, at_most, statements, role, negated })
}

/// The least `threshold`, in hundredths.
const LEAST_THRESHOLD: u32 = 50;

/// A number from 0 to 1 in parts of `whole`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded right before")]
fn share(number: f64, whole: f64) -> Option<u32> {
    (0.0..=1.0).contains(&number).then(|| (number * whole).round() as u32)
}

/// A phrase that says where, its mode, and who says it.
type AnchorText<'a> = (&'a str, WrittenMode, Option<&'a str>);

fn anchor(speakers: &Speakers, place: &str, (text, mode, speaker): AnchorText<'_>) -> Result<Anchor, String> {
    if matches!(mode, WrittenMode::Semantic) {
        return Err(format!("{place}: mode `semantic` is not for phrases that say where"));
    }
    let phrase = Phrase::of(text, mode.mode(), speakers.vocabulary()).map_err(|error| format!("{place}: {error}"))?;
    Ok(Anchor { phrase, role: role(speakers, &format!("{place}.speaker"), speaker)? })
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
