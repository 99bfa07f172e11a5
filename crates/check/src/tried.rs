//! The selection of a path, an expression or a phrase, for people who write one.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt::Display;

use candor_json::Value;
use serde::Serialize;

/// The selection in one record of a file: a resource, a message, a transaction set, a document, a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tried {
    /// The file.
    pub file: String,
    /// The record in it: `Patient/1`, `message 2`; empty for a file that is one record.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub record: String,
    /// The selected values, in order.
    pub selected: Vec<Selected>,
    /// Why nothing was selected, or what is not certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// True if the record could not be read, or the selection not be made: `why` says it.
    pub unreadable: bool,
}

/// A thing that was selected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Selected {
    /// Where it is in the record.
    pub place: String,
    /// Its type, where the format has types.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its value.
    pub value: Value,
}

impl Tried {
    /// A record in which nothing was examined yet.
    #[must_use]
    pub fn new(file: impl Into<String>, record: impl Into<String>) -> Self {
        Self { file: file.into(), record: record.into(), ..Self::default() }
    }

    /// A record that could not be read.
    #[must_use]
    pub fn unread(file: impl Into<String>, record: impl Into<String>, why: impl Into<String>) -> Self {
        Self::new(file, record).undecided(why)
    }

    /// With the reason why it is not known what is selected.
    #[must_use]
    pub fn undecided(self, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), unreadable: true, ..self }
    }

    /// With what was selected; `why` is asked where that is nothing.
    #[must_use]
    pub fn with(self, selected: Vec<Selected>, why: impl FnOnce() -> String) -> Self {
        let why = selected.is_empty().then(why);
        Self { selected, why, ..self }
    }
}

impl Selected {
    /// A thing without a type.
    #[must_use]
    pub fn new(place: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { place: place.into(), kind: None, value: value.into() }
    }
}

/// Says that a path selects nothing in the contents of a field or a segment; `None` if there are no contents.
#[must_use]
pub fn unselected(name: impl Display, contents: impl Iterator<Item = impl Display>) -> Option<String> {
    const MOST_QUOTED: usize = 3;
    let mut contents = contents.fuse();
    let shown: Vec<String> = contents.by_ref().take(MOST_QUOTED).map(|content| format!("`{content}`")).collect();
    let more = if contents.next().is_some() { " and more" } else { "" };
    (!shown.is_empty()).then(|| format!("{name} is {}{more}, in which the path selects nothing", shown.join(", ")))
}

/// The names in alphabetical order, each once.
#[must_use]
pub fn distinct<N: Borrow<str> + Ord>(names: impl Iterator<Item = N>, separator: &str) -> String {
    names.collect::<BTreeSet<N>>().into_iter().collect::<Vec<N>>().join(separator)
}
