//! The assertion, validated.

use candor_check::Within;
use candor_check::field::{Expected, FieldEntry, FieldPath as _};
use candor_check::records::Match;
use candor_check::settings::Cardinality;
use candor_json::{Map, Value};
use serde::Deserialize;

use crate::concepts::SearchedConcept;
use crate::definitions;
use crate::dosage::Dosage;
use crate::live::Told;
use crate::path::FhirPath;
use crate::search::Search;
use crate::search::literal::is_id;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    resource_type: String,
    #[serde(default)]
    search: Map<String, Value>,
    #[serde(default)]
    fields: Vec<FieldEntry<FhirPath>>,
    #[serde(default, rename = "match")]
    matching: Match,
    count: Option<Cardinality>,
    #[serde(default)]
    allow_modifiers: bool,
    #[serde(default)]
    retracted: Retracted,
    compartment: Option<String>,
    within: Option<Within>,
    read: Option<Read>,
}

/// Says if a resource that was entered in error counts where there must be none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Retracted {
    #[default]
    Count,
    Ignore,
}

/// `read: {id}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    id: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Members")]
pub(crate) struct Settings {
    pub(crate) search: Search,
    pub(crate) fields: Vec<FieldEntry<FhirPath>>,
    pub(crate) matching: Match,
    pub(crate) count: Option<Cardinality>,
    pub(crate) allow_modifiers: bool,
    pub(crate) retracted: Retracted,
    pub(crate) read: Option<String>,
    pub(crate) told: Told,
    pub(crate) within: Option<Within>,
    pub(crate) concepts: Vec<SearchedConcept>,
}

impl TryFrom<Members> for Settings {
    type Error = String;

    fn try_from(mut settings: Members) -> Result<Self, String> {
        let concepts = SearchedConcept::taken_from(&settings.resource_type, &mut settings.search)?;
        place_dosages(&settings.resource_type, &mut settings.fields)?;
        let values = settings.search.iter().map(|(name, value)| Ok((name.as_str(), texts(name, value)?)));
        let parameters = values.collect::<Result<Vec<_>, String>>()?;
        let mut search =
            Search::compile(&settings.resource_type, parameters.clone()).map_err(|error| error.to_string())?;
        if let Some(compartment) = &settings.compartment {
            search.within_compartment(compartment).map_err(|error| error.to_string())?;
        }
        let read = match settings.read {
            None => None,
            Some(_) if !settings.search.is_empty() || !concepts.is_empty() || settings.compartment.is_some() => {
                return Err("`read` asks for one resource, `search` and `compartment` for several; keep one".to_owned());
            }
            Some(Read { id }) if is_id(&id) => Some(id),
            Some(Read { id }) => {
                return Err(format!("`read`: {id:?} is not an id; expected one as in {{ id: \"a1\" }}"));
            }
        };
        definitions::check_all(&settings.resource_type, &settings.fields)?;
        let absence = settings.count.is_some_and(|count| count.allows(0));
        Ok(Self {
            read,
            told: Told { result: result(&parameters), compartment: settings.compartment },
            within: settings.within.map(|within| within.to_the_end(absence)),
            search,
            fields: settings.fields,
            matching: settings.matching,
            count: settings.count,
            allow_modifiers: settings.allow_modifiers,
            retracted: settings.retracted,
            concepts,
        })
    }
}

/// Gives each `dosage` without a path the element in which resources of the type have theirs.
fn place_dosages(resource_type: &str, entries: &mut [FieldEntry<FhirPath>]) -> Result<(), String> {
    for entry in entries {
        match entry {
            FieldEntry::Field(field) => {
                let is_dosage = matches!(&field.expected, Expected::Meaning(meaning) if meaning.member() == "dosage");
                if !is_dosage || field.path_text != "dosage" {
                    continue;
                }
                let Some(path) = Dosage::path_of(resource_type) else {
                    return Err(format!(
                        "`dosage`: {resource_type} has no dosage; MedicationRequest, MedicationDispense, MedicationStatement \
                         and MedicationAdministration have one"
                    ));
                };
                field.path = FhirPath::parse(path).map_err(|problem| problem.message)?;
                path.clone_into(&mut field.path_text);
            }
            FieldEntry::OneOf(one) => {
                one.lists.iter_mut().try_for_each(|list| place_dosages(resource_type, list))?;
            }
            FieldEntry::Group(_) => {}
        }
    }
    Ok(())
}

/// The parameters for a server in addition to the conditions. `_count` is the length of a page, and a length of 0 would
/// leave no page at all.
fn result(parameters: &[(&str, Vec<&str>)]) -> Vec<(String, String)> {
    let told = |name: &str, value: &str| name == "_sort" || name == "_count" && value.parse().is_ok_and(|n: u64| n > 0);
    let all = parameters.iter().flat_map(|(name, values)| values.iter().map(move |value| (*name, *value)));
    all.filter(|(name, value)| told(name, value)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
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
