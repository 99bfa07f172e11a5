//! A bucket of Amazon S3 (and what speaks like it), Google Cloud Storage or Azure Blob Storage as a store, through
//! `object_store`. A key's `/` make folders of it; a prefix in the URL is the store's root.

mod cloud;
mod http;
mod listing;
mod trouble;

use std::future::Future;
use std::io::{self, Read};
use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use candor_check::sandbox::{Limits, Remote};
use candor_check::{Obstacle, Unverifiable};
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use jiff::Timestamp;
use object_store::list::PaginatedListOptions;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetResultPayload, ObjectMeta};
use tokio::runtime::{Builder, Runtime};

use super::{Listing, Store, StoredFile};
use cloud::Bucket;
use http::{Connector, Sifted};
pub use listing::{ListingPage, sift_listing};
use trouble::{Operation, Trouble};

pub(crate) struct ObjectStore {
    name: String,
    /// The text before every path to make its key: nothing, or parts with a slash at the end.
    prefix: String,
    limits: Limits,
    bucket: Bucket,
    connector: Arc<Connector>,
    /// Gone only while the store is dropped.
    runtime: Option<Runtime>,
}

impl Drop for ObjectStore {
    fn drop(&mut self) {
        // A runtime that is dropped as any other value waits for its threads, and may not be where others run.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl ObjectStore {
    /// Gets ready to ask; asks nothing yet.
    ///
    /// # Errors
    /// When settings or credentials cannot be used as they are.
    pub(crate) fn new(remote: &Remote, limits: &Limits) -> Result<Self, Unverifiable> {
        let connector = Arc::new(Connector::new(remote.file("ca_file"), limits, remote.scheme == "gs")?);
        let place = remote.url.trim_end_matches('/');
        let (_, key) = place.split_once("://").unwrap_or_default();
        let (bucket, prefix) = key.split_once('/').unwrap_or((key, ""));
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let name = format!("{place}/");
        let bucket = cloud::open(remote, bucket, &name, limits, &connector)?;
        let broken = |error: io::Error| {
            Unverifiable::new(Obstacle::SourceUnavailable, format!("{name} cannot be read: no thread for it: {error}"))
        };
        let runtime = Some(Builder::new_current_thread().enable_time().build().map_err(broken)?);
        Ok(Self { name, prefix, limits: limits.clone(), bucket, connector, runtime })
    }

    fn wait<T>(&self, operation: &Operation, work: impl Future<Output = T>) -> Result<T, Trouble> {
        let runtime = self.runtime.as_ref().ok_or_else(Trouble::timeout)?;
        let deadline = operation.deadline.into();
        let timed = runtime.block_on(async { tokio::time::timeout_at(deadline, work).await });
        timed.map_err(|_| Trouble::timeout())
    }

    /// Makes sure of credentials, then does the work. A failure is reported as one of `place`.
    fn ask<T>(
        &self,
        operation: &Operation,
        place: &str,
        work: impl Future<Output = object_store::Result<T>>,
    ) -> Result<Result<T, Error>, Unverifiable> {
        let logged_in = self.wait(operation, self.bucket.log_in()).map_err(|trouble| trouble.of(place))?;
        logged_in.map_err(|_| self.bucket.refusal(place, self.connector.login.last()))?;
        self.wait(operation, work).map_err(|trouble| trouble.of(place))
    }

    fn failure(&self, operation: &Operation, place: &str, error: &Error) -> Unverifiable {
        match operation.last() {
            Some(trouble) => trouble.of(place),
            None => {
                let what = match error {
                    Error::InvalidPath { .. } => "its key is not a path that can be asked for",
                    _ => "the server's answer cannot be understood",
                };
                Unverifiable::new(Obstacle::SourceMalformed, format!("{place} cannot be read: {what}"))
            }
        }
    }

    fn key(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    fn locator(&self, path: &str) -> String {
        format!("{}{path}", self.name)
    }

    /// The location of a path; an error where its key cannot be asked for.
    fn location(&self, path: &str) -> Result<Path, Unverifiable> {
        let key = self.key(path);
        let odd = |what| Unverifiable::new(Obstacle::SourceUnavailable, unaskable(&self.locator(path), what));
        match (listing::oddity(&key), Path::parse(&key)) {
            (None, Ok(location)) => Ok(location),
            (what, _) => Err(odd(what.unwrap_or("it is no path"))),
        }
    }

    fn stored(&self, path: String, meta: &ObjectMeta) -> StoredFile {
        StoredFile {
            locator: self.locator(&path),
            path,
            size: meta.size,
            // Listings may tell fractions of a second, header fields cannot.
            modified: Timestamp::from_second(meta.last_modified.timestamp()).ok(),
            version: meta.e_tag.as_deref().map(bare),
        }
    }

    /// Puts a page into a listing; the number of entries that it had.
    fn add(&self, page: &Sifted, objects: &[ObjectMeta], listing: &mut Listing) -> Result<u64, Trouble> {
        let Sifted(page) = page;
        if page.keys.len() != objects.len() {
            return Err(Trouble::of_listing("its entries can be read in two ways"));
        }
        let relative = |key: &str| match key.strip_prefix(&self.prefix) {
            Some(path) => Ok(path.to_owned()),
            None => Err(Trouble::of_listing("it holds keys that were not asked for")),
        };
        for (key, meta) in page.keys.iter().zip(objects) {
            listing.files.push(self.stored(relative(key)?, meta));
        }
        for (key, what) in &page.odd {
            let locator = self.locator(&relative(key)?);
            let why = Unverifiable::new(Obstacle::SourceUnavailable, unaskable(&locator, what));
            listing.unreadable.push((locator, why));
        }
        Ok(page.keys.len() as u64 + page.odd.len() as u64 + page.folders)
    }
}

fn unaskable(locator: &str, what: &str) -> String {
    format!("{locator} has a key that cannot be asked for: {what}")
}

/// An ETag as it is compared: Azure writes it with quotation marks in header fields, and without them in listings.
fn bare(e_tag: &str) -> String {
    e_tag.trim_matches('"').to_owned()
}

impl Store for ObjectStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn list(&self, below: &str) -> Result<Listing, Unverifiable> {
        let operation = Operation::new(&self.limits);
        let below = below.trim_end_matches('/');
        let prefix = if below.is_empty() { self.prefix.clone() } else { format!("{}/", self.key(below)) };
        let prefix = Some(prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let place = &self.name;
        let mut listing = Listing::default();
        let mut looked = 0u64;
        let mut page_token: Option<String> = None;
        loop {
            let mut options = PaginatedListOptions { page_token: page_token.clone(), ..Default::default() };
            options.extensions.insert(operation.clone());
            let page = self.ask(&operation, place, self.bucket.pages.list_paginated(prefix, options))?;
            let page = page.map_err(|error| self.failure(&operation, place, &error))?;
            let sifted = page.result.extensions.get::<Sifted>();
            let sifted = sifted.ok_or_else(|| Trouble::of_listing("it came unread").of(place))?;
            looked += self.add(sifted, &page.result.objects, &mut listing).map_err(|trouble| trouble.of(place))?;
            if looked > self.limits.max_files {
                let details = format!("{place} holds more than {} files (limit max_files)", self.limits.max_files);
                return Err(Unverifiable::new(Obstacle::LimitExceeded, details));
            }
            let next = page.page_token.filter(|token| !token.is_empty());
            if next.is_none() {
                break;
            }
            if next == page_token {
                return Err(Trouble::of_listing("its pages lead to themselves, a loop").of(place));
            }
            page_token = next;
        }
        listing.files.sort_by(|one, other| one.path.cmp(&other.path));
        listing.unreadable.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(listing)
    }

    fn stat(&self, path: &str) -> Result<Option<StoredFile>, Unverifiable> {
        let operation = Operation::new(&self.limits);
        let location = self.location(path)?;
        let place = self.locator(path);
        let mut options = GetOptions { head: true, ..GetOptions::default() };
        options.extensions.insert(operation.clone());
        match self.ask(&operation, &place, self.bucket.objects.get_opts(&location, options))? {
            Ok(found) => Ok(Some(self.stored(path.to_owned(), &found.meta))),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failure(&operation, &place, &error)),
        }
    }

    fn open(&self, file: &StoredFile) -> Result<Box<dyn Read + '_>, Unverifiable> {
        let operation = Operation::new(&self.limits);
        let location = self.location(&file.path)?;
        let place = &file.locator;
        let if_match = file.version.as_deref().map(|version| format!("\"{version}\""));
        let mut options = GetOptions { if_match, ..GetOptions::default() };
        options.extensions.insert(operation.clone());
        let changed = || {
            let details = format!("{place} changed while it was read");
            Unverifiable::new(Obstacle::SourceUnavailable, details)
        };
        let opened = match self.ask(&operation, place, self.bucket.objects.get_opts(&location, options))? {
            Ok(opened) => opened,
            Err(Error::Precondition { .. }) => return Err(changed()),
            Err(Error::NotFound { .. }) => {
                let details = format!("{place} is no longer there");
                return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
            }
            Err(error) => return Err(self.failure(&operation, place, &error)),
        };
        // Not every server minds the condition.
        if file.version.is_some() && opened.meta.e_tag.as_deref().map(bare) != file.version {
            return Err(changed());
        }
        match opened.payload {
            GetResultPayload::Stream(stream) => {
                let stream = Some(stream);
                Ok(Box::new(ObjectReader { store: self, operation, place: place.clone(), stream, piece: Bytes::new() }))
            }
            #[expect(unreachable_patterns, reason = "object_store has a variant for files with its feature `fs`")]
            _ => Err(changed()),
        }
    }
}

struct ObjectReader<'a> {
    store: &'a ObjectStore,
    operation: Operation,
    place: String,
    stream: Option<BoxStream<'static, object_store::Result<Bytes>>>,
    piece: Bytes,
}

impl Read for ObjectReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            let Some(stream) = &mut self.stream else { return Ok(0) };
            match self.store.wait(&self.operation, stream.next()) {
                Ok(Some(Ok(piece))) => self.piece = piece,
                Ok(None) => self.stream = None,
                Ok(Some(Err(error))) => {
                    self.stream = None;
                    return Err(io::Error::other(self.store.failure(&self.operation, &self.place, &error)));
                }
                Err(trouble) => {
                    self.stream = None;
                    return Err(io::Error::other(trouble.of(&self.place)));
                }
            }
        }
        let length = self.piece.len().min(buffer.len());
        let (Some(from), Some(to)) = (self.piece.get(..length), buffer.get_mut(..length)) else { return Ok(0) };
        to.copy_from_slice(from);
        self.piece.advance(length);
        Ok(length)
    }
}
