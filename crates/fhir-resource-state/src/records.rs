//! The resources of the folder as records: what tells one from another, and what changes when one does.
//!
//! A folder of lines alone, each a resource of a name of its own (what a capture or a bulk export is), is read line by line.
//! Anything else is read as it is for a search, so that of several versions the same one counts.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use candor_check::difference::{canonical_digest, canonical_digest_of_text, leaves};
use candor_check::field::Location;
use candor_check::records::Unreadable;
use candor_check::sandbox::{FileEntry, Folder, Gaps, PartRecord};
use candor_check::{Obstacle, Unverifiable};
use candor_json::Value;

use crate::alike;
use crate::packed::extension_is;
use crate::source::{self, FhirSource, PART, is_read, not_read};
use crate::store::{self, json};

pub(crate) struct Folders {
    folder: Folder,
    read: OnceLock<Result<Read, Unverifiable>>,
}

enum Read {
    Lines(Vec<FileEntry>, Gaps),
    Whole(Arc<FhirSource>),
}

impl Folders {
    pub(crate) fn new(folder: Folder) -> Self {
        Self { folder, read: OnceLock::new() }
    }

    fn read(&self) -> Result<&Read, Unverifiable> {
        let read = || match self.lines()? {
            Some((files, gaps)) => Ok(Read::Lines(files, gaps)),
            None => source::read(&self.folder).map(|source| Read::Whole(Arc::new(source))),
        };
        self.read.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// The files, where each line of each is a resource that nothing else can be another version of.
    fn lines(&self) -> Result<Option<(Vec<FileEntry>, Gaps)>, Unverifiable> {
        let listing = self.folder.list_records()?;
        let other = listing.files.iter().any(|file| is_read(file) && !extension_is(&file.path, "ndjson"));
        if other || !not_read(&self.folder, &listing.files).is_empty() {
            return Ok(None);
        }
        let files: Vec<FileEntry> = listing.files.into_iter().filter(is_read).collect();
        let mut names = HashSet::new();
        for file in &files {
            let mut simple = true;
            self.folder.lines(file, &mut |_, line| {
                simple = line.trim_ascii().is_empty() || name_of(line).is_some_and(|name| names.insert(name));
                if simple { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if !simple {
                return Ok(None);
            }
        }
        let gaps = listing.unreadable.iter().map(|(name, why)| source::obstacle(name, why).place).collect();
        Ok(Some((files, gaps)))
    }

    pub(crate) fn records(&self, visit: &mut dyn FnMut(PartRecord) -> ControlFlow<()>) -> Result<Gaps, Unverifiable> {
        match self.read()? {
            Read::Lines(files, gaps) => {
                for file in files {
                    let mut flow = ControlFlow::Continue(());
                    self.folder.lines(file, &mut |span, line| {
                        // The content of these lines was checked before.
                        if let Some((text, name)) =
                            std::str::from_utf8(line).ok().and_then(|text| Some((text, Name::of(text)?)))
                        {
                            let digest = canonical_digest_of_text(text, OF_VERSIONS);
                            let place = Location { locator: file.locator.clone(), span: Some(span) };
                            flow = visit(PartRecord { collection: name.resource_type, key: name.id, digest, place });
                        }
                        flow
                    })?;
                    if flow.is_break() {
                        break;
                    }
                }
                Ok(gaps.clone())
            }
            Read::Whole(source) => {
                for one in source.store.resources().iter().filter(|one| !is_envelope(one)) {
                    let place = Location::bytes(&*one.file, one.span().start as u64..one.span().end as u64);
                    let mut record = record(one.value(), one.base(), place);
                    (*one.resource_type).clone_into(&mut record.collection);
                    if let Some(id) = &one.id {
                        record.key.clone_from(id);
                    }
                    if visit(record).is_break() {
                        break;
                    }
                }
                let place = |hidden: &source::Hidden| -> Unreadable { hidden.place.clone() };
                Ok(source.unreadable.iter().map(place).collect())
            }
        }
    }

    pub(crate) fn fields(&self, record: &PartRecord) -> Result<Vec<(String, Value)>, Unverifiable> {
        let gone = || {
            let details = format!("{PART}/ has no resource at the place of {}", record.name());
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        };
        let span = record.place.span.ok_or_else(gone)?;
        let mut base = None;
        let read = match self.read()? {
            Read::Lines(files, _) => {
                let file = files.iter().find(|file| file.locator == record.place.locator).ok_or_else(gone)?;
                parsed(&self.folder.read_at(file, span)?).ok_or_else(gone)?
            }
            Read::Whole(source) => {
                let is_it = |one: &&store::Resource| {
                    *one.file == *record.place.locator
                        && one.span().start as u64 == span.0
                        && one.span().end as u64 == span.1
                };
                let one = source.store.of_type(&record.collection).find(is_it).ok_or_else(gone)?;
                base = one.base();
                one.value().clone()
            }
        };
        Ok(leaves(&compared(read, base)))
    }
}

/// True if a resource is a Bundle that only carries others: they are the records, and the Bundle is not a record.
fn is_envelope(one: &store::Resource) -> bool {
    const OF_ITSELF: [&str; 2] = ["document", "message"];
    let is_of_itself = || one.value().get("type").and_then(Value::as_str).is_some_and(|kind| OF_ITSELF.contains(&kind));
    *one.resource_type == *"Bundle" && one.id.is_none() && !is_of_itself()
}

struct Name {
    resource_type: String,
    id: String,
}

impl Name {
    /// The identity that a text of sound JSON gives itself.
    fn of(text: &str) -> Option<Self> {
        let (mut resource_type, mut id) = (None, None);
        for (name, value) in json::members(text.trim_ascii()) {
            match &*name {
                "resourceType" => resource_type = candor_json::from_str::<String>(value).ok(),
                "id" => id = candor_json::from_str::<String>(value).ok(),
                _ => {}
            }
        }
        Some(Self { resource_type: resource_type?, id: id? })
    }

    fn hash(&self) -> [u8; 16] {
        let name = Value::String(format!("{}/{}", self.resource_type, self.id));
        canonical_digest(&name).first_chunk().copied().unwrap_or_default()
    }
}

/// Resources that hold others, or say of others that they could not be read.
const NOT_SIMPLE: [&str; 3] = ["Bundle", "OperationOutcome", "Parameters"];

/// The hash of the name of a line that is one resource and nothing else.
fn name_of(line: &[u8]) -> Option<[u8; 16]> {
    let text = std::str::from_utf8(line).ok()?;
    json::check(text).ok()?;
    // An escape may be one that only a parser finds wrong.
    if text.contains("\\u") {
        candor_json::from_str::<Value>(text).ok()?;
    }
    let name = Name::of(text).filter(|name| !NOT_SIMPLE.contains(&name.resource_type.as_str()))?;
    Some(name.hash())
}

fn parsed(line: &[u8]) -> Option<Value> {
    candor_json::from_slice(line).ok()
}

fn record(resource: &Value, base: Option<&str>, place: Location) -> PartRecord {
    let text = |name: &str| resource.get(name).and_then(Value::as_str).map(str::to_owned);
    let digest = canonical_digest(&compared(resource.clone(), base));
    let unnamed = || digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    PartRecord {
        collection: text("resourceType").unwrap_or_default(),
        key: text("id").unwrap_or_else(unnamed),
        digest,
        place,
    }
}

/// The elements that a server writes at each update, whatever the update was.
const OF_VERSIONS: &[(&str, &[&str])] = &[("meta", &["versionId", "lastUpdated"])];

/// A resource without its versions; its references to the server of that base are paths.
fn compared(mut resource: Value, base: Option<&str>) -> Value {
    if let Some(base) = base {
        alike::relative(&mut resource, base);
    }
    let Some(members) = resource.as_object_mut() else { return resource };
    for (name, inner) in OF_VERSIONS {
        if let Some(object) = members.get_mut(*name).and_then(Value::as_object_mut) {
            inner.iter().for_each(|name| drop(object.remove(*name)));
            if object.is_empty() {
                members.remove(*name);
            }
        }
    }
    resource
}
