//! The names of candidates: those of one file mostly differ by a number only.

use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize, Serializer};

use crate::evidence::SharedText;

/// A person's name for a candidate: `message 2 of hl7/out.hl7`. A number behind its first word is held apart, so that the
/// candidates of a file share the rest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Label {
    number: Option<NonZeroU64>,
    rest: SharedText,
}

impl Label {
    /// The same, with the rest of `other` where that is equal.
    pub(super) fn shared_with(self, other: &Self) -> Self {
        Self { rest: self.rest.or_same(&other.rest), ..self }
    }
}

impl From<String> for Label {
    fn from(text: String) -> Self {
        let parts = text.split_once(' ').and_then(|(first, behind)| {
            let (digits, last) = behind.split_once(' ')?;
            let number = digits.parse::<NonZeroU64>().ok().filter(|_| !digits.starts_with(['0', '+']))?;
            Some((number, format!("{first} {last}")))
        });
        match parts {
            Some((number, rest)) => Self { number: Some(number), rest: rest.into() },
            None => Self { number: None, rest: text.into() },
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, self.rest.split_once(' ')) {
            (Some(number), Some((first, last))) => write!(f, "{first} {number} {last}"),
            _ => f.write_str(&self.rest),
        }
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
