//! Resources in memory, as the tests search them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers outside of test functions may panic too")]
#![allow(dead_code, reason = "not every test uses all of it")]

use std::collections::BTreeMap;
use std::path::Path;

use candor_fhir_search::{Index, Names, Resources, Search, Subject};
use candor_json::Value;

/// A list of resources without bases and names.
#[derive(Default)]
pub(crate) struct Shelf {
    pub resources: Vec<Value>,
    by_type: BTreeMap<String, Vec<usize>>,
}

impl Shelf {
    pub(crate) fn new(resources: impl IntoIterator<Item = Value>) -> Self {
        let mut shelf = Self::default();
        for resource in resources {
            let name = resource["resourceType"].as_str().unwrap_or_default().to_owned();
            shelf.by_type.entry(name).or_default().push(shelf.resources.len());
            shelf.resources.push(resource);
        }
        shelf
    }

    pub(crate) fn types(&self) -> impl Iterator<Item = &str> {
        self.by_type.keys().map(String::as_str)
    }

    /// The positions that a search finds through the index.
    pub(crate) fn find(&self, resource_type: &str, name: &str, value: &str) -> Vec<usize> {
        Search::compile(resource_type, [(name, [value])]).unwrap().find(self, &Index::default())
    }

    /// The positions of those that match when each is searched without the others.
    pub(crate) fn alone(&self, search: &Search) -> Vec<usize> {
        let all = self.of_type(search.resource_type()).iter().copied();
        all.filter(|position| search.matches(&self.subject(*position).unwrap())).collect()
    }
}

impl Names for Shelf {
    fn named(&self, _: &str, _: Option<usize>) -> Option<&str> {
        None
    }
}

impl Resources for Shelf {
    fn of_type(&self, resource_type: &str) -> &[usize] {
        self.by_type.get(resource_type).map_or(&[], Vec::as_slice)
    }

    fn subject(&self, position: usize) -> Option<Subject<'_>> {
        let value = self.resources.get(position)?;
        Some(Subject { value, base: None, container: position, names: self })
    }

    fn id(&self, position: usize) -> Option<&str> {
        self.resources.get(position)?["id"].as_str()
    }

    fn write_ids(&self, resource_type: &str) -> bool {
        self.of_type(resource_type).iter().all(|position| self.id(*position).is_some())
    }

    fn base(&self, _: usize) -> Option<&str> {
        None
    }
}

/// The resources in the fixtures, those in Bundles one by one too.
pub(crate) fn fixtures() -> Shelf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut resources = Vec::new();
    for folder in ["fhir-r4-official", "fhir-synthea-smart", "fhir-us-core"] {
        let mut files: Vec<_> =
            std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
            let resource: Value = candor_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
            let entries = resource.get("entry").and_then(Value::as_array).into_iter().flatten();
            let inner: Vec<Value> = entries.filter_map(|entry| entry.get("resource")).cloned().collect();
            resources.extend(inner);
            resources.push(resource);
        }
    }
    Shelf::new(resources)
}
