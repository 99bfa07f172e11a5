//! Files, and the text in them.

mod bytes;
mod content;
mod exists;
mod not_empty;
mod select;

pub(crate) use content::{Contains, Content, NotContains};
pub(crate) use exists::FileExists;
pub(crate) use not_empty::FileNotEmpty;
pub(crate) use select::{About, Link, Paths, is_literal, notes, source, too_much};

use candor_check::{Evidence, Failure, Share};
use candor_json::Value;

use crate::looked::obstacle;

/// The most files that evidence names one by one.
pub(crate) const MOST_NAMED: usize = 100;

/// Unverifiable, where something could not be looked at that could hide what decides.
pub(crate) fn hidden(about: &About) -> Option<Evidence> {
    let (reason, details) = about.unreadable.as_ref()?;
    Some(noted(Evidence::unverifiable(obstacle(reason), Vec::new(), format!("{details}.")), about))
}

/// The evidence of an assertion whose files do not exist.
pub(crate) fn nothing(paths: &Paths, about: &About) -> Evidence {
    let details = format!("No file of the workspace matches {}; {} were looked at.", paths.shown(), about.considered);
    let evidence = Evidence::failed(Failure::NoCandidate, Share::default(), Vec::new(), details);
    noted(evidence, about)
}

pub(crate) fn noted(evidence: Evidence, about: &About) -> Evidence {
    about.notes.iter().fold(evidence, |evidence, note| evidence.adding(note))
}

pub(crate) fn listed<'a>(paths: impl Iterator<Item = &'a str>) -> Value {
    paths.take(MOST_NAMED).map(Value::from).collect()
}
