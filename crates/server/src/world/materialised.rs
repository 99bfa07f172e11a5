//! A world as a sandbox in memory: what a grading reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::SystemTime;

use candor::check::{PartType, Sandbox, SandboxBuilder, SandboxError};
use candor_json::{Value, json};
use jiff::Timestamp;

use super::parts::Parts;
use super::resources::FhirStore;
use super::state::State;
use crate::store::Write;

const EVENTS: &str = "events.ndjson";

/// Who wrote which bytes of a sandbox: by file, the writers with the bytes from where on they are theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Authors(BTreeMap<String, Vec<(u64, String)>>);

impl Authors {
    fn whole(&mut self, file: String, by: &str) {
        self.0.insert(file, vec![(0, by.to_owned())]);
    }

    /// Says in evidence, of each place that somebody wrote, who did (`written_by`).
    pub(crate) fn attribute(&self, evidence: &mut Value) {
        match evidence {
            Value::Object(members) => {
                members.values_mut().for_each(|value| self.attribute(value));
                let by = members.get("locator").and_then(Value::as_str).and_then(|locator| {
                    let span = members.get("span").and_then(Value::as_array);
                    let bound = |at: usize| span.and_then(|span| span.get(at)).and_then(Value::as_u64);
                    self.of(locator, bound(0).zip(bound(1)))
                });
                if let Some(by) = by {
                    members.insert("written_by".to_owned(), by);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.attribute(value)),
            _ => {}
        }
    }

    /// The writers of a place: one, or several in order.
    fn of(&self, locator: &str, span: Option<(u64, u64)>) -> Option<Value> {
        let authors = self.0.get(locator)?;
        let ends = authors.iter().skip(1).map(|(start, _)| *start).chain([u64::MAX]);
        let (from, to) = span.unwrap_or((0, u64::MAX));
        let mut names: Vec<&str> = Vec::new();
        for ((start, by), end) in authors.iter().zip(ends) {
            let touches = *start < to.max(from + 1) && end > from;
            if touches && !by.is_empty() && !names.contains(&by.as_str()) {
                names.push(by);
            }
        }
        match names.as_slice() {
            [] => None,
            [one] => Some(json!(one)),
            several => Some(json!(several)),
        }
    }
}

#[derive(Default)]
struct Pieces {
    bytes: Vec<u8>,
    authors: Vec<(u64, String)>,
}

impl Pieces {
    fn add(&mut self, piece: &[u8], by: &str) {
        if self.authors.last().is_none_or(|(_, last)| last != by) {
            self.authors.push((self.bytes.len() as u64, by.to_owned()));
        }
        self.bytes.extend_from_slice(piece);
        if !piece.is_empty() && !piece.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Laid {
    /// By path, each with its bytes and when it was written.
    files: BTreeMap<String, (Vec<u8>, SystemTime)>,
    events: Vec<u8>,
    authors: Authors,
}

impl Laid {
    pub(crate) fn files(self) -> BTreeMap<String, Vec<u8>> {
        let mut files: BTreeMap<String, Vec<u8>> =
            self.files.into_iter().map(|(path, (bytes, _))| (path, bytes)).collect();
        if !self.events.is_empty() {
            files.insert(EVENTS.to_owned(), self.events);
        }
        files
    }

    fn builder(self) -> (SandboxBuilder, Authors) {
        let mut builder = super::parts::NAMES.iter().fold(Sandbox::builder(), |builder, part| builder.folder(part));
        for (path, (bytes, at)) in self.files {
            builder = builder.file_of(&path, bytes, at);
        }
        if !self.events.is_empty() {
            builder = builder.events(self.events);
        }
        (builder, self.authors)
    }
}

/// The sandbox of a world with all writes over it, and the author of each. The baseline is the world before them.
pub(crate) fn materialised(
    parts: &Parts,
    agent_tables: &BTreeSet<String>,
    writes: &[Write],
    found_at: &str,
    of: &[PartType],
) -> Result<(Sandbox, Authors), SandboxError> {
    let (baseline, _) = laid_out(parts, agent_tables, &[], found_at).builder();
    let (builder, authors) = laid_out(parts, agent_tables, writes, found_at).builder();
    Ok((builder.baseline(baseline.build(of)?).build(of)?, authors))
}

pub(crate) fn laid_out(parts: &Parts, agent_tables: &BTreeSet<String>, writes: &[Write], found_at: &str) -> Laid {
    let found = time(found_at);
    let mut laid = Laid::default();
    for (path, bytes) in &parts.files {
        laid.files.insert(path.clone(), (bytes.clone(), found));
    }
    let mut state = State::of(parts, agent_tables);
    let mut tables: BTreeMap<String, Pieces> = BTreeMap::new();
    for (table, rows) in &state.tables {
        let pieces = tables.entry(table.clone()).or_default();
        rows.iter().for_each(|row| pieces.add(row.to_string().as_bytes(), ""));
    }
    let mut events = Pieces::default();
    let mut resources: BTreeMap<String, (String, SystemTime)> = BTreeMap::new();
    for write in writes {
        let written = time(&write.written_at);
        match write.part.as_str() {
            "fhir" => drop(resources.insert(write.name.clone(), (write.written_by.clone(), written))),
            "hl7" | "x12" | "files" => {
                let path = format!("{}/{}", write.part, write.name);
                laid.files.insert(path.clone(), (write.body.clone(), written));
                laid.authors.whole(path, &write.written_by);
            }
            "portal" => tables.entry(write.name.clone()).or_default().add(&write.body, &write.written_by),
            _ => events.add(&write.body, &write.written_by),
        }
        state.apply(write);
    }
    for (table, pieces) in tables {
        let path = format!("portal/{table}.ndjson");
        laid.files.insert(path.clone(), (pieces.bytes, found));
        laid.authors.0.insert(path, pieces.authors);
    }
    if !events.bytes.is_empty() {
        laid.events = events.bytes;
        laid.authors.0.insert(EVENTS.to_owned(), events.authors);
    }
    let untouched = untouched(&state.fhir, &resources.keys().map(String::as_str).collect());
    if !untouched.is_empty() {
        laid.files.insert("fhir/found.ndjson".to_owned(), (untouched.into_bytes(), found));
    }
    for (name, (by, written)) in resources {
        let Some((kind, id)) = name.split_once('/') else { continue };
        let Some(value) = state.fhir.get(kind, id).and_then(|one| one.value.as_ref()) else { continue };
        let path = format!("fhir/written/{kind}-{id}.json");
        laid.files.insert(path.clone(), (value.to_string().into_bytes(), written));
        laid.authors.whole(path, &by);
    }
    laid
}

fn untouched(store: &FhirStore, touched: &HashSet<&str>) -> String {
    let mut lines = String::new();
    for one in store.all().iter().filter(|one| one.is_original) {
        if let Some(value) =
            one.value.as_ref().filter(|_| !touched.contains(format!("{}/{}", one.kind, one.id).as_str()))
        {
            lines.push_str(&value.to_string());
            lines.push('\n');
        }
    }
    lines
}

fn time(text: &str) -> SystemTime {
    text.parse::<Timestamp>().map_or(SystemTime::UNIX_EPOCH, SystemTime::from)
}
