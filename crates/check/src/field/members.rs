//! The members of a field assertion as they are written.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A field assertion before it is validated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Members {
    pub path: Option<String>,
    pub fhirpath: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub expected: Option<Value>,
    pub op: Option<String>,
    pub quantifier: Option<String>,
    pub absent: Option<String>,
    pub using: Option<Vec<String>>,
    #[serde(rename = "as")]
    pub read_as: Option<String>,
    pub zone: Option<String>,
    #[serde(default, deserialize_with = "given")]
    pub weight: Option<Value>,
}

/// Tells a member that is null from one that is not there.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
