//! The observation: the messages that are meant, as they were sent.

use std::num::NonZeroU64;

use candor_check::evidence::SharedText;
use candor_check::records::{Bytes, Fact, Observation};
use candor_hl7v2 as hl7v2;
use serde::{Deserialize, Serialize};

use crate::ack::{Acknowledged, Acknowledgment};
use crate::batch::WrongCount;
use crate::same_as::Others;

/// A message as sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its bytes, from MSH on.
    pub text: Bytes,
    /// The byte of the file at which they begin; `None` for an event, whose payload is in JSON.
    #[serde(default)]
    pub offset: Offset,
    /// True if they were decoded before, so that MSH-18 names an encoding that they no longer have: an event, a file in
    /// UTF-16.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decoded: bool,
    /// When an event was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<SharedText>,
    /// The facts in it that later messages can undo, where any message may have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[allow(clippy::box_collection, reason = "few messages have facts, and each holds 8 bytes for them, not 24")]
    pub facts: Option<Box<Vec<Fact>>>,
}

/// A byte of a file, or nothing. It is held with one added, so that it takes 8 bytes, not 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<u64>", into = "Option<u64>")]
pub struct Offset(Option<NonZeroU64>);

impl From<Option<u64>> for Offset {
    fn from(offset: Option<u64>) -> Self {
        Self(offset.and_then(|offset| NonZeroU64::MIN.checked_add(offset)))
    }
}

impl From<Offset> for Option<u64> {
    fn from(offset: Offset) -> Self {
        offset.0.map(|held| held.get() - 1)
    }
}

impl Message {
    pub(crate) fn offset(&self) -> Option<u64> {
        self.offset.into()
    }

    /// The message, ready to be asked; nothing where an observation that this check did not make holds something else.
    pub(crate) fn read(&self) -> Option<hl7v2::Message<'_>> {
        let text = if self.decoded { std::str::from_utf8(&self.text.0).ok() } else { None };
        let messages = text.map_or_else(|| hl7v2::messages(&self.text.0), hl7v2::messages_of_text);
        messages.known_to_be_whole().next().and_then(Result::ok)
    }
}

/// The input of the check: the messages that `correlate_by` left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Where messages were looked for.
    pub place: String,
    /// The messages.
    pub messages: Observation<Message>,
    /// Where acknowledgments are asserted: those of the messages, in order.
    #[serde(default)]
    pub acknowledgments: Vec<Acknowledgment>,
    /// Where acknowledgments are asserted: every message that one of them may answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acknowledged: Vec<Acknowledged>,
    /// Where a structure is asserted: batch and file trailers that say a wrong number.
    #[serde(default)]
    pub wrong_counts: Vec<WrongCount>,
    /// Where work is asserted: the messages that cancel others, with those that they may cancel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cancels: Vec<Fact>,
    /// Where work is asserted: a file that was not read may hold a message that cancels one of these.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_be_cancelled: bool,
    /// Where `same_as` is asserted: what other messages have, for each of its items.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Others>,
}
