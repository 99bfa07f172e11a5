//! The sandbox's `fhir/` folder, read and indexed once.

use std::collections::HashMap;
use std::sync::Arc;

use candor_check::{
    Fault, FileBytes, FileEntry, Folder, Limits, Obstacle, Part, Place, Sandbox, Section, SectionError, Source,
    Unreadable, Unverifiable,
};
use candor_http_source::HttpServer;

use crate::live::LiveSource;
use crate::packed::{Broken, Unpacked, is_packed, unpack};
use crate::store::{About, Builder, Store, extension_is};

/// The part of the sandbox.
pub(crate) const PART: &str = "fhir";

/// What the folder holds.
pub(crate) struct FhirSource {
    pub(crate) store: Store,
    /// SHA-256 of each file, by its locator.
    pub(crate) hashes: HashMap<String, String>,
    /// What could not be read, in order of the files.
    pub(crate) unreadable: Vec<Hidden>,
    /// Links that were not followed.
    pub(crate) notes: Vec<String>,
}

/// A place that could not be read, and what it is about where nothing else can hang on it.
#[derive(Clone)]
pub(crate) struct Hidden {
    pub(crate) place: Unreadable,
    pub(crate) about: Option<About>,
}

impl Hidden {
    /// A place of the store's.
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

/// The part, whatever it is read from.
pub(crate) enum FhirPart {
    /// The files of a folder.
    Folder(#[expect(dead_code, reason = "kept for the listing of records")] Arc<FhirSource>),
    /// A server.
    Server(#[expect(dead_code, reason = "kept for the listing of records")] Arc<LiveSource>),
}

impl Source for FhirPart {
    const READS: &'static [&'static str] = &[PART];

    async fn open(sandbox: &Sandbox) -> Result<Self, Unverifiable> {
        match sandbox.settings::<Self>()?.server {
            Some(_) => sandbox.source::<LiveSource>().await.map(Self::Server),
            None => sandbox.source::<FhirSource>().await.map(Self::Folder),
        }
    }
}

/// The table `[fhir]` of `sandbox.toml`.
pub(crate) struct FhirSettings {
    /// The server in the place of the folder.
    pub(crate) server: Option<HttpServer>,
}

impl Part for FhirPart {
    const NAME: &'static str = PART;
    const KEYS: &'static [&'static str] = &[
        "path", "url", "ca_file", "client_id", "google", "headers", "key_id", "password", "private_key_file", "scope",
        "service_account_file", "token", "token_url", "username",
    ];
    type Settings = FhirSettings;

    fn settings(section: &Section) -> Result<FhirSettings, SectionError> {
        if HttpServer::is_described(section) {
            return HttpServer::read(section).map(|server| FhirSettings { server: Some(server) });
        }
        section.folder_only(&["https://…"])?;
        Ok(FhirSettings { server: None })
    }

    fn is_live(settings: &FhirSettings) -> bool {
        settings.server.is_some()
    }
}

fn read(folder: &Folder) -> Result<FhirSource, Unverifiable> {
    let listing = folder.list()?;
    let mut builder = Builder::default();
    let mut hashes = HashMap::new();
    let mut left = folder.limits().max_total_bytes;
    let mut unreadable: Vec<Hidden> = listing.unreadable.into_iter().map(|(name, why)| obstacle(&name, &why)).collect();
    for file in &listing.files {
        let packed = is_packed(&file.path);
        if !packed && !extension_is(&file.path, "json") && !extension_is(&file.path, "ndjson") {
            continue;
        }
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
    Ok(FhirSource { store, hashes, unreadable, notes })
}

/// A place of the store's as an observation names it.
pub(crate) fn unreadable(place: &crate::store::Unreadable) -> Unreadable {
    Unreadable {
        place: match is_packed(&place.file) {
            // Bytes of what is in it are none of the file's.
            true => Place::whole(&place.file),
            false => Place::bytes(&place.file, place.offset as u64..place.offset as u64),
        },
        what: format!("{} (line {}, byte {})", place.what, place.line, place.offset),
        fault: place.obstacle.map_or(Fault::Recording, Fault::Obstacle),
    }
}

fn obstacle(name: &str, why: &Unverifiable) -> Hidden {
    let (what, fault) = (why.details.clone(), Fault::Obstacle(why.obstacle));
    Hidden { place: Unreadable { place: Place::whole(name), what, fault }, about: None }
}

/// A file's content, and the hash of the file as it is stored.
struct Content {
    sha256: String,
    unpacked: Unpacked,
}

/// Reads a file within the limit of one file and what is left of the limit of them all.
fn content(folder: &Folder, file: &FileEntry, packed: bool, left: u64) -> Result<Content, Unverifiable> {
    if file.size > left {
        return Err(too_large(file, folder.limits(), left));
    }
    let FileBytes { bytes, sha256 } = folder.read(file)?;
    let unpacked =
        if packed { unpack(&bytes, folder.limits().max_bytes.min(left)) } else { Unpacked { bytes, broken: None } };
    Ok(Content { sha256, unpacked })
}

fn too_large(file: &FileEntry, limits: &Limits, left: u64) -> Unverifiable {
    let which = if left < limits.max_bytes { "max_total_bytes" } else { "max_bytes" };
    let details = format!("{} holds more than may be read (limit {which})", file.locator);
    Unverifiable::new(Obstacle::LimitExceeded, details)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_server_or_a_folder() {
        let settings = |text: &str| {
            let section = Section::from_toml(PART, text, Path::new("")).unwrap();
            FhirPart::settings(&section).map_err(|error| format!("{}: {}", error.key, error.message))
        };
        let server = settings("url = \"https://fhir.example.org/r4/\"").unwrap().server.unwrap();
        assert_eq!(server.url, "https://fhir.example.org/r4");
        for (text, expected) in [
            ("url = \"ftp://fhir.example.org\"", "url: `url` is none that is read here; expected https://…, file://…"),
            ("url = \"https://a.example/?x\"", "url: `url` has a query"),
            ("token = \"abc\"", "token: `token` is written out; a secret is given only as ${env:NAME}"),
            ("token = \"${env:CANDOR_TEST_NOT_SET}\"", "which is not set"),
        ] {
            let error = settings(text).err().unwrap();
            assert!(error.contains(expected) && !error.contains("abc"), "{text}\n{error}\n{expected}");
        }
    }

    #[test]
    fn every_key_is_one_that_a_source_knows() {
        let known: BTreeSet<&str> = candor_http_source::settings::KEYS.iter().copied().chain(["path"]).collect();
        assert_eq!(known, FhirPart::KEYS.iter().copied().collect());
    }
}
