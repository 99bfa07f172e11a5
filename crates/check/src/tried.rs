//! The selection of a path, an expression or a phrase, for people who write one.

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
        Self { why: Some(why.into()), unreadable: true, ..Self::new(file, record) }
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
