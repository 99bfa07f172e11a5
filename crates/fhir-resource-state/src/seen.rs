//! The observation: resources as they were found.

use candor_check::compare::References;
use candor_json::Value;
use serde::{Deserialize, Serialize};

use crate::resolved::Resolved;

/// Which resource of several states this is one of, where nothing tells which state is the latest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The resource: `Task/t1`.
    pub of: String,
    /// How many states there are, those that the search leaves out included.
    pub number: usize,
}

/// A resource as found, with what its references resolve to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// The resource.
    pub resource: Value,
    /// The base of its relative references, and what the `urn:uuid`s in it or in the assertion represent.
    pub references: References,
    /// The targets of references that FHIRPath expressions resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resolved: Vec<Resolved>,
    /// True if such a reference led nowhere and may be to something that could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Where the resource is there in several states, which one this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// A contradiction of a concept in the search: the parameter, and the form that says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<(String, String)>,
}
