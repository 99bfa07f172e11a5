//! The sandbox's `fhir/` folder, read and indexed once.

use std::collections::HashMap;
use std::sync::OnceLock;

use candor_check::evidence::SharedText;
use candor_check::field::Location;
use candor_check::records::{Fault, Unreadable};
use candor_check::sandbox::{self, FileEntry, Folder, Limits};
use candor_check::work::side_by_side;
use candor_check::{Obstacle, Sandbox, Source, Unverifiable};

use crate::packed::{Broken, extension_is, is_packed, unpack};
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
    unreadable.extend(not_read(folder, &listing.files));
    let files: Vec<FileEntry> = listing.files.into_iter().filter(is_read).collect();
    let mut rest = files.as_slice();
    while let Some((now, later)) = rest.split_at_checked(at_once(rest, left)) {
        let contents = side_by_side(now, |file| file.size, |file| content(folder, file, left));
        for (file, content) in now.iter().zip(contents) {
            match content {
                // One before it was larger than the listing says.
                _ if file.size > left => {
                    unreadable.push(obstacle(&file.locator, &too_large(file, folder.limits(), left)));
                }
                Ok(content) => {
                    left = left.saturating_sub(content.size);
                    hashes.insert(file.locator.clone(), content.sha256);
                    builder.append(content.builder);
                }
                Err(why) => unreadable.push(obstacle(&file.locator, &why)),
            }
        }
        rest = later;
    }
    if folder.captured().is_some() {
        // A file of a capture that is missing or was not read would hold the resources of its type, and no others.
        unreadable.iter_mut().for_each(|hidden| hidden.about = type_of(&hidden.place.place.locator));
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

/// How many files to read side by side: those that are within what is left whatever the ones before them hold. What a packed
/// file holds is known once it is unpacked, so it is read alone.
fn at_once(files: &[FileEntry], mut left: u64) -> usize {
    /// The resources of a batch are held twice for a moment.
    const MOST: usize = 4096;
    let is_within = |file: &&FileEntry| match left.checked_sub(file.size) {
        Some(rest) if !is_packed(&file.path) => {
            left = rest;
            true
        }
        _ => false,
    };
    files.iter().take(MOST).take_while(is_within).count().max(1)
}

struct Content {
    sha256: OnceLock<SharedText>,
    /// The bytes that it holds, unpacked.
    size: u64,
    builder: Builder,
}

/// Reads a file within the limit of one file and what is left of the limit of them all.
fn content(folder: &Folder, file: &FileEntry, left: u64) -> Result<Content, Unverifiable> {
    if file.size > left {
        return Err(too_large(file, folder.limits(), left));
    }
    let read = folder.read(file)?;
    if !is_packed(&file.path) {
        let size = read.bytes.len() as u64;
        return Ok(Content { sha256: OnceLock::new(), size, builder: Builder::of_file(&file.locator, read.bytes) });
    }
    // The packed bytes are not held.
    let sha256 = SharedText::from(read.sha256()).into();
    let unpacked = unpack(&read.bytes, folder.limits().max_bytes.min(left));
    drop(read);
    let size = unpacked.bytes.len() as u64;
    let builder = match unpacked.broken {
        None => Builder::of_file(&file.locator, unpacked.bytes),
        Some(Broken::Malformed(why)) => {
            let mut builder = Builder::default();
            let what = format!("gzip that cannot be unpacked whole: {why}");
            builder.broken_file(&file.locator, &unpacked.bytes, what);
            builder
        }
        Some(Broken::TooLarge) => return Err(too_large(file, folder.limits(), left)),
    };
    Ok(Content { sha256, size, builder })
}

fn too_large(file: &FileEntry, limits: &Limits, left: u64) -> Unverifiable {
    let which = if left < limits.max_bytes { "max_total_bytes" } else { "max_bytes" };
    let details = format!("{} holds more than may be read (limit {which})", file.locator);
    Unverifiable::new(Obstacle::LimitExceeded, details)
}
