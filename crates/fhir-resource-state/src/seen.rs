//! The observation: resources as they were found.

use candor_check::compare::References;
use candor_json::Value;
use serde::{Deserialize, Serialize};

use crate::resolved::Resolved;

/// The tag of a resource from which a server left elements out. Source: FHIR R4, Search, 3.1.1.5.9.
pub(crate) const SUBSETTED: &str = "SUBSETTED";

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

impl Content {
    pub(crate) fn is_subset(&self) -> bool {
        self.resource.get("meta").is_some_and(is_subset)
    }
}

/// Returns `true` if the tags of a `meta` say that elements are left out. Releases differ in the URL of the system.
pub(crate) fn is_subset(meta: &Value) -> bool {
    let mut tags = meta.get("tag").and_then(Value::as_array).into_iter().flatten();
    tags.any(|tag| {
        let text = |name: &str| tag.get(name).and_then(Value::as_str);
        text("code") == Some(SUBSETTED) && text("system").is_none_or(|system| system.ends_with("ObservationValue"))
    })
}
