//! Times in messages.

use candor_check::compare::{Date, DateForm};
use candor_check::records::Moment;
use candor_hl7v2::{Message, Path};

use crate::correlation::first;

/// When MSH-7 says that a message was sent.
pub(crate) fn sent_at(message: &Message<'_>) -> Option<Moment> {
    read(&first(&Path::parse("MSH.7.1").ok()?, message)?)
}

/// The moment that a text of `at` or MSH-7 means.
pub(crate) fn read(text: &str) -> Option<Moment> {
    let time = Date::parse(text, DateForm::Iso).or_else(|| Date::parse(text, DateForm::Hl7))?;
    Some(Moment { time, number: None })
}
