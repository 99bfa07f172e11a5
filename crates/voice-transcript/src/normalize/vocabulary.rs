//! The words by which a text is read: the tables of its language, and the words that a task adds to them.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

/// The language whose tables a call is read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

/// A language, and a task's own words in their normalized form. `Default` adds no word to English.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    pub(crate) language: Language,
    pub(crate) words: HashSet<String>,
    pub(crate) initialisms: HashSet<String>,
    /// Each word with the index of its group.
    pub(crate) homophones: HashMap<String, usize>,
}

impl Vocabulary {
    pub(crate) fn of(language: Language) -> Self {
        Self { language, ..Self::default() }
    }
}
