//! Files to resources.

use std::collections::{HashMap, HashSet};
use std::io::BufRead as _;
use std::sync::Arc;

use candor_check::Obstacle;
use candor_check::records::{Completeness, Cut, Reading};
use candor_check::work::cancelled;
use candor_json::value::RawValue;

use super::changes::{self, Change, Known, Placed};
use super::deleted::Deleted;
use super::manifest::{Held, Manifest};
use super::members::members;
use super::pages::{self, Page};
use super::requests::Containers;
use super::versions::Group;
use super::{Content, Named, Resource, Store, Unreadable, Versions, bundle, cut, identity, json, outcome};
use crate::packed;
use crate::search::Index;
use crate::search::types::is_resource;

/// The most places that are named for one file; the last one says how many more there are.
const MAX_PLACES: usize = 20;

/// Builds a [`Store`] from the bytes of files.
///
/// ```
/// use candor_fhir_resource_state::store::Builder;
/// let mut builder = Builder::default();
/// builder.file("a.json", br#"{"resourceType": "Patient", "id": "1"}"#);
/// builder.file("b.ndjson", b"{\"resourceType\": \"Patient\", \"id\": \"2\"}\nnot JSON\n");
/// let store = builder.finish();
/// assert_eq!(store.of_type("Patient").count(), 2);
/// assert_eq!((store.unreadable()[0].file.as_str(), store.unreadable()[0].line), ("b.ndjson", 2));
/// ```
#[derive(Debug, Default)]
pub struct Builder {
    pub(crate) resources: Vec<Resource>,
    pub(crate) deleted: Vec<Deleted>,
    pub(crate) changes: Vec<Placed>,
    pub(crate) unreadable: Vec<Unreadable>,
    pub(crate) named: HashMap<String, Vec<Named>>,
    pub(crate) containers: usize,
    pub(crate) of_containers: Containers,
    pub(crate) pages: Vec<Page>,
    pub(crate) manifests: Vec<Manifest>,
}

impl Builder {
    /// Adds a file: lines of JSON when its name ends in `.ndjson` or `.ndjson.gz`, one JSON document otherwise; `bytes`
    /// are its content, unpacked. Candidates are in the order in which files are added. Whatever in it cannot be read
    /// becomes a place; the rest is read.
    ///
    /// The bytes are kept, and a resource is parsed from them when it is first used.
    pub fn file(&mut self, name: &str, bytes: impl Into<Vec<u8>>) {
        let all = Arc::new(bytes.into());
        let skipped = if all.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let bytes = all.get(skipped..).unwrap_or_default();
        let resources = self.resources.len();
        let mut file = File::new(self, name, &all, skipped);
        if is_lines(name) {
            let mut rest = bytes;
            let lines = std::iter::from_fn(|| {
                let (line, length) = (rest, rest.skip_until(b'\n').ok()?);
                line.get(..length).filter(|line| !line.is_empty())
            });
            // What a cancelled job reads is thrown away.
            for line in lines.take_while(|_| !cancelled()) {
                if !line.trim_ascii().is_empty() {
                    file.document(line.trim_ascii_end());
                }
                file.offset += line.len();
                file.line += 1;
            }
        } else {
            file.document(bytes);
        }
        file.finish();
        self.resources.get_mut(resources..).unwrap_or_default().sort_by_key(|resource| resource.span().start);
    }

    /// A builder of one file: see [`Builder::file`].
    pub(crate) fn of_file(name: &str, bytes: Vec<u8>) -> Self {
        let mut builder = Self::default();
        builder.file(name, bytes);
        builder.resources.shrink_to_fit();
        builder
    }

    /// Adds the files of another builder after those of this one.
    pub(crate) fn append(&mut self, mut other: Self) {
        let before = self.containers;
        self.containers += other.containers;
        // The handle of a resource without an id says its container.
        let mut renamed: HashMap<String, String> = HashMap::new();
        for resource in &mut other.resources {
            resource.container += before;
            let start = resource.span().start;
            if let Some(handle) = resource.url.as_mut().and_then(|url| url.handle.as_mut()) {
                let target = |handle: &str| format!("{}/{handle}", resource.resource_type);
                let new = identity::handle(resource.container, start);
                renamed.insert(target(handle), target(&new));
                *handle = new;
            }
        }
        for (full_url, all) in other.named {
            let moved = all.into_iter().map(|Named { container, target }| Named {
                container: container + before,
                target: renamed.get(&target).cloned().unwrap_or(target),
            });
            self.named.entry(full_url).or_default().extend(moved);
        }
        let deleted = other.deleted.into_iter();
        self.deleted.extend(deleted.map(|one| Deleted { applied_in: one.applied_in.map(|at| at + before), ..one }));
        let changes = other.changes.into_iter();
        self.changes.extend(changes.map(|one| Placed { container: one.container + before, ..one }));
        let Containers { put, requests, asked, answers } = other.of_containers;
        self.of_containers.put.extend(put.into_iter().map(|(at, start)| (at + before, start)));
        self.of_containers.requests.extend(requests.into_iter().map(|at| at + before));
        self.of_containers.asked.extend(asked.into_iter().map(|((at, start), asked)| ((at + before, start), asked)));
        self.of_containers.answers.extend(answers);
        self.unreadable.append(&mut other.unreadable);
        self.pages.append(&mut other.pages);
        self.manifests.append(&mut other.manifests);
        if self.resources.is_empty() {
            self.resources = other.resources;
        } else {
            self.resources.append(&mut other.resources);
        }
    }

    /// Adds resources of a server's answer, each a slice of `document` with its `fullUrl`. The document ends `bytes`, and is
    /// JSON that can be read in one way only.
    pub(crate) fn answer(
        &mut self,
        name: &str,
        bytes: &Arc<Vec<u8>>,
        document: &str,
        parts: Vec<(&str, Option<String>)>,
    ) {
        let offset = bytes.len().saturating_sub(document.len());
        let mut file = File::new(self, name, bytes, offset);
        file.open_container();
        for (raw, full_url) in parts {
            file.resource(document, raw, full_url);
        }
        file.finish();
    }

    /// Adds a file that is there and is not read, with the reason.
    pub fn unread_file(&mut self, name: &str, what: impl Into<String>) {
        self.unreadable.push(Unreadable {
            file: name.to_owned(),
            offset: 0,
            line: 1,
            what: what.into(),
            obstacle: None,
            about: None,
        });
    }

    /// Adds a file that breaks off: the lines that are whole, and a place with the reason.
    pub fn broken_file(&mut self, name: &str, bytes: &[u8], what: impl Into<String>) {
        let whole =
            if is_lines(name) { bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) } else { 0 };
        let (bytes, rest) = bytes.split_at_checked(whole).unwrap_or_default();
        if !bytes.is_empty() {
            self.file(name, bytes);
        }
        let line = 1 + bytes.iter().filter(|byte| **byte == b'\n').count();
        let place =
            Unreadable { file: name.to_owned(), offset: whole, line, what: what.into(), obstacle: None, about: None };
        if let Some(change) = cut::change(rest, is_lines(name)) {
            self.changes.push(Placed { change, container: self.containers, place: place.clone() });
        }
        self.unreadable.push(place);
    }

    /// The store: of a type and id that occur more than once only the latest version stays.
    #[must_use]
    pub fn finish(mut self) -> Store {
        self.unreadable.extend(pages::incomplete(&self.pages));
        let of_type = |name: &str| self.resources.iter().filter(|one| *one.resource_type == *name).count() as u64;
        let held = Held { of_type: &of_type, deletions: self.deleted.len() };
        let missing: Vec<Unreadable> = self.manifests.iter().flat_map(|manifest| manifest.missing(&held)).collect();
        self.unreadable.extend(missing);
        let mut left_out = vec![false; self.resources.len()];
        for group in Group::of(&self.resources, &self.deleted).into_iter().take_while(|_| !cancelled()) {
            let verdict = group.judge(&self.resources, &self.deleted, &self.of_containers);
            let stay: HashSet<&usize> = verdict.stay.iter().collect();
            for at in &group.resources {
                let stays = stay.contains(at);
                left_out.get_mut(*at).into_iter().for_each(|out| *out = !stays);
                self.resources.get_mut(*at).into_iter().for_each(|resource| resource.versions = verdict.versions);
            }
            self.unreadable.extend(verdict.unreadable);
        }
        let known = Known {
            resources: &self.resources,
            deleted: &self.deleted,
            containers: &self.of_containers,
            named: &self.named,
        };
        changes::apply(&self.changes, &known, &mut left_out, &mut self.unreadable);
        let refused = |container: usize, start: usize| {
            let (number, of, place) = self.of_containers.asked.get(&(container, start))?;
            self.of_containers.refuse(*number, *of).then_some(place)
        };
        for (resource, out) in self.resources.iter().zip(&mut left_out).filter(|(_, out)| !**out) {
            if let Some(place) = refused(resource.container, resource.span().start) {
                *out = true;
                self.unreadable.push(place.clone().about(&resource.resource_type, resource.id.as_deref()));
            }
        }
        for deleted in &self.deleted {
            if let Some(place) = deleted.applied_in.and_then(|container| refused(container, deleted.place.offset)) {
                self.unreadable.push(place.clone().about(&deleted.resource_type, Some(&deleted.id)));
            }
        }
        let gone = self.deleted.into_iter().map(|deleted| (deleted.resource_type, deleted.id));
        let mut gone: HashSet<(String, String)> = gone.collect();
        let mut left_out = left_out.iter();
        self.resources.retain(|_| left_out.next() == Some(&false));
        let mut by_type: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        let mut without_ids = HashSet::new();
        for (at, resource) in self.resources.iter().enumerate() {
            if !resource.writes_id && !without_ids.contains(&resource.resource_type) {
                without_ids.insert(Arc::clone(&resource.resource_type));
            }
            match by_type.get_mut(&resource.resource_type) {
                Some(all) => all.push(at),
                None => drop(by_type.insert(Arc::clone(&resource.resource_type), vec![at])),
            }
        }
        if !gone.is_empty() {
            let there = self.resources.iter().filter_map(|one| Some((one.resource_type.to_string(), one.id.clone()?)));
            let unclear = self.unreadable.iter().filter_map(|place| {
                let about = place.about.clone()?;
                Some((about.resource_type, about.id?))
            });
            for name in there.chain(unclear) {
                gone.remove(&name);
            }
        }
        Store {
            resources: self.resources,
            unreadable: self.unreadable,
            by_type,
            without_ids,
            named: self.named,
            deleted: gone,
            index: Index::default(),
        }
    }
}

fn is_lines(name: &str) -> bool {
    packed::extension_is(packed::inner(name).unwrap_or(name), "ndjson")
}

/// The text of a JSON document, whole where its last bracket is there and nothing follows.
fn document(bytes: &[u8]) -> Reading<&str> {
    let cut = |offset: usize, what: String| Reading::new("", Completeness::Cut(Cut::new(offset as u64, what)));
    match std::str::from_utf8(bytes) {
        Err(error) => cut(error.valid_up_to(), "not UTF-8".to_owned()),
        Ok(text) => match json::check(text) {
            Err(flaw) => cut(flaw.offset, flaw.what.to_string()),
            Ok(()) => Reading::whole(text),
        },
    }
}

pub(super) struct File<'a> {
    builder: &'a mut Builder,
    name: &'a str,
    shared_name: Arc<str>,
    bytes: &'a Arc<Vec<u8>>,
    /// Where the document that is being read begins.
    offset: usize,
    line: usize,
    places: usize,
    /// The number of line ends before a place of the document at that offset: places mostly come in order.
    counted: (usize, usize, usize),
    /// The type of the last document that [`is_plain`] said yes to: most of a file are of one.
    plain: String,
    /// The type of the last resource.
    last: Arc<str>,
}

impl<'a> File<'a> {
    fn new(builder: &'a mut Builder, name: &'a str, bytes: &'a Arc<Vec<u8>>, offset: usize) -> Self {
        Self {
            builder,
            name,
            shared_name: name.into(),
            bytes,
            offset,
            line: 1,
            places: 0,
            counted: (0, 0, 0),
            plain: String::new(),
            last: "".into(),
        }
    }
}

impl File<'_> {
    /// Reads one JSON document: a resource, a Bundle with its entries, or an array of these.
    fn document(&mut self, bytes: &[u8]) {
        let text = match document(bytes).uncut() {
            Ok(text) => text,
            Err(cut) => return self.unread(bytes, usize::try_from(cut.offset).unwrap_or(usize::MAX), &cut.what),
        };
        let whole = text.trim();
        match whole.starts_with('[') {
            true => json::items(whole).for_each(|item| self.one(text, item)),
            false => self.one(text, whole),
        }
    }

    fn one(&mut self, document: &str, raw: &str) {
        if is_plain(raw, &mut self.plain) {
            self.builder.containers += 1;
            return self.resource(document, raw, None);
        }
        match members(raw) {
            None => self.unreadable(document.as_bytes(), offset_in(document, raw), "no JSON object, so no resource"),
            Some(members) if bundle::is_bundle(&members) => bundle::read(self, document, raw, members),
            Some(members) => {
                let place = self.place(document.as_bytes(), offset_in(document, raw), "");
                if let Some(manifest) = Manifest::read(&members, place) {
                    return self.builder.manifests.push(manifest);
                }
                if let Some((what, obstacle)) = outcome::errors(&members) {
                    self.answer(true, None, 0);
                    self.missing_part(document, raw, &what, obstacle);
                }
                self.builder.containers += 1;
                self.resource(document, raw, None);
            }
        }
    }

    /// A new container: see [`Resource::container`].
    pub(super) fn open_container(&mut self) {
        self.builder.containers += 1;
    }

    pub(super) fn request(&mut self) {
        self.builder.of_containers.requests.insert(self.builder.containers);
    }

    /// Adds an answer without its request: see [`Containers::answers`].
    pub(super) fn answer(&mut self, is_error: bool, number: Option<usize>, of: usize) {
        self.builder.of_containers.answers.insert((is_error, number, of));
    }

    /// Notes that `raw` in `document` is put or deleted by an entry without an answer of its own.
    pub(super) fn asked(&mut self, document: &str, raw: &str, (number, of): (usize, usize)) {
        let what = "a request whose answer, in another Bundle or file, is an error, so whether it was done is unknown";
        let place = self.place(document.as_bytes(), offset_in(document, raw), what);
        let place = Unreadable { obstacle: Some(Obstacle::Undecidable), ..place };
        self.builder.of_containers.asked.insert((self.builder.containers, place.offset), (number, of, place));
    }

    /// Notes that the resource at `raw` in `document` is put at the place that its id says.
    pub(super) fn put(&mut self, document: &str, raw: &str) {
        let start = self.offset + offset_in(document, raw);
        self.builder.of_containers.put.insert((self.builder.containers, start));
    }

    pub(super) fn page(&mut self, document: &str, raw: &str, page: Option<Page>) {
        if let Some(page) = page {
            let place = Some(self.place(document.as_bytes(), offset_in(document, raw), ""));
            self.builder.pages.push(Page { place, ..page });
        }
    }

    pub(super) fn resource(&mut self, document: &str, raw: &str, full_url: Option<String>) {
        if cancelled() {
            return;
        }
        let start = offset_in(document, raw);
        let begin = self.offset + start;
        let span = begin..begin + raw.len();
        let content = Content::new(Arc::clone(self.bytes), span);
        let container = self.builder.containers;
        match identity::resource(raw, content, &self.shared_name, &mut self.last, container, full_url) {
            Err(what) => self.unreadable(document.as_bytes(), start, &what),
            Ok(resource) => {
                if let Some((full_url, target)) = identity::named(&resource) {
                    self.builder.named.entry(full_url).or_default().push(Named { container, target });
                }
                self.builder.resources.push(resource);
            }
        }
    }

    /// Adds the deletion that `raw`, an entry, records or asks for.
    pub(super) fn deletion(&mut self, document: &str, raw: RawValue<'_>, mut deleted: Deleted) {
        let offset = offset_in(document, raw.get());
        deleted.place = self.place(document.as_bytes(), offset, "");
        deleted.applied_in = deleted.applied_in.map(|_| self.builder.containers);
        self.builder.deleted.push(deleted);
    }

    /// Adds the change that `raw`, an entry, asks for or records.
    pub(super) fn change(&mut self, document: &str, raw: RawValue<'_>, what: &str, change: Change) {
        let place = self.place(document.as_bytes(), offset_in(document, raw.get()), what);
        self.builder.changes.push(Placed { change, container: self.builder.containers, place });
    }

    /// A document that cannot be read, and may be another version of what is there.
    fn unread(&mut self, bytes: &[u8], offset: usize, what: &str) {
        self.unreadable(bytes, offset, what);
        if let Some(change) = cut::change(bytes, is_lines(self.name)) {
            let place = self.place(bytes, offset, what);
            self.builder.changes.push(Placed { change, container: self.builder.containers, place });
        }
    }

    pub(super) fn unreadable_part(&mut self, document: &str, raw: &str, what: &str) {
        self.unreadable(document.as_bytes(), offset_in(document, raw), what);
    }

    /// Adds the place of `raw` in `document`, where `raw` replaces what was asked for.
    pub(super) fn missing_part(&mut self, document: &str, raw: &str, what: &str, obstacle: Obstacle) {
        self.add_place(document.as_bytes(), offset_in(document, raw), what, Some(obstacle));
    }

    fn unreadable(&mut self, document: &[u8], offset: usize, what: &str) {
        self.add_place(document, offset, what, None);
    }

    fn add_place(&mut self, document: &[u8], offset: usize, what: &str, obstacle: Option<Obstacle>) {
        self.places += 1;
        if self.places <= MAX_PLACES {
            let place = self.place(document, offset, what);
            self.builder.unreadable.push(Unreadable { obstacle, ..place });
        }
    }

    fn place(&mut self, document: &[u8], offset: usize, what: &str) -> Unreadable {
        let (from, lines) = match self.counted {
            (of, from, lines) if of == self.offset && from <= offset => (from, lines),
            _ => (0, 0),
        };
        let between = document.get(from..offset.min(document.len())).unwrap_or_default();
        let lines = lines + between.iter().filter(|byte| **byte == b'\n').count();
        self.counted = (self.offset, offset, lines);
        Unreadable {
            file: self.name.to_owned(),
            offset: self.offset + offset,
            line: self.line + lines,
            what: what.to_owned(),
            obstacle: None,
            about: None,
        }
    }

    fn finish(self) {
        if self.places > MAX_PLACES
            && let Some(last) = self.builder.unreadable.last_mut()
        {
            last.what.push_str(&format!(" (and {} more such places in this file)", self.places - MAX_PLACES));
        }
    }
}

/// Returns `true` if a document is a resource of one of the types that are nothing but resources.
fn is_plain(text: &str, last: &mut String) -> bool {
    let name = json::members(text).find(|(name, _)| name == "resourceType").map(|(_, value)| value.trim_matches('"'));
    let Some(name) = name.filter(|name| !name.is_empty()) else { return false };
    if name != last.as_str() {
        if !is_resource(name) || matches!(name, "Bundle" | "OperationOutcome") {
            return false;
        }
        name.clone_into(last);
    }
    true
}

/// Where `part`, which is a slice of `whole`, begins in it.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

impl Resource {
    /// True if it is one of several that cannot be distinguished.
    #[must_use]
    pub fn is_undistinguished(&self) -> bool {
        matches!(self.versions, Versions::Undistinguished(_))
    }

    pub(crate) fn is_another_state_of(&self, other: &Self) -> bool {
        // Either of them may lack the base that the other has.
        (&self.resource_type, &self.id) == (&other.resource_type, &other.id)
            && self.is_undistinguished()
            && other.is_undistinguished()
            && self.value() != other.value()
    }
}
