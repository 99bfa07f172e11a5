//! Searches, by the project's own search.

use candor_fhir_search::moment::Moment;
use candor_fhir_search::{Index, Search, SearchError};
use candor_json::{Value, json};

use crate::error::ApiError;
use crate::forms::pairs as form;
use crate::world::resources::FhirStore;

/// The most resources on one page.
const MOST: usize = 1000;
const USUAL: usize = 100;

pub(crate) fn answer(store: &FhirStore, kind: &str, pairs: &[(String, String)], base: &str) -> Result<Value, ApiError> {
    let mut conditions = Vec::new();
    let (mut count, mut offset, mut only_count) = (USUAL, 0, false);
    for (name, value) in pairs {
        let whole = || {
            let message = format!("`{name}`: expected a whole number.");
            value.parse::<usize>().map_err(|_| ApiError::bad_request("invalid_search", message))
        };
        match name.as_str() {
            "_count" => count = whole()?.min(MOST),
            "_offset" => offset = whole()?,
            "_format" | "_pretty" => {}
            name if name.starts_with("_include") || name.starts_with("_revinclude") => {
                let message = format!("`{name}` is not supported; search for the other resources, or read them.");
                return Err(ApiError::bad_request("unsupported_search", message));
            }
            "_summary" => {
                only_count = value == "count";
                conditions.push((name.as_str(), value.as_str()));
            }
            _ => conditions.push((name.as_str(), value.as_str())),
        }
    }
    only_count |= count == 0;
    let found = found(store, kind, &conditions)?;
    let total = found.len();
    let entry = |position: usize| {
        let one = store.at(position)?;
        let url = format!("{base}/{}/{}", one.kind, one.id);
        Some(json!({"fullUrl": url, "resource": one.value.as_deref()?, "search": {"mode": "match"}}))
    };
    let shown = if only_count { 0 } else { count };
    let entries: Vec<Value> = found.into_iter().skip(offset).take(shown).filter_map(entry).collect();
    let link = |relation: &str, offset: usize| {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let asked = pairs.iter().filter(|(name, _)| name != "_offset" && name != "_count");
        query.extend_pairs(asked);
        query.append_pair("_count", &count.to_string());
        if offset > 0 {
            query.append_pair("_offset", &offset.to_string());
        }
        json!({"relation": relation, "url": format!("{base}/{kind}?{}", query.finish())})
    };
    let mut links = vec![link("self", offset)];
    if !only_count && offset + entries.len() < total {
        links.push(link("next", offset + entries.len()));
    }
    if !only_count && offset > 0 {
        links.push(link("previous", offset.saturating_sub(count)));
    }
    let mut bundle = json!({"resourceType": "Bundle", "type": "searchset", "total": total, "link": links});
    if let Some(members) = bundle.as_object_mut().filter(|_| !entries.is_empty()) {
        members.insert("entry".to_owned(), Value::Array(entries));
    }
    Ok(bundle)
}

/// The positions of the resources that match the condition of a conditional create.
pub(crate) fn matching(store: &FhirStore, kind: &str, query: &str) -> Result<Vec<usize>, ApiError> {
    let query = query.split_once('?').map_or(query, |(_, query)| query);
    let pairs = form(query.as_bytes());
    let conditions: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    if conditions.is_empty() {
        return Err(ApiError::bad_request("invalid_search", "If-None-Exist: expected search parameters."));
    }
    found(store, kind, &conditions)
}

fn found(store: &FhirStore, kind: &str, conditions: &[(&str, &str)]) -> Result<Vec<usize>, ApiError> {
    let mut search =
        Search::compile(kind, conditions.iter().map(|(name, value)| (*name, [*value]))).map_err(refused)?;
    if let Some(now) = Moment::parse(&crate::ids::now()) {
        search.at(&now);
    }
    Ok(search.find(store, &Index::default()))
}

fn refused(error: SearchError) -> ApiError {
    ApiError::bad_request("invalid_search", format!("{error}."))
}
