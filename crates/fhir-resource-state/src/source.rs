//! The sandbox's `fhir/` folder, read and indexed once.

use std::collections::HashMap;

use candor_check::{Fault, Folder, Place, Sandbox, Source, Unreadable, Unverifiable};

use crate::store::{Builder, Store, extension_is};

/// The part of the sandbox.
pub(crate) const PART: &str = "fhir";

/// What the folder holds.
pub(crate) struct FhirSource {
    pub(crate) store: Store,
    /// SHA-256 of each file, by its locator.
    pub(crate) hashes: HashMap<String, String>,
    /// What could not be read, in order of the files.
    pub(crate) unreadable: Vec<Unreadable>,
    /// Links that were not followed.
    pub(crate) notes: Vec<String>,
}

impl Source for FhirSource {
    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        let folder = sandbox.folder(PART).ok_or_else(|| sandbox.no_source(PART))?;
        sandbox.blocking("fhir/", move || read(&folder)).await
    }
}

fn read(folder: &Folder) -> Result<FhirSource, Unverifiable> {
    let listing = folder.list()?;
    let mut builder = Builder::default();
    let mut hashes = HashMap::new();
    let mut unreadable: Vec<Unreadable> =
        listing.unreadable.into_iter().map(|(name, why)| obstacle(&name, &why)).collect();
    for file in &listing.files {
        if is_compressed(&file.path) {
            builder.unread_file(&file.locator, "compressed files are not read by this version; unpack it");
        } else if extension_is(&file.path, "json") || extension_is(&file.path, "ndjson") {
            match folder.read(file) {
                Ok(read) => {
                    builder.file(&file.locator, &read.bytes);
                    hashes.insert(file.locator.clone(), read.sha256);
                }
                Err(why) => unreadable.push(obstacle(&file.locator, &why)),
            }
        }
    }
    let store = builder.finish();
    unreadable.extend(store.unreadable().iter().map(|place| Unreadable {
        place: Place::bytes(&place.file, place.offset as u64..place.offset as u64),
        what: format!("{} (line {}, byte {})", place.what, place.line, place.offset),
        fault: Fault::Recording,
    }));
    unreadable.sort_by(|a, b| (&a.place.locator, a.place.span).cmp(&(&b.place.locator, b.place.span)));
    let notes = listing.outside_links.iter();
    let notes = notes
        .map(|link| format!("{link} is a link that does not lead to anything inside the folder and was not followed."))
        .collect();
    Ok(FhirSource { store, hashes, unreadable, notes })
}

fn obstacle(name: &str, why: &Unverifiable) -> Unreadable {
    Unreadable { place: Place::whole(name), what: why.details.clone(), fault: Fault::Obstacle(why.obstacle) }
}

fn is_compressed(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(inner, extension)| {
        extension.eq_ignore_ascii_case("gz") && (extension_is(inner, "json") || extension_is(inner, "ndjson"))
    })
}
