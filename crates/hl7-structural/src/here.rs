//! The place of the message that is being read.

use std::cell::OnceCell;
use std::ops::Range;

use candor_check::field::Location;
use candor_check::sandbox::FileBytes;

pub(crate) struct Origin<'a> {
    pub(crate) hash: Hash<'a>,
    /// True if offsets are those of the file: not of an event, nor of a file that had to be rewritten to be read.
    pub(crate) located: bool,
    pub(crate) from: String,
    /// Of an event, the place of its line and when it was recorded.
    pub(crate) event: Option<(&'a Location, &'a str)>,
}

/// SHA-256 of a file. That of a held one is taken when a message of it is quoted.
#[derive(Clone, Copy)]
pub(crate) enum Hash<'a> {
    Of(&'a FileBytes),
    Known(&'a str),
}

impl<'a> Hash<'a> {
    pub(crate) fn sha256(self) -> &'a str {
        match self {
            Self::Of(file) => file.sha256(),
            Self::Known(sha256) => sha256,
        }
    }
}

/// The message that is being read: its label and its place are made when they are asked for.
pub(crate) struct Here<'a> {
    pub(crate) origin: &'a Origin<'a>,
    file: &'a Location,
    number: u64,
    span: Range<u64>,
    label: OnceCell<String>,
    place: OnceCell<Location>,
}

impl<'a> Here<'a> {
    pub(crate) fn new(origin: &'a Origin<'a>, file: &'a Location, number: u64, span: Range<u64>) -> Self {
        Self { origin, file, number, span, label: OnceCell::new(), place: OnceCell::new() }
    }

    pub(crate) fn offset(&self) -> Option<u64> {
        self.origin.located.then_some(self.span.start)
    }

    pub(crate) fn label(&self) -> &str {
        self.label.get_or_init(|| match (self.origin.event, self.number) {
            (Some(_), 1) => format!("the message of {}", self.origin.from),
            (_, number) => format!("message {number} of {}", self.origin.from),
        })
    }

    pub(crate) fn place(&self) -> &Location {
        self.place.get_or_init(|| match self.origin.located {
            true => Location::bytes(self.file.locator.as_str(), self.span.clone()),
            false => self.file.clone(),
        })
    }

    /// When an event was recorded.
    pub(crate) fn at(&self) -> Option<&'a str> {
        self.origin.event.map(|(_, at)| at)
    }
}
