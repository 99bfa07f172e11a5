//! When a message was sent: of an event when it was recorded, of a message in a file MSH-7.

use candor_check::records::{Candidate, Moment, Standing};

use crate::seen::Message;
use crate::time::{read, sent_at};

/// The time at which the message was sent; `None` if it has no readable time.
pub(crate) fn moment(candidate: &Candidate<Message>) -> Option<Moment> {
    match &candidate.content.at {
        Some(at) => read(at),
        None => candidate.content.read().as_ref().and_then(sent_at),
    }
}

pub(crate) fn standing(position: usize, candidate: &Candidate<Message>) -> Standing<'_> {
    Standing { stream: &candidate.source.locator, position, moment: moment(candidate) }
}
