//! The members `history`, `sequence` and `never`, validated together.

use candor_check::compare::{CompareAs, Rule};
use candor_check::settings::one_of;
use candor_json::{Map, Value};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::path::ColumnPath;
use crate::selection::CorrelateBy;

/// The most states that `sequence` or `never` may list.
const MOST_STATES: usize = 100;

/// The column of a row's state, where none is named.
const STATE: &str = "status";

#[derive(Clone, Debug)]
pub(crate) struct HistorySettings {
    pub(crate) order_by: ColumnPath,
    pub(crate) order_as: Option<CompareAs>,
    pub(crate) key: Vec<ColumnPath>,
    /// By which rules two keys are one: those of `correlate_by.using`, where the key is its.
    pub(crate) rules: Vec<Rule>,
    pub(crate) sequence: Option<States>,
    pub(crate) never: Option<States>,
}

#[derive(Clone, Debug)]
pub(crate) struct States {
    pub(crate) column: ColumnPath,
    pub(crate) values: Vec<Value>,
}

/// `history: {order_by, key, state}` as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenHistory {
    order_by: OrderBy,
    key: Option<Columns>,
    state: Option<ColumnPath>,
}

/// A column, or `{path, as}`.
#[derive(Clone, Debug)]
struct OrderBy {
    column: ColumnPath,
    read_as: Option<CompareAs>,
}

#[derive(Clone, Debug)]
pub(crate) struct Columns(pub(crate) Vec<ColumnPath>);

/// A list of states, or `{path, values}`.
#[derive(Clone, Debug)]
pub(crate) struct WrittenStates {
    column: Option<ColumnPath>,
    values: Vec<Value>,
}

impl WrittenHistory {
    /// Puts the three members together.
    ///
    /// # Errors
    /// A sentence, where they do not go together.
    pub(crate) fn with(
        self,
        sequence: Option<WrittenStates>,
        never: Option<WrittenStates>,
        correlate_by: &CorrelateBy,
    ) -> Result<HistorySettings, String> {
        let of_key = || correlate_by.key().map(|key| vec![key.clone()]);
        let key = self.key.map(|columns| columns.0).or_else(of_key).ok_or(
            "`history` has no `key`; name the column that the rows of one history have in common, as in `request_id`",
        )?;
        if self.state.is_some() && sequence.is_none() && never.is_none() {
            return Err("`history.state` goes with `sequence` or `never`, and neither is there".to_owned());
        }
        let state = self.state.unwrap_or_else(|| ColumnPath::column(STATE));
        let states = |written: WrittenStates| States {
            column: written.column.unwrap_or_else(|| state.clone()),
            values: written.values,
        };
        let names = |path: &ColumnPath| path.as_str().to_owned();
        let is_correlated = key.len() == 1 && key.first().map(names) == correlate_by.key().map(names);
        let rules = if is_correlated { correlate_by.rules().to_vec() } else { Vec::new() };
        Ok(HistorySettings {
            rules,
            order_by: self.order_by.column,
            order_as: self.order_by.read_as,
            key,
            sequence: sequence.map(states),
            never: never.map(states),
        })
    }
}

impl HistorySettings {
    pub(crate) fn columns(&self) -> impl Iterator<Item = &ColumnPath> {
        let states = self.sequence.iter().chain(&self.never).map(|states| &states.column);
        self.key.iter().chain([&self.order_by]).chain(states)
    }
}

impl<'de> Deserialize<'de> for ColumnPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)? {
            name if name.is_empty() => Err(D::Error::custom("a column's name is empty; name a column of the resource")),
            name => Ok(Self::column(&name)),
        }
    }
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let one = |value: Value| ColumnPath::deserialize(value).map_err(D::Error::custom);
        let columns = match Value::deserialize(deserializer)? {
            Value::Array(names) => names.into_iter().map(one).collect::<Result<Vec<_>, _>>()?,
            name => vec![one(name)?],
        };
        match columns.is_empty() {
            true => Err(D::Error::custom("no column is named; name one or several, as in [\"member_id\", \"cpt\"]")),
            false => Ok(Self(columns)),
        }
    }
}

const KINDS: &[(&str, CompareAs)] =
    &[("number", CompareAs::Number), ("date", CompareAs::Date), ("string", CompareAs::String)];

impl<'de> Deserialize<'de> for OrderBy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            path: ColumnPath,
            #[serde(default, rename = "as")]
            read_as: Option<String>,
        }
        match Value::deserialize(deserializer)? {
            Value::Object(members) => {
                let written = Written::deserialize(Value::Object(members)).map_err(D::Error::custom)?;
                let read_as = written.read_as.map(|name| one_of("`as`", &name, KINDS)).transpose();
                Ok(Self { column: written.path, read_as: read_as.map_err(D::Error::custom)? })
            }
            name => {
                let column = ColumnPath::deserialize(name).map_err(D::Error::custom)?;
                Ok(Self { column, read_as: None })
            }
        }
    }
}

impl<'de> Deserialize<'de> for WrittenStates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(deserializer)?;
        states(written).map_err(D::Error::custom)
    }
}

fn states(written: Value) -> Result<WrittenStates, String> {
    let (column, values) = match written {
        Value::Array(values) => (None, values),
        Value::Object(members) => of_members(members)?,
        other => return Err(format!("{other} is not a list of states; expected [\"draft\", …] or {{path, values}}")),
    };
    if let Some(wrong) = values.iter().find(|value| !value.is_string() && !value.is_number() && !value.is_boolean()) {
        return Err(format!("{wrong} is not a state; expected text, a number or a truth value"));
    }
    match values.len() {
        0 => Err("the list of states is empty".to_owned()),
        n if n > MOST_STATES => Err(format!("{n} states are listed; at most {MOST_STATES} may be")),
        _ => Ok(WrittenStates { column, values }),
    }
}

fn of_members(members: Map<String, Value>) -> Result<(Option<ColumnPath>, Vec<Value>), String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Members {
        path: ColumnPath,
        values: Vec<Value>,
    }
    let members = Members::deserialize(Value::Object(members)).map_err(|error| error.to_string())?;
    Ok((Some(members.path), members.values))
}
