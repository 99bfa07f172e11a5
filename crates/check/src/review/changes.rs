//! Rules that are new since version 0.1, where the settings of an assertion show that they apply.

use super::Reviewed;
use crate::records::{Match, RecordRules};

/// Something about an assertion that version 0.1 decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Where in the assertion: `fields[0].expected`; empty for the assertion itself.
    pub place: String,
    /// What is decided otherwise, and what to write to keep the old meaning.
    pub message: String,
}

impl Change {
    /// A change at a place.
    #[must_use]
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// `first` and `last` where they go by another order than that of places. `by` completes "go by".
    #[must_use]
    pub fn of_order(rules: RecordRules, by: &str) -> Option<Self> {
        let name = match rules.matching {
            Match::First => "first",
            Match::Last => "last",
            Match::Any | Match::All | Match::ExactlyOne => return None,
        };
        let message = format!(
            "`match: {name}` goes by {by}; version 0.1 went by the order of paths; name the one that is meant in the selection"
        );
        Some(Self::new("match", message))
    }

    /// Fields that compare dates with a day, a month or a year. `member` holds the fields.
    #[must_use]
    pub fn of_dates<F: Reviewed>(member: &str, fields: &[F]) -> Vec<Self> {
        let change = |(index, field): (usize, &F)| {
            let message = format!(
                "`{}` compares whole days: a value with a time is on its own day; version 0.1 left it undecided; write instants to compare instants",
                field.path_text()
            );
            Self::new(format!("{member}[{index}].expected"), message)
        };
        fields.iter().enumerate().filter(|(_, field)| field.compares_days()).map(change).collect()
    }
}
