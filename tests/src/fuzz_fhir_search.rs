//! The body of the fuzz target of `candor-fhir-search`: any text as a search over any resources.

use candor_fhir_resource_state::store::{Builder, Resource, Store};
use candor_fhir_search::Search;

/// Reads the first line as `Type?name=value&name=value` and the others as resources: a search is refused in a sentence or
/// answers, alike each time, and through the index as without it, one resource at a time; turned around by `:missing`
/// and `:not` it answers the opposite.
///
/// # Panics
/// When that does not hold.
pub fn fhir_search(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (query, resources) = text.split_once('\n').unwrap_or((text, ""));
    let (resource_type, query) = query.split_once('?').unwrap_or(("Patient", query));
    let parameters = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let parameters: Vec<(&str, [&str; 1])> = parameters.map(|(name, value)| (name, [value])).collect();
    let mut builder = Builder::default();
    builder.file("fhir/a.ndjson", resources.as_bytes());
    let store = builder.finish();
    let search = match Search::compile(resource_type, parameters.clone()) {
        Ok(search) => search,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let found = places(&store.find(&search));
    assert_eq!(found, places(&store.find(&search)));
    let of_type = store.of_type(resource_type).count();
    let nearest = store.nearest(&search);
    assert_eq!(nearest.is_some(), found.len() < of_type);
    if let Some((resource, nearest)) = nearest {
        assert!(!found.contains(&resource.span().start) && nearest.met < search.conditions().len());
    }
    if search.hangs_on_others() {
        return;
    }
    let mut alone = matching(&store, &search);
    let mut through = found.clone();
    alone.sort_unstable();
    through.sort_unstable();
    assert_eq!(alone, through);
    if let [(name, value)] = parameters.as_slice()
        && search.conditions().len() == 1
        && !name.contains([':', '.'])
    {
        let count = |name: String, value: &str| {
            Search::compile(resource_type, [(name.as_str(), [value])]).ok().map(|search| store.find(&search).len())
        };
        let missing = count(format!("{name}:missing"), "true").zip(count(format!("{name}:missing"), "false"));
        assert!(missing.is_none_or(|(missing, there)| missing + there == of_type));
        assert!(count(format!("{name}:not"), value[0]).is_none_or(|not| not + found.len() == of_type));
    }
}

fn places(resources: &[&Resource]) -> Vec<usize> {
    resources.iter().map(|resource| resource.span().start).collect()
}

fn matching(store: &Store, search: &Search) -> Vec<usize> {
    let all = store.of_type(search.resource_type());
    all.filter(|resource| search.matches(&store.subject(resource))).map(|resource| resource.span().start).collect()
}
