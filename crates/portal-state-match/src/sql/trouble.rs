//! The causes that keep a database from being read.

use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::{Obstacle, Unverifiable};

/// Why a database, or a statement in it, gave no answer.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) fault: Fault,
    /// The fault, as the end of a sentence that begins with the database. Names and codes, no values.
    pub(crate) what: String,
    pub(crate) reach: Reach,
}

/// The things that still work after trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A statement did not work: another one may.
    Statement,
    /// This resource cannot be read, others can.
    Resource,
    /// Nothing can be read from the connection any more.
    Connection,
}

impl Trouble {
    pub(crate) fn new(obstacle: Obstacle, reach: Reach, what: impl Into<String>) -> Self {
        Self { fault: Fault::Obstacle(obstacle), what: what.into(), reach }
    }

    pub(crate) fn malformed(reach: Reach, what: impl Into<String>) -> Self {
        Self { fault: Fault::Recording, what: what.into(), reach }
    }

    pub(crate) fn at(self, locator: &str) -> Unreadable {
        Unreadable { place: Location::whole(locator), what: format!("{locator} {}", self.what), fault: self.fault }
    }

    pub(crate) fn of(&self, place: &str) -> Unverifiable {
        let obstacle = match self.fault {
            Fault::Obstacle(obstacle) => obstacle,
            Fault::Recording | Fault::System => Obstacle::SourceMalformed,
        };
        Unverifiable::new(obstacle, format!("{place} {}", self.what))
    }
}
