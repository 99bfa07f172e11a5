//! The assertion, validated.

use candor_check::{Cardinality, Field, Match, NotYet, Within};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::path::ColumnPath;
use crate::selection::{Condition, CorrelateBy, Wanted};

/// The members as they are written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "members of later versions are there to be refused")]
pub(crate) struct Settings {
    pub(crate) correlate_by: CorrelateBy,
    #[serde(default)]
    pub(crate) assertions: Vec<Field<ColumnPath>>,
    #[serde(default, rename = "match")]
    pub(crate) matching: Match,
    #[serde(default)]
    pub(crate) count: Option<Cardinality>,
    #[serde(default)]
    pub(crate) within: Option<Within>,
    /// No two rows alike in these columns.
    #[serde(default)]
    unique: NotYet,
    /// The order of a table of states.
    #[serde(default)]
    history: NotYet,
    /// States that must appear in order.
    #[serde(default)]
    sequence: NotYet,
    /// States that must not appear.
    #[serde(default)]
    never: NotYet,
    /// Words of a payer that mean the same.
    #[serde(default)]
    synonyms: NotYet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    resource: String,
    key: Option<String>,
    #[serde(default, deserialize_with = "given")]
    value: Option<Value>,
    #[serde(default, rename = "where")]
    conditions: Map<String, Value>,
}

/// Tells a member that is null from one that is not there.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for CorrelateBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members::deserialize(deserializer)?.validated().map_err(D::Error::custom)
    }
}

impl Members {
    fn validated(self) -> Result<CorrelateBy, String> {
        if self.resource.is_empty() {
            return Err("`resource` is empty; name a table or collection, as in `prior_auth_requests`".to_owned());
        }
        let key = match (self.key, self.value) {
            (None, Some(_)) => {
                return Err("`value` stands without `key`; name the column it is in as `key`".to_owned());
            }
            (None, None) => None,
            (Some(key), None) => Some((key, Wanted::NotNull)),
            (Some(key), Some(value)) => Some((key, Wanted::Value(value))),
        };
        let others = self.conditions.into_iter().map(|(column, value)| (column, Wanted::Value(value)));
        let conditions = key.into_iter().chain(others).map(|(column, wanted)| match column.is_empty() {
            true => Err("a column's name is empty; name a column of the resource".to_owned()),
            false => Ok(Condition { path: ColumnPath::column(&column), wanted }),
        });
        Ok(CorrelateBy { resource: self.resource, conditions: conditions.collect::<Result<_, _>>()? })
    }
}
