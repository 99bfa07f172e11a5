//! Facts about the tables of a portal, which a capture records so that it is read as the portal was: which columns are
//! the key, and whether 0 and 1 meant truth values.

use std::collections::BTreeMap;

use candor_check::sandbox::CapturedPart;
use candor_json::Value;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Facts {
    #[serde(default)]
    pub(crate) tables: BTreeMap<String, TableFacts>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TableFacts {
    pub(crate) columns: Vec<(String, String)>,
    pub(crate) key: Vec<String>,
    /// True if the database has no truth values, so that 0 and 1 represent them.
    pub(crate) zero_one: bool,
}

impl Facts {
    /// The facts of a capture; empty for a folder that is not a capture.
    pub(crate) fn of(captured: Option<&CapturedPart>) -> Self {
        captured.and_then(|part| candor_json::from_value(part.facts.clone()).ok()).unwrap_or_default()
    }

    pub(crate) fn to_value(&self) -> Value {
        candor_json::to_value(self).unwrap_or_default()
    }
}
