//! The effect of a sequence of requests, held against a store that is written down plainly.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::collections::{BTreeMap, BTreeSet};

use candor_fhir_resource_state::store::Builder;
use candor_json::{Value, json};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Request {
    Put(&'static str, u8),
    Delete(&'static str),
    Post(u8),
    Patch(&'static str),
}

fn request() -> impl Strategy<Value = Request> {
    let id = || prop::sample::select(vec!["a", "b", "c"]);
    prop_oneof![
        (id(), any::<u8>()).prop_map(|(id, priority)| Request::Put(id, priority)),
        id().prop_map(Request::Delete),
        any::<u8>().prop_map(Request::Post),
        id().prop_map(Request::Patch),
    ]
}

fn entry(request: &Request) -> Value {
    match request {
        Request::Put(id, priority) => json!({
            "resource": {"resourceType": "Appointment", "id": id, "priority": priority},
            "request": {"method": "PUT", "url": format!("Appointment/{id}")},
        }),
        Request::Delete(id) => json!({"request": {"method": "DELETE", "url": format!("Appointment/{id}")}}),
        Request::Patch(id) => json!({
            "resource": {"resourceType": "Binary"}, "request": {"method": "PATCH", "url": format!("Appointment/{id}")},
        }),
        Request::Post(priority) => json!({
            "resource": {"resourceType": "Appointment", "priority": priority},
            "request": {"method": "POST", "url": "Appointment"},
        }),
    }
}

/// The appointments that are there, and those of which it is unknown what they hold.
fn held(files: &[(String, Value)]) -> (Vec<(String, u64)>, BTreeSet<String>) {
    let mut builder = Builder::default();
    for (name, file) in files {
        builder.file(name, file.to_string().as_bytes());
    }
    let store = builder.finish();
    let mut held: Vec<(String, u64)> = store
        .of_type("Appointment")
        .map(|one| (one.id.clone().unwrap_or_default(), one.value()["priority"].as_u64().unwrap()))
        .collect();
    held.sort();
    let unknown = store.unreadable().iter().map(|place| place.about.as_ref().unwrap().id.clone().unwrap()).collect();
    (held, unknown)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(256)))]

    #[test]
    fn requests_are_applied_in_order(bundles in prop::collection::vec(prop::collection::vec(request(), 0..6), 1..4)) {
        let mut there = BTreeMap::new();
        let mut posted = Vec::new();
        for request in bundles.iter().flatten() {
            match request {
                Request::Put(id, priority) => drop(there.insert((*id).to_owned(), Some(u64::from(*priority)))),
                Request::Delete(id) => drop(there.remove(*id)),
                Request::Post(priority) => posted.push((String::new(), u64::from(*priority))),
                Request::Patch(id) => drop(there.insert((*id).to_owned(), None)),
            }
        }
        let unknown: BTreeSet<String> = there.iter().filter(|(_, held)| held.is_none()).map(|(id, _)| id.clone()).collect();
        let there = there.into_iter().filter_map(|(id, held)| Some((id, held?)));
        let mut expected: Vec<(String, u64)> = there.chain(posted).collect();
        expected.sort();
        let bundle = |requests: &Vec<Request>| json!({"resourceType": "Bundle", "type": "batch", "entry": requests.iter().map(entry).collect::<Vec<_>>()});
        let files: Vec<(String, Value)> =
            bundles.iter().enumerate().map(|(at, requests)| (format!("{at}.json"), bundle(requests))).collect();
        prop_assert_eq!(held(&files), (expected, unknown));
    }

    #[test]
    fn pages_are_whole_only_when_all_of_them_are_there(count in 1..6_usize, missing in 0..6_usize, links in any::<bool>()) {
        let url = |at: usize| format!("https://ehr.example/r4/Task?page={at}");
        let page = |at: usize| {
            let mut link = vec![json!({"relation": "self", "url": url(at)})];
            if at + 1 < count {
                link.push(json!({"relation": "next", "url": url(at + 1)}));
            }
            json!({
                "resourceType": "Bundle", "type": "searchset", "total": count, "link": if links { link } else { Vec::new() },
                "entry": [{"resource": {"resourceType": "Task", "id": at.to_string()}}],
            })
        };
        let mut builder = Builder::default();
        for at in (0..count).filter(|at| *at != missing) {
            builder.file(&format!("{at}.json"), page(at).to_string().as_bytes());
        }
        let store = builder.finish();
        prop_assert_eq!(store.unreadable().is_empty(), links && missing >= count || count == 1);
    }
}
