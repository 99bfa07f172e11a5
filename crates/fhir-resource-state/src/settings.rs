//! The assertion, validated.

use candor_check::{Cardinality, Field, Match, NotYet};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::FhirResourceState;
use crate::path::FhirPath;
use crate::search::Search;

/// The members as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "members of later versions are there to be refused")]
pub(crate) struct Settings {
    resource_type: String,
    #[serde(default)]
    search: Map<String, Value>,
    #[serde(default)]
    fields: Vec<Field<FhirPath>>,
    #[serde(default, rename = "match")]
    matching: Match,
    #[serde(default)]
    count: Option<Cardinality>,
    #[serde(default)]
    allow_modifiers: bool,
    #[serde(default)]
    compartment: Option<String>,
    /// Waiting comes with live sources.
    #[serde(default)]
    within: NotYet,
    #[serde(default)]
    read: NotYet,
}

impl TryFrom<Settings> for FhirResourceState {
    type Error = String;

    fn try_from(settings: Settings) -> Result<Self, String> {
        let values = settings.search.iter().map(|(name, value)| Ok((name.as_str(), texts(name, value)?)));
        let parameters = values.collect::<Result<Vec<_>, String>>()?;
        let mut search = Search::compile(&settings.resource_type, parameters).map_err(|error| error.to_string())?;
        if let Some(compartment) = &settings.compartment {
            search.within_compartment(compartment).map_err(|error| error.to_string())?;
        }
        Ok(Self {
            search,
            fields: settings.fields,
            matching: settings.matching,
            count: settings.count,
            allow_modifiers: settings.allow_modifiers,
        })
    }
}

/// The values of a parameter: a string, or several in an array.
fn texts<'a>(name: &str, value: &'a Value) -> Result<Vec<&'a str>, String> {
    let wrong = || format!("search parameter `{name}` is {value}; expected a string, or an array of strings");
    match value {
        Value::String(text) => Ok(vec![text]),
        Value::Array(items) => items.iter().map(|item| item.as_str().ok_or_else(wrong)).collect(),
        _ => Err(wrong()),
    }
}
