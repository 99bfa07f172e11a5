//! The observation that a criterion's check judged, as it is stored and judged again.

use std::sync::Arc;

use candor_check::{Evidence, Obstacle, Unverifiable};
use candor_json::{Value, json};
use serde::{Deserialize, Serialize};

use crate::document::is_deeper;
use crate::waited::Waited;

/// The deepest nesting of an observation. A reader of JSON takes 127 levels; some of them are around the observation.
const MAX_DEPTH: usize = 120;

/// The observation that a criterion's check judged, read back from what [`Engine::recording`](crate::Engine::recording)
/// kept. [`Engine::judge_again`](crate::Engine::judge_again) judges it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    pub(crate) what: What,
    pub(crate) waited: Option<Waited>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    Seen(Stored),
    Unverifiable(Hindered),
    Broke(String),
    /// Nothing was observed: the assertion is bound to no check, and the task alone decides.
    Unbound(Nothing),
    TooDeep(Nothing),
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Stored {
    /// The check.
    pub check: String,
    /// The version of its observations.
    pub version: u32,
    /// The observation.
    pub observation: Value,
}

/// [`Unverifiable`], as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hindered {
    reason: String,
    details: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    by_the_work: bool,
}

impl Hindered {
    fn of(why: &Unverifiable) -> Self {
        Self { reason: why.obstacle.name().to_owned(), details: why.details.clone(), by_the_work: why.by_the_work }
    }

    /// The evidence that follows from it; `None` if its reason is not one of this version.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        let obstacle = Obstacle::ALL.iter().copied().find(|obstacle| obstacle.name() == self.reason)?;
        let why = Unverifiable { obstacle, details: self.details.clone(), by_the_work: self.by_the_work };
        Some(why.into_evidence())
    }
}

impl Observed {
    /// Reads what was kept of a criterion.
    ///
    /// # Errors
    /// When the bytes are not that.
    pub fn read(bytes: &[u8]) -> Result<Self, candor_json::Error> {
        candor_json::from_slice(bytes)
    }

    /// The check and the version of its observation, if one is stored.
    #[must_use]
    pub fn check(&self) -> Option<(&str, u32)> {
        match &self.what {
            What::Seen(stored) => Some((&stored.check, stored.version)),
            _ => None,
        }
    }
}

/// An observation on its way into a record: JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Kept(String);

impl Kept {
    pub(crate) fn seen(check: &str, version: u32, observation: &Value) -> Self {
        if is_deeper(observation, MAX_DEPTH) {
            return Self::of(&What::TooDeep(Nothing {}));
        }
        Self(format!(r#"{{"seen":{{"check":{},"version":{version},"observation":{observation}}}}}"#, json!(check)))
    }

    pub(crate) fn unverifiable(why: &Unverifiable) -> Self {
        Self::of(&What::Unverifiable(Hindered::of(why)))
    }

    pub(crate) fn broken(how: &str) -> Self {
        Self::of(&What::Broke(how.to_owned()))
    }

    pub(crate) fn unbound() -> Self {
        Self::of(&What::Unbound(Nothing {}))
    }

    fn of(what: &What) -> Self {
        Self(json!(what).to_string())
    }

    /// The JSON that [`Observed::read`] reads.
    pub(crate) fn into_bytes(self, waited: Option<&Waited>) -> Arc<[u8]> {
        let waited = waited.map_or(String::new(), |waited| format!(r#","waited":{}"#, json!(waited)));
        Arc::from(format!(r#"{{"what":{}{waited}}}"#, self.0).into_bytes())
    }
}
