//! The observation: the rows that were selected, or what the selection names that is not there.

use candor_check::records::Observation;
use serde::{Deserialize, Serialize};

use crate::rows::Content;

/// The observation of a portal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The rows that were selected, and what came closest.
    pub rows: Observation<Content>,
    /// The thing that the selection names and that is not there, when it selected nothing because of it.
    pub missing: Option<Missing>,
    /// The place that Candor read: a folder of the sandbox, a database.
    #[serde(default)]
    pub place: String,
    /// When it was examined, in seconds since 1970: kept where a row says when it was or will be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<i64>,
}

/// Something that a selection names and that is not there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The resource; these there are.
    Resource(Vec<String>),
    /// A column, in no row of the resource; these there are.
    Column(String, Vec<String>),
}
