//! The check: which calls are looked at, and what follows from what was said on them.

use candor_check::{Check, Evidence, Meta, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer, Serialize};

use crate::judge;
use crate::settings::{Members, Settings};
use crate::source::{Call, Calls, PART, UnreadCall};

/// Settings of `voice-transcript`.
#[derive(Debug)]
pub struct VoiceTranscript(Settings);

impl<'de> Deserialize<'de> for VoiceTranscript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        Settings::try_from(members).map(Self).map_err(serde::de::Error::custom)
    }
}

/// What the check looks at: the calls that are meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where they were looked for.
    pub place: String,
    /// The calls.
    pub calls: Vec<Call>,
    /// How many turns all calls have.
    pub considered: u64,
    /// The ids of calls that are not meant, the first few.
    pub others: Vec<String>,
    /// What could not be read and may have been a call that is meant.
    pub unread: Vec<UnreadCall>,
    /// What `details` has to name beside.
    pub notes: Vec<String>,
}

/// How many ids of other calls are kept.
const MOST_OTHERS: usize = 5;

impl Check for VoiceTranscript {
    const META: Meta = Meta {
        assert: "voice-transcript",
        about: "Asserts what was said on a call",
        part: PART,
        files: &[],
        evidence_key: "phraseResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        let source = Calls::of(sandbox, self.0.format).await?;
        let meant = |id: &str| self.0.call.as_deref().is_none_or(|call| call == id);
        let others = source.calls.iter().filter(|call| !meant(&call.id));
        Ok(Seen {
            place: source.place.clone(),
            calls: source.calls.iter().filter(|call| meant(&call.id)).cloned().collect(),
            considered: source.calls.iter().map(|call| call.turns.len() as u64).sum(),
            others: others.take(MOST_OTHERS).map(|call| call.id.clone()).collect(),
            unread: source.unread.iter().filter(|call| call.id.as_deref().is_none_or(meant)).cloned().collect(),
            notes: source.notes.clone(),
        })
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge::judge(&self.0, seen)
    }
}
