//! The observation of a record-shaped check: the candidates its selection left, the nearest of the others, and the
//! places that could not be read.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_json::{Value, json};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Label;
use crate::evidence::SourceRef;
use crate::field::{FieldResult, Location};
use crate::outcome::Obstacle;
use crate::sandbox::Environment;

/// A slice of ground truth: what `observe` hands to `judge`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation<C> {
    /// The candidates that the selection left, in order of path, then offset.
    pub candidates: Vec<Candidate<C>>,
    /// How many things were looked through.
    pub considered: u64,
    /// The nearest thing when the selection left nothing.
    pub near: Option<NearMiss>,
    /// The places that could not be read.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// Further notes for `details` (a link that was not followed, a comparison as text).
    #[serde(default)]
    pub notes: Vec<String>,
    /// The server that selected, by its URL. What it left out was not looked through here, so that `considered` may be less
    /// than there is.
    pub server: Option<String>,
    /// The environment of the sandbox: [`Sandbox::environment`](crate::Sandbox::environment).
    #[serde(default, skip_serializing_if = "Environment::is_test")]
    pub environment: Environment,
}

impl<C> Default for Observation<C> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            considered: 0,
            near: None,
            unreadable: Vec::new(),
            notes: Vec::new(),
            server: None,
            environment: Environment::Test,
        }
    }
}

/// A thing that a check considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate<C> {
    /// Where it was read from.
    pub source: SourceRef,
    /// A person's name for it: `message 2 of hl7/out.hl7`.
    pub label: Label,
    /// The candidate, as its source wrote it.
    pub content: C,
}

impl<C> Candidate<C> {
    /// The same, with what it has in common with the one before it held once.
    #[must_use]
    pub fn shared_with(self, before: Option<&Self>) -> Self {
        let Some(before) = before else { return self };
        let (source, label) = (self.source.shared_with(&before.source), self.label.shared_with(&before.label));
        Self { source, label, ..self }
    }
}

/// Who wrote what cannot be read, and so what that does to the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The system under test wrote it: the criterion fails, `malformed`.
    System,
    /// The recording wrote it: the criterion is unverifiable, `source_malformed`.
    Recording,
    /// Something kept it from being read: the criterion is unverifiable.
    Obstacle(Obstacle),
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The place.
    pub place: Location,
    /// The fault there, as the end of a sentence: `the segment at byte 120 starts with no segment id`.
    pub what: String,
    /// Whose fault it is.
    pub fault: Fault,
}

impl Unreadable {
    /// Returns `true` if anything may be there: it was not read, where an open question is of what was read.
    #[must_use]
    pub fn is_outage(&self) -> bool {
        matches!(self.fault, Fault::Obstacle(why) if why != Obstacle::Undecidable)
    }
}

/// The closest of what the selection left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearMiss {
    /// Where it is.
    pub place: Location,
    /// A person's name for it.
    pub label: String,
    /// The path of the first condition that it did not meet.
    pub path: String,
    /// The value expected there.
    pub expected: Value,
    /// The value there.
    pub actual: Value,
    /// How many conditions it met, and of how many.
    pub matched: (usize, usize),
}

impl NearMiss {
    /// The near miss of something judged by its selection's conditions; `None` when it met them all.
    #[must_use]
    pub fn of(place: Location, label: String, conditions: &[FieldResult]) -> Option<Self> {
        let first = conditions.iter().find(|condition| !condition.passed)?;
        Some(Self {
            place,
            label,
            path: first.path.clone(),
            expected: first.expected.clone(),
            actual: first.actual.clone(),
            matched: (conditions.iter().filter(|c| c.passed).count(), conditions.len()),
        })
    }
}

/// The closer of two near misses: the one that met more conditions, the first of equals.
#[must_use]
pub fn closest(so_far: Option<NearMiss>, next: Option<NearMiss>) -> Option<NearMiss> {
    match (so_far, next) {
        (Some(first), Some(next)) if next.matched.0 > first.matched.0 => Some(next),
        (None, next) => next,
        (first, _) => first,
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::System => "system",
            Self::Recording => "recording",
            Self::Obstacle(obstacle) => obstacle.name(),
        })
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "system" => Ok(Self::System),
            "recording" => Ok(Self::Recording),
            other => Obstacle::ALL
                .iter()
                .find(|obstacle| obstacle.name() == other)
                .map(|&obstacle| Self::Obstacle(obstacle))
                .ok_or_else(|| D::Error::custom(format!("`{other}` is no fault"))),
        }
    }
}

/// Bytes of a source, as they are: text in JSON where they are UTF-8, else base64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Box<[u8]>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => json!({"base64": BASE64_STANDARD.encode(&self.0)}).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text.into_bytes().into())),
            Value::Object(members) => {
                let encoded = members.get("base64").and_then(Value::as_str);
                encoded
                    .and_then(|text| BASE64_STANDARD.decode(text).ok())
                    .map(|bytes| Self(bytes.into()))
                    .ok_or_else(|| D::Error::custom("expected a string or {\"base64\": …}"))
            }
            _ => Err(D::Error::custom("expected a string or {\"base64\": …}")),
        }
    }
}
