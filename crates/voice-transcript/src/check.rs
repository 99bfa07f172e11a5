//! The check: which calls are looked at, and what follows from what was said on them.

use candor_check::{Check, Evidence, Meta, Review, Sandbox, Unverifiable};
use serde::{Deserialize, Deserializer, Serialize};

use crate::judge;
use crate::matching::Heard;
use crate::review;
use crate::semantic::{Answers, Question};
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
    /// What a judge answered about their meaning.
    #[serde(default)]
    pub answers: Answers,
}

/// How many ids of other calls are kept.
const MOST_OTHERS: usize = 5;

impl VoiceTranscript {
    /// What a judge is to be asked about the calls.
    fn questions(&self, calls: &[Call]) -> Vec<Question> {
        let phrases = || self.0.contains.iter().chain(&self.0.not_contains);
        if phrases().all(|phrase| phrase.statements.is_empty()) {
            return Vec::new();
        }
        let mut questions = Vec::new();
        for call in calls {
            let heard = Heard::new(&call.turns, &self.0.speakers);
            for phrase in phrases() {
                let role = phrase.role.as_deref();
                let ask = |statement: &String| Question::new(statement, role, &call.turns, &heard);
                questions.extend(phrase.statements.iter().map(ask));
            }
        }
        questions
    }
}

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
        let calls: Vec<Call> = source.calls.iter().filter(|call| meant(&call.id)).cloned().collect();
        Ok(Seen {
            answers: Answers::of(sandbox, self.questions(&calls)).await,
            place: source.place.clone(),
            calls,
            considered: source.calls.iter().map(|call| call.turns.len() as u64).sum(),
            others: others.take(MOST_OTHERS).map(|call| call.id.clone()).collect(),
            unread: source.unread.iter().filter(|call| call.id.as_deref().is_none_or(meant)).cloned().collect(),
            notes: source.notes.clone(),
        })
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        judge::judge(&self.0, seen)
    }

    fn review(&self) -> Review {
        review::review(&self.0)
    }
}
