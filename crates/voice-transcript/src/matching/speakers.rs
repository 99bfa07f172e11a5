//! Who is who: the labels of a transcript and the roles an assertion names.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization;

use crate::normalize::Vocabulary;
use crate::tables::{SPEAKERS, UNREAD};
use crate::transcript::Turn;

/// An assertion's `speakers`: labels to roles, over the known synonyms.
///
/// `agent` is also `assistant`, `bot` and `ai`; `caller` is also `user`, `patient` and `customer`. Labels
/// are compared without case. `system` and `tool` turns are not read.
#[derive(Clone, Debug, Default)]
pub struct Speakers(HashMap<String, String>, Arc<Vocabulary>);

/// Two labels that differ in case only are given different roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeakersError {
    /// The second label.
    pub label: String,
}

impl fmt::Display for SpeakersError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the label {:?} is given two roles (labels are compared without case)", self.label)
    }
}

impl std::error::Error for SpeakersError {}

/// Who spoke a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Not spoken, so not read: a system prompt, a tool's answer.
    Unread,
    /// The transcript does not say.
    Unknown,
    /// A line about the call, or of the turn before it: it is undecidable whether somebody spoke it.
    Aside,
    /// A label that may be none, in its folded form.
    Perhaps(String),
    /// A role, or a label that is its own role.
    Known {
        /// The role, or the label's own folded form.
        role: String,
        /// The label's own folded form.
        label: String,
    },
}

impl Speaker {
    /// True for the turns that an assertion's `speaker` means, given as [`Speakers::role`] gives it.
    pub fn is(&self, role: &str) -> bool {
        match self {
            Self::Known { role: own, label } => own == role || label == role || same_number(label, role),
            Self::Perhaps(label) => label == role,
            _ => false,
        }
    }

    /// True if the transcript does not decide who it is.
    pub fn is_doubtful(&self) -> bool {
        matches!(self, Self::Unknown | Self::Aside | Self::Perhaps(_))
    }
}

impl Speakers {
    /// The roles of labels.
    ///
    /// # Errors
    /// When two labels are the same without case and their roles are not.
    pub fn new<'a>(roles: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, SpeakersError> {
        let mut map: HashMap<String, String> = HashMap::new();
        for (label, role) in roles {
            let role = known(&fold(role));
            if let Some(before) = map.insert(fold(label), role.clone())
                && before != role
            {
                return Err(SpeakersError { label: label.to_owned() });
            }
        }
        Ok(Self(map, Arc::default()))
    }

    pub(crate) fn reading(self, vocabulary: Vocabulary) -> Self {
        Self(self.0, Arc::new(vocabulary))
    }

    pub(crate) fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.1
    }

    /// The role of a label; a label without one is its own role.
    pub fn role(&self, label: &str) -> String {
        let label = fold(label);
        match self
            .0
            .get(&label)
            .or_else(|| self.0.iter().find(|(given, _)| same_number(given, &label)).map(|(_, role)| role))
        {
            Some(role) => role.clone(),
            None => known(&label),
        }
    }

    /// True if turns under this label are never read.
    pub fn is_unread(&self, label: &str) -> bool {
        self.role(label) == UNREAD
    }

    /// Who spoke a turn.
    pub fn speaker(&self, turn: &Turn) -> Speaker {
        if !turn.spoken {
            return Speaker::Unread;
        }
        let label = turn.speaker.as_deref().or(turn.role.as_deref()).map(fold).filter(|label| !label.is_empty());
        let Some(label) = label else {
            return if turn.doubtful { Speaker::Aside } else { Speaker::Unknown };
        };
        if turn.doubtful && !self.0.contains_key(&label) {
            return Speaker::Perhaps(label);
        }
        let mut role = self.role(&label);
        if let Some(given) = turn.role.as_deref()
            && !self.0.contains_key(&label)
        {
            let given = self.role(given);
            if given == UNREAD || role == label {
                role = given;
            }
        }
        if role == UNREAD { Speaker::Unread } else { Speaker::Known { role, label } }
    }
}

/// True if both labels are the same number of a speaker or a channel: `SPEAKER_00`, `speaker 0`, `spk_0`, `0`.
fn same_number(one: &str, other: &str) -> bool {
    number(one).is_some_and(|one| number(other) == Some(one))
}

fn number(label: &str) -> Option<u32> {
    let digits = label.trim_start_matches(|c: char| !c.is_ascii_digit());
    let name = label.strip_suffix(digits)?.trim_end_matches([' ', '_', '-', '#']);
    matches!(name, "" | "speaker" | "spk" | "channel" | "ch" | "participant").then(|| digits.parse().ok())?
}

fn known(label: &str) -> String {
    SPEAKERS.get(label).map_or_else(|| label.to_owned(), |role| (*role).to_owned())
}

/// Lower case, composed, white space folded.
fn fold(label: &str) -> String {
    let lower: String = label.nfc().flat_map(char::to_lowercase).nfc().collect();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}
