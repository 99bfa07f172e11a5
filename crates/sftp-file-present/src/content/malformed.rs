//! Places where content cannot be read.

use std::ops::Range;

use candor_check::Obstacle;
use candor_check::records::{Completeness, Cut, Reading};

/// Where content cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The first byte that cannot be read.
    pub offset: usize,
    /// The fault there.
    pub what: String,
    /// The obstacle to reading it, where the content may be what its format says for all that is known.
    pub obstacle: Option<Obstacle>,
}

impl Malformed {
    pub(crate) fn at(offset: usize, what: impl Into<String>) -> Self {
        Self { offset, what: what.into(), obstacle: None }
    }

    /// The missing end of a file, if it ends before its format does.
    pub(crate) fn of(completeness: Completeness) -> Option<Self> {
        match completeness {
            Completeness::Whole | Completeness::Unknown => None,
            Completeness::Cut(cut) => Some(cut.into()),
        }
    }

    pub(super) fn beyond(offset: usize, what: impl Into<String>) -> Self {
        Self { offset, what: what.into(), obstacle: Some(Obstacle::LimitExceeded) }
    }
}

impl From<Cut> for Malformed {
    fn from(cut: Cut) -> Self {
        Self { offset: usize::try_from(cut.offset).unwrap_or(usize::MAX), what: cut.what, obstacle: None }
    }
}

/// The value of a reading where it shows no cut.
pub(super) fn uncut<T>(reading: Reading<T>) -> Result<T, Malformed> {
    reading.uncut().map_err(Malformed::from)
}

pub(super) fn span(range: Range<usize>) -> Option<Range<u64>> {
    Some(range.start as u64..range.end as u64)
}
