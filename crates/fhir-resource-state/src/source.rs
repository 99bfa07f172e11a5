//! The sandbox's `fhir/` folder, read and indexed once.

use std::collections::HashMap;
use std::sync::OnceLock;

use candor_check::evidence::SharedText;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{self, FileEntry, Folder, Limits};
use candor_check::{Obstacle, Sandbox, Source, Unverifiable};

use crate::packed::{Broken, Unpacked, extension_is, is_packed, unpack};
use crate::search::types::is_resource;
use crate::store::{About, Builder, Store};

pub(crate) const PART: &str = "fhir";
pub(crate) const TYPES: &str = "types";

/// SHA-256 of each file, by its locator. That of a file whose bytes are held is taken when a resource of it is quoted.
pub(crate) type Hashes = HashMap<String, OnceLock<SharedText>>;

pub(crate) struct FhirSource {
    pub(crate) store: Store,
    pub(crate) hashes: Hashes,
    /// The places that could not be read, in order of the files.
    pub(crate) unreadable: Vec<Hidden>,
    /// Links that were not followed.
    pub(crate) notes: Vec<String>,
    pub(crate) outside_links: Vec<String>,
}

/// A place that could not be read, and what it is about where nothing else can depend on it.
#[derive(Clone)]
pub(crate) struct Hidden {
    pub(crate) place: Unreadable,
    pub(crate) about: Option<About>,
}

impl Hidden {
    pub(crate) fn of(place: &crate::store::Unreadable) -> Self {
        Self { place: unreadable(place), about: place.about.clone() }
    }
}

impl Source for FhirSource {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
        sandbox.blocking("fhir/", move || read(&folder)).await
    }
}

pub(crate) fn read(folder: &Folder) -> Result<FhirSource, Unverifiable> {
    let listing = folder.list_records()?;
    let mut builder = Builder::default();
    let mut hashes = HashMap::new();
    let mut left = folder.limits().max_total_bytes;
    let mut unreadable: Vec<Hidden> = listing.unreadable.into_iter().map(|(name, why)| obstacle(&name, &why)).collect();
    if folder.captured().is_some() {
        // A file that is missing from a capture would hold the resources of its type, and no others.
        unreadable.iter_mut().for_each(|hidden| hidden.about = type_of(&hidden.place.place.locator));
    }
    unreadable.extend(not_read(folder, &listing.files));
    for file in listing.files.iter().filter(|file| is_read(file)) {
        let packed = is_packed(&file.path);
        match content(folder, file, packed, left) {
            Ok(Content { sha256, unpacked }) => {
                left = left.saturating_sub(unpacked.bytes.len() as u64);
                hashes.insert(file.locator.clone(), sha256);
                match unpacked.broken {
                    None => builder.file(&file.locator, unpacked.bytes),
                    Some(Broken::Malformed(why)) => {
                        let what = format!("gzip that cannot be unpacked whole: {why}");
                        builder.broken_file(&file.locator, &unpacked.bytes, what);
                    }
                    Some(Broken::TooLarge) => {
                        unreadable.push(obstacle(&file.locator, &too_large(file, folder.limits(), left)))
                    }
                }
            }
            Err(why) => unreadable.push(obstacle(&file.locator, &why)),
        }
    }
    let store = builder.finish();
    unreadable.extend(store.unreadable().iter().map(Hidden::of));
    let at = |one: &Hidden| (one.place.place.locator.clone(), one.place.place.span);
    unreadable.sort_by_cached_key(at);
    let notes = listing.outside_links.iter();
    let notes = notes
        .map(|link| format!("{link} is a link that does not lead to anything inside the folder and was not followed."))
        .collect();
    Ok(FhirSource { store, hashes, unreadable, notes, outside_links: listing.outside_links })
}

/// Returns `true` if a file's name says that it holds resources in a form that is read.
pub(crate) fn is_read(file: &FileEntry) -> bool {
    is_packed(&file.path) || extension_is(&file.path, "json") || extension_is(&file.path, "ndjson")
}

/// The namespace of FHIR as XML and Turtle, and the member that names the type in JSON.
const MARKS: [&str; 2] = ["http://hl7.org/fhir", "\"resourceType\""];

/// Files that may hold resources in a form that is not read: packed ones, and FHIR as XML or Turtle.
pub(crate) fn not_read(folder: &Folder, files: &[FileEntry]) -> Vec<Hidden> {
    let others: Vec<&FileEntry> = files.iter().filter(|file| !is_read(file)).collect();
    let mut places = folder.not_unpacked(others.iter().copied());
    let in_another_form = |file: &&FileEntry| {
        let known = ["xml", "ttl", "jsonl"].iter().any(|form| extension_is(&file.path, form));
        let head = folder.head(file, if known { 4096 } else { 0 });
        MARKS.iter().any(|mark| String::from_utf8_lossy(&head).contains(mark))
    };
    let expected = "resources are not read from files of this kind; expected .json or .ndjson";
    places.extend(others.into_iter().filter(in_another_form).map(|file| sandbox::not_read(file, expected)));
    places.into_iter().map(|place| Hidden { place, about: None }).collect()
}

fn type_of(locator: &str) -> Option<About> {
    let name = locator.strip_prefix(PART)?.strip_prefix('/')?.strip_suffix(".ndjson")?;
    is_resource(name).then(|| About { resource_type: name.to_owned(), id: None })
}

pub(crate) fn unreadable(place: &crate::store::Unreadable) -> Unreadable {
    Unreadable {
        place: match is_packed(&place.file) {
            // A byte in a packed file's content has no place in the file itself.
            true => Location::whole(&place.file),
            false => Location::bytes(&place.file, place.offset as u64..place.offset as u64),
        },
        what: format!("{} (line {}, byte {})", place.what, place.line, place.offset),
        fault: place.obstacle.map_or(Fault::Recording, Fault::Obstacle),
    }
}

pub(crate) fn obstacle(name: &str, why: &Unverifiable) -> Hidden {
    let (what, fault) = (why.details.clone(), Fault::Obstacle(why.obstacle));
    Hidden { place: Unreadable { place: Location::whole(name), what, fault }, about: None }
}

struct Content {
    sha256: OnceLock<SharedText>,
    unpacked: Unpacked,
}

/// Reads a file within the limit of one file and what is left of the limit of them all.
fn content(folder: &Folder, file: &FileEntry, packed: bool, left: u64) -> Result<Content, Unverifiable> {
    if file.size > left {
        return Err(too_large(file, folder.limits(), left));
    }
    let read = folder.read(file)?;
    if packed {
        // The packed bytes are not held.
        let sha256 = SharedText::from(read.sha256()).into();
        return Ok(Content { sha256, unpacked: unpack(&read.bytes, folder.limits().max_bytes.min(left)) });
    }
    Ok(Content { sha256: OnceLock::new(), unpacked: Unpacked { bytes: read.bytes, broken: None } })
}

fn too_large(file: &FileEntry, limits: &Limits, left: u64) -> Unverifiable {
    let which = if left < limits.max_bytes { "max_total_bytes" } else { "max_bytes" };
    let details = format!("{} holds more than may be read (limit {which})", file.locator);
    Unverifiable::new(Obstacle::LimitExceeded, details)
}
