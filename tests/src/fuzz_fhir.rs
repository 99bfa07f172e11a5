//! The bodies of the fuzz targets of `candor-fhir-resource-state`: any bytes as files and as answers of a server.

use candor_check::explain::Form;
use candor_check::field::Location;
use candor_check::records::{Asserting, RecordRules};
use candor_check::sandbox::Environment;
use candor_fhir_resource_state::explain::explain;
use candor_fhir_resource_state::store::Builder;
use candor_fhir_resource_state::unsafe_match::{Asserted, find};
use candor_fhir_search::Search;
use candor_json::Value;

/// Reads bytes as a file of each kind: a resource is the text at its span, nothing that is there is lost without a place,
/// and an unsafe element is where its path says. Both forms of an explanation find the same faults.
///
/// # Panics
/// When that does not hold.
pub fn fhir_store(data: &[u8]) {
    let explained = [Form::Text, Form::Json].map(|form| explain(data, form, &mut std::io::sink()).expect("a sink"));
    assert_eq!(explained[0], explained[1]);
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
            let text = &data[resource.span()];
            let read: Value = candor_json::from_slice(text).expect("the span of a resource is JSON");
            assert_eq!(&read, resource.value());
            assert_eq!(read["resourceType"], *resource.resource_type);
            // A path does not tell a dot between two names from one in a name.
            let dotted = data.iter().any(|byte| matches!(byte, b'.' | b'\\'));
            let asserting = Asserting::new(false, RecordRules::default(), true, Environment::Production);
            let found = find(resource.value(), &Asserted::default(), &asserting, &Location::whole(name));
            if let Some(found) = found.filter(|_| !dotted) {
                assert_eq!(at(resource.value(), &found.result.path), Some(&found.result.actual));
            }
        }
        for resource_type in ["Patient", "Appointment", "Observation"] {
            let all = Search::compile(resource_type, [("_sort", ["-_lastUpdated,_id"])]).expect("a search");
            assert_eq!(store.find(&all).len(), store.of_type(resource_type).count());
        }
    }
}

/// The value at a dotted path.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        value => value.get(step),
    })
}

/// Reads bytes as a server's answer: it is a page or an error with a name. The resources of a page are JSON objects
/// that its bytes contain, and its next page is a URL.
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
                    assert!(candor_json::from_str::<Value>(resource).is_ok());
                }
                assert!(page.next.is_none_or(|next| next.contains("://")));
                assert!(page.ignored.is_none_or(|name| query.contains(&name)));
            }
        }
    }
}
