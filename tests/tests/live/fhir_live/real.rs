//! The conformance vectors on an independent FHIR server: what holds in a folder holds there.
//!
//! A vector runs when its folder is nothing but resources that a server can hold as they are: each with an id of its own,
//! once, with no identity that only a file gives it. If the server answers a search otherwise than the standard does,
//! the vector is listed in `peers/fhir_differences.txt` with its result and the reason.

use std::collections::BTreeMap;
use std::path::Path;

use candor_check_testkit::{Vector, read_vectors};
use candor_fhir_resource_state::CHECK;
use candor_fhir_resource_state::store::{Builder, Resource, Versions};
use candor_tests::http::{self, Request};
use candor_tests::peer::fhir_server;

use crate::fhir_live::grade::on;

fn vectors() -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conformance/fhir-resource-state");
    read_vectors(&folder).into_iter().map(|(_, vector)| vector).collect()
}

/// The resources of a vector's folder, where a server can hold them.
fn resources(vector: &Vector) -> Option<Vec<Resource>> {
    CHECK.bind(vector.assertion.clone()).ok()?;
    // A folder is not waited for, a server is.
    if vector.assertion.get("within").is_some() {
        return None;
    }
    if vector.files.is_empty() || vector.files.keys().any(|name| !name.starts_with("fhir/") || name.ends_with(".gz")) {
        return None;
    }
    let root = tempfile::tempdir().unwrap();
    vector.write_sandbox(root.path());
    let mut builder = Builder::default();
    for name in vector.files.keys().filter(|name| name.ends_with("json")) {
        builder.file(name, std::fs::read(root.path().join(name)).ok()?);
    }
    let store = builder.finish();
    let plain = |one: &Resource| one.id.is_some() && one.full_url().is_none() && one.versions == Versions::Single;
    (store.unreadable().is_empty() && store.resources().iter().all(plain)).then(|| store.resources().to_vec())
}

/// Puts a resource into a store of the server's; the status.
pub(crate) fn put(store: &str, resource: &candor_json::Value) -> u16 {
    let member = |name: &str| resource[name].as_str().unwrap();
    let request = Request {
        method: "PUT".to_owned(),
        target: format!("/{store}/{}/{}", member("resourceType"), member("id")),
        headers: vec![
            ("host".to_owned(), fhir_server().to_owned()),
            ("content-type".to_owned(), "application/fhir+json".to_owned()),
        ],
        body: resource.to_string().into_bytes(),
    };
    http::ask(fhir_server(), &request).status
}

#[test]
fn what_holds_in_a_folder_holds_on_a_server() {
    let file = include_str!("../../../peers/fhir_differences.txt");
    let mut known: BTreeMap<&str, &str> = file.lines().map(|line| line.split_once(' ').unwrap()).collect();
    let reasons = include_str!("../../../peers/fhir_differences.md");
    let (mut ran, mut wrong) = (BTreeMap::<String, u32>::new(), Vec::new());
    for vector in vectors() {
        let Some(resources) = resources(&vector) else { continue };
        let refused = resources.iter().map(|one| put(&vector.id, one.value())).find(|status| *status >= 300);
        let found = match refused {
            Some(status) => format!("not stored: {status}"),
            None => on(&format!("http://{}/{}", fhir_server(), vector.id), vector.assertion.clone()).outcome(),
        };
        let expected = match &vector.expected.reason {
            Some(reason) => format!("{} {reason}", vector.expected.status),
            None => vector.expected.status.clone(),
        };
        *ran.entry(vector.expected.status.clone()).or_default() += 1;
        let line = known.remove(vector.id.as_str());
        let explained =
            line.and_then(|line| line.split_once(": ")).filter(|(_, kind)| reasons.contains(&format!("`{kind}`")));
        match explained {
            Some((outcome, _)) if outcome == found && found != expected => {}
            None if found == expected => {}
            _ => wrong.push(format!("{} {found}, expected {expected} (known: {line:?})", vector.id)),
        }
    }
    wrong.extend(known.iter().map(|(id, line)| format!("{id} {line} is known as a difference and did not run")));
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    println!("{ran:?}");
    assert!(ran.values().sum::<u32>() >= 100 && ran["passed"] >= 40 && ran["failed"] >= 35, "{ran:?}");
}
