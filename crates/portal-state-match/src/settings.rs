//! The assertion, validated.

use candor_check::Within;
use candor_check::field::FieldEntry;
use candor_check::records::Match;
use candor_check::settings::Cardinality;
use candor_json::{Map, Value};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::history::{HistorySettings, WrittenHistory, WrittenStates};
use crate::path::ColumnPath;
use crate::selection::{Condition, CorrelateBy, Wanted, text_rules};
use crate::synonyms::Synonyms;
use crate::unique::Unique;

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) struct Settings {
    pub(crate) correlate_by: CorrelateBy,
    pub(crate) assertions: Vec<FieldEntry<ColumnPath>>,
    pub(crate) matching: Match,
    pub(crate) count: Option<Cardinality>,
    pub(crate) within: Option<Within>,
    pub(crate) allow_modifiers: bool,
    pub(crate) unique: Option<Unique>,
    pub(crate) history: Option<HistorySettings>,
    pub(crate) synonyms: Synonyms,
}

/// The columns that an entry reads: the items of a group lie in the column of the group.
fn columns_of(entry: &FieldEntry<ColumnPath>) -> Vec<&ColumnPath> {
    match entry {
        FieldEntry::Field(field) => vec![&field.path],
        FieldEntry::Group(group) => vec![&group.item],
        FieldEntry::OneOf(one) => one.lists.iter().flatten().flat_map(columns_of).collect(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    correlate_by: CorrelateBy,
    #[serde(default)]
    assertions: Vec<FieldEntry<ColumnPath>>,
    #[serde(default, rename = "match")]
    matching: Match,
    count: Option<Cardinality>,
    within: Option<Within>,
    #[serde(default)]
    allow_modifiers: bool,
    unique: Option<Unique>,
    history: Option<WrittenHistory>,
    sequence: Option<WrittenStates>,
    never: Option<WrittenStates>,
    #[serde(default)]
    synonyms: Synonyms,
    short_rows: Option<ShortRows>,
}

/// The treatment of rows of CSV that end before a column that is read.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ShortRows {
    /// Missing cells are absent.
    Allow,
}

impl TryFrom<Written> for Settings {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let mut correlate_by = written.correlate_by;
        let history = match written.history {
            Some(history) => Some(history.with(written.sequence, written.never, &correlate_by)?),
            None => {
                let alone = [("sequence", written.sequence.is_some()), ("never", written.never.is_some())];
                if let Some((name, _)) = alone.iter().find(|(_, there)| *there) {
                    return Err(format!(
                        "`{name}` needs `history`, which says how rows are ordered: history: {{order_by, key}}"
                    ));
                }
                None
            }
        };
        for condition in &mut correlate_by.conditions {
            condition.with_synonyms(&written.synonyms);
        }
        let columns = history.iter().flat_map(HistorySettings::columns);
        let columns = columns.chain(written.unique.iter().flat_map(|unique| &unique.columns));
        correlate_by.needed = columns.cloned().collect();
        let read = written.assertions.iter().flat_map(columns_of).chain(&correlate_by.needed).cloned();
        correlate_by.asserted = read.collect();
        correlate_by.short_rows = matches!(written.short_rows, Some(ShortRows::Allow));
        let absence = written.count.is_some_and(|count| count.allows(0))
            || written.unique.is_some()
            || history.as_ref().is_some_and(|history| history.never.is_some());
        correlate_by.bounded = absence || written.count.is_some_and(|count| !count.allows(u64::MAX));
        Ok(Self {
            correlate_by,
            assertions: written.assertions,
            matching: written.matching,
            count: written.count,
            allow_modifiers: written.allow_modifiers,
            within: written.within.map(|within| within.to_the_end(absence)),
            unique: written.unique,
            history,
            synonyms: written.synonyms,
        })
    }
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
    #[serde(default)]
    using: Vec<String>,
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
                return Err("`value` needs `key`; name the column it is in as `key`".to_owned());
            }
            (None, None) => None,
            (Some(key), None) => Some((key, Wanted::NotNull)),
            (Some(key), Some(value)) => Some((key, Wanted::Value(value))),
        };
        let (rules, has_key) = (text_rules(&self.using)?, key.is_some());
        let others = self.conditions.into_iter().map(|(column, value)| (column, Wanted::Value(value)));
        let conditions = key.into_iter().chain(others).map(|(column, wanted)| match column.is_empty() {
            true => Err("a column's name is empty; name a column of the resource".to_owned()),
            false => Ok(Condition::new(ColumnPath::column(&column), wanted, rules.clone())),
        });
        let conditions = conditions.collect::<Result<_, String>>()?;
        Ok(CorrelateBy {
            resource: self.resource,
            conditions,
            has_key,
            needed: Vec::new(),
            asserted: Vec::new(),
            short_rows: false,
            bounded: false,
        })
    }
}
