//! The state of a sandbox after so many writes: the world that was found with the log laid over it, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_json::Value;

use super::parts::Parts;
use super::resources::{FhirStore, Versioned, version_of};
use crate::store::Write;

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The number of the first write that is not in it.
    pub next: i64,
    pub fhir: FhirStore,
    /// The dropped files, by path, each with its bytes.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// Rows by table.
    pub tables: BTreeMap<String, Vec<Value>>,
}

impl State {
    /// The state before any write.
    pub(crate) fn of(parts: &Parts, agent_tables: &BTreeSet<String>) -> Self {
        let file = |(path, bytes): (&String, &Vec<u8>)| {
            Some((path.strip_prefix("files/")?.to_owned(), Arc::from(bytes.as_slice())))
        };
        let mut tables = parts.portal.clone();
        for table in agent_tables {
            tables.entry(table.clone()).or_default();
        }
        let files = parts.files.iter().filter_map(file).collect();
        Self { next: 1, fhir: FhirStore::of(&parts.fhir), files, tables }
    }

    pub(crate) fn apply(&mut self, write: &Write) {
        self.next = self.next.max(write.seq + 1);
        match write.part.as_str() {
            "fhir" => {
                let Some((kind, id)) = write.name.split_once('/') else { return };
                let (kind, id) = (kind.to_owned(), id.to_owned());
                let before = self.fhir.get(&kind, &id).map_or(0, |one| one.version);
                let value = match write.action.as_str() {
                    "delete" => None,
                    _ => candor_json::from_slice::<Value>(&write.body).ok().map(Arc::new),
                };
                let version = value.as_deref().and_then(version_of).unwrap_or(before + 1);
                self.fhir.put(Versioned { kind, id, version, value, is_original: false });
            }
            "files" => drop(self.files.insert(write.name.clone(), Arc::from(write.body.as_slice()))),
            "portal" => self.tables.entry(write.name.clone()).or_default().extend(rows(&write.body)),
            _ => {}
        }
    }
}

fn rows(body: &[u8]) -> impl Iterator<Item = Value> {
    body.split(|byte| *byte == b'\n').filter_map(|line| candor_json::from_slice(line).ok())
}
