//! The names of candidates: those of one file mostly differ by a number only.

use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;

use serde::{Deserialize, Serialize, Serializer};

use crate::evidence::SharedText;

/// A person's name for a candidate: `message 2 of hl7/out.hl7`, `MSH-10 C0002`. The number before the first ` of `
/// or at the end is held apart, so that the candidates of a file share the rest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Label {
    number: Option<NonZeroU64>,
    /// Zeros are in the place of the number.
    rest: SharedText,
}

impl Label {
    /// The same, with the rest of `other` where that is equal.
    pub(crate) fn shared_with(self, other: &Self) -> Self {
        Self { rest: self.rest.or_same(&other.rest), ..self }
    }
}

impl From<String> for Label {
    fn from(mut text: String) -> Self {
        let at = digits(&text);
        let number = text.get(at.clone()).and_then(|digits| digits.parse().ok());
        if number.is_some() {
            text.replace_range(at.clone(), &"0".repeat(at.len()));
        }
        Self { number, rest: text.into() }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = digits(&self.rest).end;
        // zeros before it are those of the rest
        let number = self.number.map(|number| number.to_string()).unwrap_or_default();
        let (before, behind) = (self.rest.get(..end - number.len()), self.rest.get(end..));
        write!(f, "{}{number}{}", before.unwrap_or_default(), behind.unwrap_or_default())
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn digits(text: &str) -> Range<usize> {
    let before = text.split_once(" of ").map_or(text, |(before, _)| before);
    before.trim_end_matches(|c: char| c.is_ascii_digit()).len()..before.len()
}
