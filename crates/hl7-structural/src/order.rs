//! When a message was sent: of an event when it was recorded, of a message in a file MSH-7.

use candor_check::compare::{Date, DateForm};
use candor_check::records::{Candidate, Moment, Standing};
use candor_hl7v2::{self as hl7v2, Path};

use crate::correlation::first;
use crate::seen::Message;

/// When the message was sent; nothing where nobody wrote a time that can be read.
pub(crate) fn moment(candidate: &Candidate<Message>) -> Option<Moment> {
    match &candidate.content.at {
        Some(at) => read(at),
        None => candidate.content.read().as_ref().and_then(sent_at),
    }
}

/// When MSH-7 says that a message was sent.
pub(crate) fn sent_at(message: &hl7v2::Message<'_>) -> Option<Moment> {
    read(&first(&Path::parse("MSH.7.1").ok()?, message)?)
}

/// The moment that a text of `at` or MSH-7 means.
pub(crate) fn read(text: &str) -> Option<Moment> {
    let time = Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7))?;
    Some(Moment { time, number: None })
}

/// Where a candidate stands among others.
pub(crate) fn standing(position: usize, candidate: &Candidate<Message>) -> Standing<'_> {
    Standing { stream: &candidate.source.locator, position, moment: moment(candidate) }
}
