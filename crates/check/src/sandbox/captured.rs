//! `capture.json`: the description of a folder that was captured from other sources. It is read wherever a sandbox is
//! opened, so that no one takes what a capture does not hold for what was never done.

use std::collections::BTreeMap;

use candor_json::Value;
use serde::{Deserialize, Serialize};

use crate::outcome::{Obstacle, Unverifiable};

/// The file next to the parts of a capture.
pub const CAPTURE: &str = "capture.json";
/// The member that tells a capture's description from another file of that name, and the version of its form.
const VERSION: &str = "candor_capture";

/// The description of a capture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Captured {
    /// The version of this form: 1.
    #[serde(rename = "candor_capture")]
    version: u32,
    /// When it was made, RFC 3339.
    pub at: String,
    /// The capture of each part.
    pub parts: BTreeMap<String, CapturedPart>,
}

/// The capture of one part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapturedPart {
    /// The source from which it was read, without secrets.
    pub from: String,
    /// How many records there are, by collection (a resource type, a table); by `""` where a part has no such division.
    pub records: BTreeMap<String, u64>,
    /// Its gaps.
    #[serde(default)]
    pub gaps: Vec<Gap>,
    /// The collections that were captured, where not all were asked for: of the others nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// The facts that the part itself needs to read the capture as it read its source: the tables of a portal.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub facts: Value,
    /// By collection, the fields that tell its records apart; of those that are left out the whole content does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub keys: BTreeMap<String, Vec<String>>,
    /// SHA-256 of every file, by its locator.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// Something that could not be captured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The file that would hold it, by its locator; the part's folder where that is not known.
    pub place: String,
    /// The obstacle.
    pub what: String,
}

impl Captured {
    /// A capture made at a time (RFC 3339), with nothing in it yet.
    #[must_use]
    pub fn new(at: impl Into<String>) -> Self {
        Self { version: 1, at: at.into(), parts: BTreeMap::new() }
    }

    /// Reads `capture.json`; nothing for a file of that name that describes no capture.
    ///
    /// # Errors
    /// The fault, as the end of a sentence.
    pub(super) fn read(text: &[u8]) -> Result<Option<Self>, String> {
        let value: Value = candor_json::from_slice(text).map_err(|error| format!("it is not JSON: {error}"))?;
        match value.get(VERSION) {
            None => Ok(None),
            Some(version) if version.as_u64() == Some(1) => {
                candor_json::from_value(value).map(Some).map_err(|error| format!("it describes no capture: {error}"))
            }
            Some(version) => Err(format!("its form has the version {version}; this build reads version 1")),
        }
    }
}

impl CapturedPart {
    /// Returns `true` if a collection was captured, whole or with gaps.
    #[must_use]
    pub fn covers(&self, collection: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|one| one == collection))
    }

    /// Why nothing can be said of a collection that was not captured.
    #[must_use]
    pub fn not_covered(&self, collection: &str) -> Unverifiable {
        const MOST: usize = 5;
        let all = self.only.as_deref().unwrap_or_default();
        let more = all.len().checked_sub(MOST).filter(|more| *more > 0).map(|more| format!(" and {more} more"));
        let only = all.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ") + &more.unwrap_or_default();
        let details = format!("the capture holds only {only}, so that nothing is known of {collection}");
        Unverifiable::new(Obstacle::SourceUnavailable, details)
    }
}

impl Gap {
    pub(super) fn obstacle(&self) -> (String, Unverifiable) {
        let details = format!("{} was not captured: {}", self.place, self.what);
        (self.place.clone(), Unverifiable::new(Obstacle::SourceUnavailable, details))
    }
}
