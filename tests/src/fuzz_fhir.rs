//! What the fuzz targets of `candor-fhir-resource-state` run: any bytes as files, any text as a search.

use candor_fhir_resource_state::store::Builder;
use candor_fhir_resource_state::unsafe_match::{Asserted, find};
use candor_fhir_search::{Names, Search, Subject};
use serde_json::Value;

/// Reads bytes as a file of each kind: a resource is the text at its span, nothing that is there is lost without a place,
/// and an unsafe element stands where its path says.
///
/// # Panics
/// When that does not hold.
pub fn fhir_store(data: &[u8]) {
    for name in ["fhir/a.json", "fhir/a.ndjson"] {
        let mut builder = Builder::default();
        builder.file(name, data);
        let store = builder.finish();
        let nothing = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data).trim_ascii().is_empty();
        if name == "fhir/a.ndjson" && nothing {
            assert!(store.resources().is_empty() && store.unreadable().is_empty());
        }
        for place in store.unreadable() {
            assert!(place.offset <= data.len() && place.line >= 1 && !place.what.is_empty());
        }
        for resource in store.resources() {
            let text = &data[resource.span.clone()];
            let read: Value = serde_json::from_slice(text).expect("the span of a resource is JSON");
            assert_eq!(&read, resource.value());
            assert_eq!(read["resourceType"], resource.resource_type);
            // A path does not tell a dot between two names from one in a name.
            let dotted = data.iter().any(|byte| matches!(byte, b'.' | b'\\'));
            if let Some(found) = find(resource.value(), &Asserted::default()).filter(|_| !dotted) {
                assert_eq!(at(resource.value(), &found.path), Some(found.value));
            }
        }
        for resource_type in ["Patient", "Appointment", "Observation"] {
            let all = Search::compile(resource_type, [("_sort", ["-_lastUpdated,_id"])]).expect("a search");
            assert_eq!(store.find(&all).len(), store.of_type(resource_type).count());
        }
    }
}

/// What stands at a dotted path.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

struct NoNames;

impl Names for NoNames {
    fn named(&self, _: &str, _: Option<usize>) -> Option<&str> {
        None
    }
}

/// Reads the first line as `Type?name=value&name=value` and the rest as a resource: a search is refused in a sentence or
/// answers, alike each time; turned around by `:missing` and `:not` it answers the opposite.
///
/// # Panics
/// When that does not hold.
pub fn fhir_search(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (query, resource) = text.split_once('\n').unwrap_or((text, "{}"));
    let (resource_type, query) = query.split_once('?').unwrap_or(("Patient", query));
    let parameters = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let parameters: Vec<(&str, [&str; 1])> = parameters.map(|(name, value)| (name, [value])).collect();
    let Ok(resource) = serde_json::from_str::<Value>(resource) else { return };
    let subject = Subject { value: &resource, base: Some("https://a.example/r4"), container: 0, names: &NoNames };
    let search = match Search::compile(resource_type, parameters.clone()) {
        Ok(search) => search,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let matches = search.matches(&subject);
    assert_eq!(matches, search.met(&subject) == search.conditions().len());
    assert_eq!(matches, search.first_unmet(&subject).is_none());
    if let [(name, value)] = parameters.as_slice()
        && search.conditions().len() == 1
        && !name.contains(':')
    {
        let holds = |name: String, value: &str| {
            Search::compile(resource_type, [(name.as_str(), [value])]).ok().map(|search| search.matches(&subject))
        };
        assert_ne!(holds(format!("{name}:missing"), "true"), holds(format!("{name}:missing"), "false"));
        if let Some(not) = holds(format!("{name}:not"), value[0]) {
            assert_ne!(not, matches);
        }
    }
}

/// Reads bytes as a server's answer: whatever it is has a name or is a page, whose resources are JSON objects that stand in
/// it, and whose next page is a URL.
///
/// # Panics
/// When that does not hold.
pub fn fhir_answer(data: &[u8]) {
    let base = "https://fhir.example.org/r4";
    for query in ["", "patient=Patient/1&status=booked&date=ge2026&date=lt2027"] {
        match candor_fhir_resource_state::live::read_answer(data, base, "Appointment", query) {
            Err(what) => assert!(!what.is_empty()),
            Ok(page) => {
                let text = std::str::from_utf8(data).expect("a page is text");
                for resource in &page.resources {
                    assert!(text.contains(resource.as_str()));
                    assert!(serde_json::from_str::<Value>(resource).is_ok());
                }
                assert!(page.next.is_none_or(|next| next.contains("://")));
                assert!(page.ignored.is_none_or(|name| query.contains(&name)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_fuzzing_starts_from_holds() {
        super::fhir_store(br#"{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"1","contact":[{"modifierExtension":[{"url":"x"}]}]}}]}"#);
        super::fhir_store(b"\xef\xbb\xbf{\"resourceType\":\"Patient\"}\r\n{]\r\n");
        super::fhir_search(b"Patient?family=smith\n{\"name\":[{\"family\":\"Smith\"}]}");
        super::fhir_search(b"Observation?subject=Patient/1&date=ge2026\n{\"subject\":{\"reference\":\"Patient/1\"}}");
        super::fhir_search(b"Observation?code=a|b\n{\"code\":{\"coding\":[{\"code\":\"b\"}]}}");
    }
}
