//! The formats of transcripts by name, for authors who name the format instead of leaving it to be recognized.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A format of transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `[{"speaker", "text", "start", "end"}]`.
    Native,
    /// `[{"role", "content"}]`.
    Messages,
    /// `Speaker: text`.
    Lines,
    /// WebVTT.
    Vtt,
    /// SubRip.
    Srt,
    /// Whisper, WhisperX, whisper-timestamped.
    Whisper,
    /// Deepgram: one answer, or the messages of a stream.
    Deepgram,
    /// AssemblyAI: one answer, or the messages of a stream.
    AssemblyAi,
    /// Amazon Transcribe.
    AmazonTranscribe,
    /// Amazon Connect Contact Lens.
    ContactLens,
    /// Google Speech-to-Text.
    Google,
    /// Azure speech.
    Azure,
    /// Twilio.
    Twilio,
    /// A call record of Vapi.
    Vapi,
    /// A call record of Retell.
    Retell,
}

/// The names of every format; the first is the one that messages use.
const NAMES: [(&[&str], Format); 15] = [
    (&["native"], Format::Native),
    (&["messages", "role_content"], Format::Messages),
    (&["lines", "text"], Format::Lines),
    (&["vtt", "webvtt"], Format::Vtt),
    (&["srt"], Format::Srt),
    (&["whisper", "whisperx"], Format::Whisper),
    (&["deepgram"], Format::Deepgram),
    (&["assemblyai"], Format::AssemblyAi),
    (&["amazon_transcribe", "transcribe"], Format::AmazonTranscribe),
    (&["contact_lens"], Format::ContactLens),
    (&["google", "google_speech"], Format::Google),
    (&["azure", "azure_speech"], Format::Azure),
    (&["twilio"], Format::Twilio),
    (&["vapi"], Format::Vapi),
    (&["retell"], Format::Retell),
];

impl Format {
    /// The format of a name. `-` and `_` are the same, and case does not matter.
    ///
    /// ```
    /// use candor_voice_transcript::transcript::Format;
    /// assert_eq!(Format::named("WebVTT"), Some(Format::Vtt));
    /// assert_eq!(Format::named("docx"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('-', "_");
        NAMES.iter().find(|(known, _)| known.contains(&name.as_str())).map(|(_, format)| *format)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let own = NAMES.iter().find(|(_, format)| *format == self);
        own.and_then(|(names, _)| names.first()).copied().unwrap_or_default()
    }

    /// Every name of every format.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().flat_map(|(names, _)| names.iter().copied())
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| {
            let known = Self::names().collect::<Vec<_>>().join("`, `");
            D::Error::custom(format!("format is `{name}`; expected one of `{known}`"))
        })
    }
}
