//! Times in messages.

use std::sync::LazyLock;

use candor_check::compare::{Date, DateForm};
use candor_check::records::Moment;
use candor_hl7v2::{Message, Path};

use crate::correlation::text;

/// The paths that are read in every header.
pub(crate) struct Header {
    time: Path,
    /// MSH-9.1.
    pub(crate) code: Path,
    /// MSH-9.2.
    pub(crate) event: Path,
}

pub(crate) static MSH: LazyLock<Option<Header>> = LazyLock::new(|| {
    let [time, code, event] = ["MSH.7.1", "MSH.9.1", "MSH.9.2"].map(|path| Path::parse(path).ok());
    Some(Header { time: time?, code: code?, event: event? })
});

/// When MSH-7 says that a message was sent.
pub(crate) fn sent_at(message: &Message<'_>) -> Option<Moment> {
    read(&text(&MSH.as_ref()?.time, message)?)
}

/// The moment that a text of `at` or MSH-7 means.
pub(crate) fn read(written: &str) -> Option<Moment> {
    let time = Date::parse(written, DateForm::Iso).or_else(|| Date::parse(written, DateForm::Hl7))?;
    Some(Moment { time, number: None })
}
