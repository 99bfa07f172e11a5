//! Concepts behind references and choices of types, for fields and for searches.

use candor_check::meaning::{Concept, Meaning as _, Understanding, Understood};
use candor_fhirpath::Resolver;
use candor_json::{Map, Value, json};

use crate::search::{Search, Subject};

/// The values of an element, each reference replaced by what the resource that it leads to is about.
pub(crate) struct Meant {
    pub(crate) values: Vec<Value>,
    /// A reference that led nowhere, so that nothing is known of what it means.
    pub(crate) unresolved: Option<String>,
}

/// Follows the references among elements of `resource`.
pub(crate) fn meant<'v>(elements: impl Iterator<Item = &'v Value>, resource: &Value, resolver: &dyn Resolver) -> Meant {
    let mut meant = Meant { values: Vec::new(), unresolved: None };
    let one_by_one = elements.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
    for value in one_by_one {
        let Some(reference) = reference_of(value) else {
            meant.values.push(value.clone());
            continue;
        };
        let target = match reference.strip_prefix('#') {
            Some(id) => contained(resource, id),
            None => resolver.resolve(reference, resource).or_else(|| {
                let (current, _) = reference.split_once("/_history/")?;
                resolver.resolve(current, resource)
            }),
        };
        let display = value.get("display").or_else(|| value.get("reference")?.get("display"));
        match (target.and_then(|target| target.get("code")), display) {
            (Some(code), _) => meant.values.push(code.clone()),
            (None, display) => {
                meant.unresolved.get_or_insert_with(|| reference.to_owned());
                meant.values.extend(display.map(|text| json!({"text": text})));
            }
        }
    }
    meant
}

/// The reference that an element is, where it has no concept of its own: a Reference, or a CodeableReference.
fn reference_of(value: &Value) -> Option<&str> {
    let members = value.as_object()?;
    if members.contains_key("coding") || members.contains_key("concept") {
        return None;
    }
    match members.get("reference")? {
        Value::String(text) => Some(text),
        reference => reference.get("reference")?.as_str(),
    }
}

fn contained<'r>(resource: &'r Value, id: &str) -> Option<&'r Value> {
    let all = resource.get("contained").and_then(Value::as_array).into_iter().flatten();
    all.into_iter().find(|one| one.get("id").and_then(Value::as_str) == Some(id))
}

/// The elements of a choice by its name without a type: `medication` of `medicationReference`.
pub(crate) fn choices<'r>(resource: &'r Value, name: &str) -> Vec<&'r Value> {
    let is_one =
        |key: &str| key.strip_prefix(name).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let members = resource.as_object().into_iter().flatten();
    members.filter(|(key, _)| is_one(key)).map(|(_, value)| value).collect()
}

pub(crate) fn follow<'v>(elements: impl Iterator<Item = &'v Value>, resource: &Value, resolver: &dyn Resolver) {
    let _ = meant(elements, resource, resolver);
}

#[derive(Clone, Debug)]
pub(crate) struct SearchedConcept {
    pub(crate) name: String,
    pub(crate) concept: Concept,
    pub(crate) written: Value,
    elements: Search,
}

impl SearchedConcept {
    /// The concepts among the values of `search`; the others stay.
    ///
    /// # Errors
    /// A malformed concept, or a parameter that the type does not have.
    pub(crate) fn taken_from(resource_type: &str, search: &mut Map<String, Value>) -> Result<Vec<Self>, String> {
        let mut taken = Vec::new();
        let named: Vec<String> =
            search.iter().filter(|(_, value)| value.is_object()).map(|(name, _)| name.clone()).collect();
        for name in named {
            let Some(written) = search.remove(&name) else { continue };
            let concept = match written.as_object().map(|members| (members.len(), members.get("concept"))) {
                Some((1, Some(concept))) => {
                    Concept::read(concept).map_err(|error| format!("search parameter `{name}`: {error}"))?
                }
                _ => {
                    return Err(format!(
                        "search parameter `{name}` is {written}; expected a string, an array of strings, or {{concept: …}}"
                    ));
                }
            };
            let parameter = format!("{name}:missing");
            let elements = Search::compile(resource_type, [(parameter.as_str(), ["false"])])
                .map_err(|error| error.to_string().replace(":missing", ""))?;
            taken.push(Self { name, concept, written, elements });
        }
        Ok(taken)
    }

    pub(crate) fn understood(&self, subject: &Subject<'_>, resolver: &dyn Resolver) -> (Understood, Option<String>) {
        // The parameter `code` of orders of drugs is of one type of `medication[x]`; what is meant is in either.
        let medications = if self.name == "code" { choices(subject.value, "medication") } else { Vec::new() };
        let elements = if medications.is_empty() { self.elements.elements(subject) } else { medications };
        let Meant { values, unresolved } = meant(elements.into_iter(), subject.value, resolver);
        let understood = self.concept.understood(&values);
        let hangs = understood.state != Understanding::Holds;
        (understood, unresolved.filter(|_| hangs))
    }
}
