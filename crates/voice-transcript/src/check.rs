//! The check: its name, and the rooms that do its work.

use candor_check::review::Review;
use candor_check::{Check, Evidence, Judged, Meta, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer};

use crate::judge::judge;
use crate::observe::observe;
use crate::review::review;
use crate::seen::Seen;
use crate::settings::{Members, Settings};
use crate::source::PART;

/// Settings of `voice-transcript`.
#[derive(Debug)]
pub struct VoiceTranscript(Settings);

impl<'de> Deserialize<'de> for VoiceTranscript {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Members::deserialize(deserializer)?;
        Settings::try_from(members).map(Self).map_err(serde::de::Error::custom)
    }
}

impl Check for VoiceTranscript {
    const META: Meta = Meta {
        assert: "voice-transcript",
        about: "Asserts which phrases were spoken on a call",
        part: PART,
        files: &[],
        evidence_key: "phraseResults",
        schema: include_str!("../schema.json"),
    };

    type Seen = Seen;

    const JUDGED: &'static [Judged] = &[("contains", &["semantic"]), ("not_contains", &["semantic"])];

    async fn observe(&self, sandbox: &Sandbox) -> Result<Seen, Unverifiable> {
        observe(&self.0, sandbox).await
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge(&self.0, seen)
    }

    fn review(&self) -> Review {
        review(&self.0)
    }
}
