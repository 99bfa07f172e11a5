//! Transcripts of calls: bytes to turns.
//!
//! Read are native lists (`[{"speaker", "text", "start", "end"}]`), role/content lists as chat
//! interfaces store them, either also inside an object or one entry a line, the JSON of recognizers and voice platforms
//! (`vendors`), captions (`cues`), and plain text with
//! a speaker's label on every turn. What fits none is unreadable, and the error says what it looks like.
//! Nothing is guessed: a transcript is read as a whole or not at all.

mod cues;
mod error;
mod format;
mod gaps;
mod inline;
mod json;
mod lines;
mod members;
pub(crate) mod owners;
mod recognise;
mod streams;
mod timed;
mod turn;
mod vendors;
mod whole;

use candor_check::records::Reading;
use candor_json::Value;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

pub use error::{TranscriptError, TurnProblem};
pub use format::Format;
pub(crate) use turn::cut_off;

/// The largest transcript that is read, in bytes. An hour of speech takes about sixty thousand.
pub const MAX_BYTES: usize = 16 << 20;

/// A recorded call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    /// The turns in the order of the recording, interim results left out.
    pub turns: Vec<Turn>,
    /// The reason why these are not all turns: the call is not over, or parts of the record cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A turn of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The speaker's label, as the recording has it.
    pub speaker: Option<String>,
    /// The `role`, in addition to or instead of the speaker.
    pub role: Option<String>,
    /// The words spoken.
    pub text: String,
    /// False for entries that were not spoken: calls of tools, reasoning.
    pub spoken: bool,
    /// The bytes of the file it was read from.
    pub span: Range<usize>,
    /// When it begins, in milliseconds from the beginning of the call.
    pub start: Option<u64>,
    /// When it ends.
    pub end: Option<u64>,
    /// Its words, as far as the recognizer tells of them, in the order of the text.
    #[serde(default)]
    pub words: Vec<TimedWord>,
    /// True if its label may not be one: a line of the turn before, or a heading, that happens to contain a colon.
    #[serde(default)]
    pub doubtful: bool,
}

/// A recognizer's data about a word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedWord {
    /// Its bytes in the turn's text.
    pub span: Range<usize>,
    /// When it begins, in milliseconds.
    pub start: Option<u64>,
    /// When it ends.
    pub end: Option<u64>,
    /// How sure the recognizer is, in millionths.
    pub confidence: Option<u32>,
    /// The speaker, if the recognizer labels each word; `None` once the turn has only this speaker's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
}

/// The kind of file that a transcript's name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// `.json`: JSON or nothing.
    Json,
    /// Anything else: recognized by content.
    Other,
}

impl Extension {
    /// The extension of a file name.
    pub fn of(name: &str) -> Self {
        let json = name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("json"));
        if json { Self::Json } else { Self::Other }
    }
}

impl Turn {
    /// Does its text hide words, or were all of them unheard? Recognizers write `[PII]`, `[CREDIT_CARD_1]`, `####`, and
    /// `[inaudible]` for a whole turn. An `[inaudible]` between words that were heard hides none of them.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        self.spoken && gaps::has_gap(&self.text)
    }

    /// Reads a turn of a JSON transcript; `None` for an interim result. `span` is its place in the file.
    ///
    /// # Errors
    /// The flaw of the turn.
    pub fn read(json: candor_json::value::RawValue<'_>, span: Range<usize>) -> Result<Option<Self>, TurnProblem> {
        turn::read(json, span, None)
    }
}

impl Transcript {
    /// Reads a transcript.
    ///
    /// # Errors
    /// When it is in no format that is read, or breaks off, or holds nothing: an empty file is not
    /// evidence of silence. An empty JSON list is: a call without turns.
    ///
    /// ```
    /// use candor_voice_transcript::transcript::{Extension, Transcript};
    /// let call = Transcript::read(b"Agent: Hello.\nCaller: Hi, it's\nMaria.", Extension::Other).unwrap();
    /// assert_eq!(call.turns[1].text, "Hi, it's\nMaria.");
    /// assert!(Transcript::read(b"", Extension::Other).is_err());
    /// ```
    pub fn read(bytes: &[u8], extension: Extension) -> Result<Self, TranscriptError> {
        let (text, bom) = decoded(bytes)?;
        if let Some(format) = recognise::other_format(text) {
            return Err(TranscriptError::OtherFormat { format });
        }
        let json = extension == Extension::Json || recognise::is_json(text);
        let text = &*with_lines(text);
        if json {
            return Self::uncut(json::read(text, bom, None)?).map(|call| call.with_missing(text));
        }
        Self::uncut(match recognise::captions(text) {
            Some(captions) => captioned(text, bom, captions)?,
            // nothing says which line is the last one
            None => labelled(text, bom).map(Reading::unknown)?,
        })
    }

    /// Reads a transcript as the format that is named, whatever it looks like.
    ///
    /// # Errors
    /// When it is not in this format, or breaks off, or holds nothing.
    ///
    /// ```
    /// use candor_voice_transcript::transcript::{Format, Transcript};
    /// let text = b"WEBVTT Corp: Hello.\nCaller: Hi.";
    /// assert_eq!(Transcript::read_as(text, Format::Lines).unwrap().turns.len(), 2);
    /// assert!(Transcript::read_as(text, Format::Srt).is_err());
    /// ```
    pub fn read_as(bytes: &[u8], format: Format) -> Result<Self, TranscriptError> {
        let (text, bom) = decoded(bytes)?;
        let text = &*with_lines(text);
        let call = Self::uncut(match format {
            Format::Lines => labelled(text, bom).map(Reading::unknown)?,
            Format::Vtt => captioned(text, bom, cues::Captions::Vtt)?,
            Format::Srt => captioned(text, bom, cues::Captions::Srt)?,
            // The brackets of JSON close.
            _ => json::read(text, bom, Some(format))?,
        })?;
        Ok(if recognise::is_json(text) { call.with_missing(text) } else { call })
    }

    fn with_missing(self, text: &str) -> Self {
        let document: Result<Value, _> = candor_json::from_str(text).or_else(|_| {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.map(candor_json::from_str::<Value>).collect::<Result<Vec<Value>, _>>().map(Value::Array)
        });
        Self { missing: document.ok().as_ref().and_then(whole::missing), ..self }
    }

    fn uncut(turns: Reading<Vec<Turn>>) -> Result<Self, TranscriptError> {
        match turns.uncut() {
            Ok(turns) => Ok(Self { turns: owners::split(turns), missing: None }),
            Err(cut) => Err(TranscriptError::Cut { offset: cut.offset, what: cut.what }),
        }
    }
}

/// Captions. Nothing follows the last cue, so that a cut between two does not show.
fn captioned(text: &str, base: usize, captions: cues::Captions) -> Result<Reading<Vec<Turn>>, TranscriptError> {
    cues::read(text, base, captions).map(inline::split).map(Reading::unknown)
}

fn labelled(text: &str, base: usize) -> Result<Vec<Turn>, TranscriptError> {
    let said = |turn: Turn| Turn { text: gaps::unthought(&turn.text), ..turn };
    Ok(inline::split(lines::read(text, base)?.into_iter().map(said).collect()))
}

/// A text whose lines end in a line feed: a carriage return by itself ends a line as well (WebVTT). No byte moves.
fn with_lines(text: &str) -> Cow<'_, str> {
    let alone = |(at, _): (usize, &str)| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !text.match_indices('\r').any(alone) {
        return Cow::Borrowed(text);
    }
    let parts: Vec<String> = text.split("\r\n").map(|part| part.replace('\r', "\n")).collect();
    Cow::Owned(parts.join("\r\n"))
}

/// The text of a file, with the length of its byte order mark.
fn decoded(bytes: &[u8]) -> Result<(&str, usize), TranscriptError> {
    if bytes.len() > MAX_BYTES {
        return Err(TranscriptError::TooLarge { bytes: bytes.len() });
    }
    if matches!(bytes, [0xfe, 0xff, ..] | [0xff, 0xfe, ..]) {
        return Err(TranscriptError::Utf16);
    }
    let bom = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| TranscriptError::NotUtf8 { offset: error.valid_up_to() })?
        .get(bom..)
        .unwrap_or_default();
    if let Some(at) = text.find('\0') {
        return Err(TranscriptError::Binary { offset: at + bom });
    }
    if text.trim().is_empty() { Err(TranscriptError::Empty) } else { Ok((text, bom)) }
}
