//! How far a reader of a format got: to the end that the format has, to a cut, or to where the bytes end.
//!
//! Every format reader of a check answers with [`Reading`], which cannot be made without a [`Completeness`] and gives its
//! value only to who handles a cut. So no one adds a format without saying how a cut of it shows.

use super::{Fault, Unreadable};
use crate::field::Location;

/// Says if a source reaches the end that its format has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The format marks its end, and the mark is there: the last bracket of JSON, `%%EOF` of a PDF.
    Whole,
    /// The source breaks off before that.
    Cut(Cut),
    /// The format does not mark its end, so that a cut between two lines or rows cannot show.
    Unknown,
}

/// Where a source breaks off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The byte of the source at which the part that is not whole begins.
    pub offset: u64,
    /// The missing thing, as the end of a sentence: `a message that ends in its header`.
    pub what: String,
}

impl Cut {
    /// A cut at a byte.
    #[must_use]
    pub fn new(offset: u64, what: impl Into<String>) -> Self {
        Self { offset, what: what.into() }
    }

    /// The unreadable place for [`conclude`](super::conclude): [`Fault::System`] (`malformed`) where the system under
    /// test wrote the source, [`Fault::Recording`] (`source_malformed`) where the recording did.
    #[must_use]
    pub fn unreadable(self, locator: impl Into<String>, fault: Fault) -> Unreadable {
        let place = Location::bytes(locator, self.offset..self.offset);
        Unreadable { place, what: format!("at byte {} is {}", self.offset, self.what), fault }
    }
}

/// The result of reading a source, with its completeness.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a cut source must not be read as if it were whole"]
pub struct Reading<T> {
    value: T,
    completeness: Completeness,
}

impl<T> Reading<T> {
    /// A value that was read from a source.
    pub fn new(value: T, completeness: Completeness) -> Self {
        Self { value, completeness }
    }

    /// Of a source that reaches the end its format has.
    pub fn whole(value: T) -> Self {
        Self::new(value, Completeness::Whole)
    }

    /// Of a source in a format that does not mark its end.
    pub fn unknown(value: T) -> Self {
        Self::new(value, Completeness::Unknown)
    }

    /// How complete the source is.
    #[must_use]
    pub fn completeness(&self) -> &Completeness {
        &self.completeness
    }

    /// The same with its value made into another.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Reading<U> {
        Reading { value: into(self.value), completeness: self.completeness }
    }

    /// The value of a source that shows no cut.
    ///
    /// # Errors
    /// Where the source breaks off.
    pub fn uncut(self) -> Result<T, Cut> {
        match self.completeness {
            Completeness::Whole | Completeness::Unknown => Ok(self.value),
            Completeness::Cut(cut) => Err(cut),
        }
    }

    /// The value, and the cut apart, for a reader that keeps the records before it.
    pub fn into_parts(self) -> (T, Completeness) {
        (self.value, self.completeness)
    }
}
