//! A call as it is compared: each turn with its speaker and the two forms in which phrases are looked for.

use serde::Serialize;

use crate::matching::{Speaker, Speakers};
use crate::normalize::Normalized;
use crate::transcript::Transcript;

/// A turn, and what it is compared as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedTurn {
    /// Its place in the call, from 0 on.
    pub turn: usize,
    /// Who spoke it: a role, a label with `?` if nothing says what it means, `(not spoken)`, or `?`.
    pub speaker: String,
    /// What was said.
    pub text: String,
    /// The text as it is compared.
    pub normalized: String,
    /// The same with numbers, dates and spellings in one form.
    pub meant: String,
    /// When it begins, in milliseconds from the beginning of the call.
    pub start: Option<u64>,
    /// When it ends.
    pub end: Option<u64>,
}

/// The turns of a call, as they are compared.
///
/// ```
/// use candor_voice_transcript::explain::turns;
/// use candor_voice_transcript::transcript::{Extension, Transcript};
///
/// let call = Transcript::read(b"Agent: It's twenty-one.\nCaller: OK.", Extension::Other)?;
/// assert_eq!(turns(&call)[0].speaker, "agent");
/// # Ok::<(), candor_voice_transcript::transcript::TranscriptError>(())
/// ```
#[must_use]
pub fn turns(call: &Transcript) -> Vec<ExplainedTurn> {
    let speakers = Speakers::default();
    let explained = |(turn, spoken): (usize, &crate::transcript::Turn)| {
        let speaker = match speakers.speaker(spoken) {
            Speaker::Unread => "(not spoken)".to_owned(),
            Speaker::Known { role, .. } => role,
            Speaker::Perhaps(label) => format!("{label}?"),
            _ => "?".to_owned(),
        };
        let texts = [spoken.text.as_str()];
        ExplainedTurn {
            turn,
            speaker,
            text: spoken.text.clone(),
            normalized: Normalized::of(&texts).render(),
            meant: Normalized::canonical(&texts).render(),
            start: spoken.start,
            end: spoken.end,
        }
    };
    call.turns.iter().enumerate().map(explained).collect()
}
