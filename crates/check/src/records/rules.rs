//! The members common to the record-shaped checks.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::settings::{Cardinality, one_of};

/// Which candidate must satisfy all fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Match {
    /// Any one; the best one is reported.
    #[default]
    Any,
    /// The first.
    First,
    /// The last.
    Last,
    /// Every one.
    All,
    /// A single one.
    ExactlyOne,
}

const MATCHES: &[(&str, Match)] = &[
    ("any", Match::Any),
    ("first", Match::First),
    ("last", Match::Last),
    ("all", Match::All),
    ("exactly_one", Match::ExactlyOne),
];

impl<'de> Deserialize<'de> for Match {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        one_of("`match`", &name, MATCHES).map_err(D::Error::custom)
    }
}

/// `match` and `count`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordRules {
    /// Which candidate must satisfy all fields.
    pub matching: Match,
    /// How many candidates there must be.
    pub count: Option<Cardinality>,
}
