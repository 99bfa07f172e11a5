//! Parameters that say how a server is to answer, and those that only a server can answer.

use crate::table::{self, Kind};
use crate::{SearchError, types};

/// Names that are in no table, for suggestions.
pub(crate) const OTHERS: &[&str] = &[
    "_contained",
    "_content",
    "_count",
    "_elements",
    "_filter",
    "_has",
    "_include",
    "_list",
    "_revinclude",
    "_sort",
    "_summary",
    "_text",
    "_total",
    "_type",
];

/// Why a folder cannot answer a parameter that is there for servers.
pub(crate) fn needs_a_server(code: &str) -> Option<&'static str> {
    match code {
        "_query" => Some("what a named query means only the server knows that defines it"),
        "_containedType" => Some("contained resources are not candidates"),
        "_score" => Some("how well a resource fits is not measured"),
        "_format" | "_pretty" => {
            Some("it is about how an answer is written, and says nothing of which resources there are")
        }
        _ => None,
    }
}

/// True if a parameter does not change which resources are found.
///
/// # Errors
/// A parameter that would change it, or a value that the parameter cannot have.
pub(crate) fn is_without_effect(resource_type: &str, name: &str, value: &str) -> Result<bool, SearchError> {
    let wrong = |problem: String| Err(SearchError::value(name, value, problem));
    let (code, modifier) = match name.split_once(':') {
        Some((code, modifier)) => (code, Some(modifier)),
        None => (name, None),
    };
    let known = |known: &[&str]| known.contains(&value);
    match (code, modifier) {
        ("_count", None) if value.parse::<u64>().is_err() => {
            return wrong("it is not a number of resources".to_owned());
        }
        ("_summary", None) if !known(&["true", "false", "text", "data", "count"]) => {
            return wrong("it is one of `true`, `false`, `text`, `data`, `count`".to_owned());
        }
        ("_total", None) if !known(&["none", "estimate", "accurate"]) => {
            return wrong("it is one of `none`, `estimate`, `accurate`".to_owned());
        }
        ("_contained", None) if !known(&["false"]) => {
            return wrong("contained resources are not candidates here, so it can only be `false`".to_owned());
        }
        ("_type", None) if !value.split(',').any(|name| name == resource_type) => {
            return wrong(format!("candidates are resources of the type {resource_type}"));
        }
        ("_type", None) => {
            if let Some(unknown) = value.split(',').find(|name| !types::is_resource(name)) {
                let nearest = types::nearest(unknown, types::resources());
                return Err(SearchError::UnknownResourceType { name: unknown.to_owned(), nearest });
            }
        }
        ("_elements", None) if value.split(',').any(|name| name.trim().is_empty()) => {
            return wrong("one of its names is empty".to_owned());
        }
        ("_include" | "_revinclude", None | Some("iterate" | "recurse")) => included(name, value)?,
        ("_count" | "_summary" | "_total" | "_contained" | "_elements", None) => {}
        _ => return Ok(false),
    }
    Ok(true)
}

/// `Type:parameter[:Type]`, `Type:*` or `*`. Source: FHIR R4, Search, 3.1.1.5.4.
fn included(name: &str, value: &str) -> Result<(), SearchError> {
    let wrong = |problem: &str| Err(SearchError::value(name, value, problem.to_owned()));
    if value == "*" {
        return Ok(());
    }
    let parts: Vec<&str> = value.split(':').collect();
    let (source, code, target) = match parts.as_slice() {
        [source, code] => (source, code, None),
        [source, code, target] => (source, code, Some(target)),
        _ => return wrong("it is written `Type:parameter` or `Type:parameter:Type`"),
    };
    if let Some(unknown) = [Some(source), target].into_iter().flatten().find(|name| !types::is_resource(name)) {
        let nearest = types::nearest(unknown, types::resources());
        return Err(SearchError::UnknownResourceType { name: (*unknown).to_owned(), nearest });
    }
    if *code == "*" {
        return Ok(());
    }
    match table::find(source, code) {
        Some(parameter) if parameter.kind == Kind::Reference => Ok(()),
        Some(_) => wrong("only reference parameters can be included"),
        None => {
            let known = table::parameters(source).filter(|parameter| parameter.kind == Kind::Reference);
            Err(SearchError::UnknownParameter {
                resource_type: (*source).to_owned(),
                name: (*code).to_owned(),
                nearest: types::nearest(code, known.map(|parameter| parameter.code)),
            })
        }
    }
}
