//! Batch and file trailers that say a wrong number, and inputs that break off.

use candor_check::compare::Operator;
use candor_check::field::{FieldResult, Location};
use candor_hl7v2::{Enclosing, Ending, Trailer};
use candor_json::json;
use serde::{Deserialize, Serialize};

/// A BTS-1 or FTS-1 that differs from the number of messages, or batches, in its batch or file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongCount {
    /// `BTS.1` or `FTS.1`.
    pub path: String,
    /// The number as declared.
    pub declared: String,
    /// How many there are.
    pub found: u64,
    /// The trailer.
    pub place: Location,
    /// First byte and the byte after the last one of what it closes; nothing where messages have no bytes of a file.
    pub covers: Option<(u64, u64)>,
}

impl WrongCount {
    pub(crate) fn of(trailer: &Trailer, place: &Location, located: bool) -> Option<Self> {
        let found = trailer.found.filter(|_| !trailer.is_right())?;
        let path = match trailer.encloses {
            Enclosing::Batch => "BTS.1",
            Enclosing::File => "FTS.1",
        };
        let bytes = |range: &std::ops::Range<usize>| (range.start as u64, range.end as u64);
        Some(Self {
            path: path.to_owned(),
            declared: trailer.declared.clone(),
            found,
            place: match located {
                true => Location { locator: place.locator.clone(), span: Some(bytes(&trailer.span)) },
                false => place.clone(),
            },
            covers: located.then(|| bytes(&trailer.covers)),
        })
    }

    pub(crate) fn concerns(&self, message: &Location) -> bool {
        match self.covers {
            Some((from, to)) => {
                message.locator == self.place.locator
                    && message.span.is_some_and(|(start, end)| from <= start && end <= to)
            }
            None => *message == self.place,
        }
    }

    pub(crate) fn result(&self) -> FieldResult {
        FieldResult::constraint(self.path.clone(), json!(self.found), json!(self.declared), false)
            .with_operator(Operator::Count)
            .at(self.place.clone())
    }

    pub(crate) fn note(&self) -> String {
        let what = if self.path.starts_with('B') { "messages" } else { "batches" };
        let (path, declared, found) = (&self.path, &self.declared, self.found);
        format!("{path} of {} says {declared:?}; {what} found: {found}.", self.place.locator)
    }
}

pub(crate) enum Cut {
    Off(CutOff),
    /// It may have been, in words that follow the name of the input.
    Maybe(&'static str),
}

pub(crate) struct CutOff {
    /// The byte at which the part that is not whole begins.
    pub(crate) offset: u64,
    /// The missing part, as the end of a sentence.
    pub(crate) what: String,
}

/// Decides if an input was cut off. A trailer says how much there is, so that a missing one matters where a number is
/// asserted.
pub(crate) fn cut(ending: &Ending, is_counted: bool) -> Option<Cut> {
    let off = |offset: &usize, what: String| Some(Cut::Off(CutOff { offset: *offset as u64, what }));
    match ending {
        Ending::Open => None,
        Ending::Nuls { offset, length } => off(offset, format!("{length} NUL bytes follow, as a crash leaves them")),
        Ending::NoTrailer { encloses, offset, ended } => {
            let (header, trailer) = match encloses {
                Enclosing::Batch => ("batch", "BTS"),
                Enclosing::File => ("file of batches", "FTS"),
            };
            match (ended, is_counted) {
                (false, _) => off(offset, format!("the {header} that begins here breaks off in its last line")),
                (true, true) => off(
                    offset,
                    format!("the {header} that begins here has no {trailer}, so that messages may be missing"),
                ),
                (true, false) if *encloses == Enclosing::Batch => {
                    Some(Cut::Maybe("has a batch without its trailer, BTS"))
                }
                (true, false) => Some(Cut::Maybe("has a file header without its trailer, FTS")),
            }
        }
    }
}
